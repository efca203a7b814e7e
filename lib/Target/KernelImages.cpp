//===- KernelImages.cpp - Kernels for several chips in one ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/KernelImages.h"
#include "dietcode/Target/DeviceSpec.h"
#include <cctype>
#include <cstring>

using namespace dietcode;

namespace {

constexpr std::string_view magic = "DIETCODE";
constexpr uint32_t formatVersion = 1;
constexpr uint64_t alignment = 16;
constexpr size_t headerBytes = 32;
constexpr size_t hashedFrom = 32;
constexpr size_t recordBytes = 40;
constexpr size_t chipBytes = 16;

void append(std::string &to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    to += static_cast<char>(value >> (8 * i));
}

uint64_t number(std::string_view bytes, size_t offset, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= uint64_t(static_cast<uint8_t>(bytes[offset + i])) << (8 * i);
  return value;
}

uint64_t hashOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : bytes)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

uint64_t alignUp(uint64_t value) {
  return (value + alignment - 1) / alignment * alignment;
}

const char *nameOf(KernelImageKind kind) {
  return kind == KernelImageKind::Ptx ? "PTX" : "cubin";
}

tl::unexpected<Error> corrupt(const std::string &why) {
  return fail("the kernels of the artefact are corrupt: " + why +
              "; compile it again");
}

/// A record of the table, whose place in `all` is checked.
Expected<KernelImage> readRecord(std::string_view all, size_t tableEnd,
                                 size_t index) {
  std::string_view record =
      all.substr(headerBytes + index * recordBytes, recordBytes);
  std::string which = "image " + std::to_string(index);
  KernelImage image;
  std::string_view chip = record.substr(0, chipBytes);
  image.chip = chip.substr(0, chip.find('\0'));
  if (!lookupChip(image.chip))
    return corrupt(which + " is for the unknown chip '" + image.chip + "'");
  auto kind = static_cast<uint32_t>(number(record, 16, 4));
  image.kind = static_cast<KernelImageKind>(kind);
  if (image.kind != KernelImageKind::Ptx &&
      image.kind != KernelImageKind::Cubin)
    return corrupt(which + " is of the unknown kind " + std::to_string(kind));
  uint64_t offset = number(record, 24, 8), size = number(record, 32, 8);
  if (offset % alignment || offset < tableEnd || offset >= all.size() ||
      size >= all.size() - offset || all[offset + size] != '\0')
    return corrupt(which + " is not within them");
  image.bytes = all.substr(offset, size);
  return image;
}

/// "sm_90a" and "sm_100f" run on their own chip only.
bool isSpecific(const KernelImage &image) {
  return std::isalpha(static_cast<unsigned char>(image.chip.back()));
}

/// How good an image is for a device; 0: it does not run there.
int rate(const KernelImage &image, const KernelImageChoice &choice) {
  int capability = lookupChip(image.chip)->computeCapability;
  bool isExact = capability == choice.computeCapability;
  if (image.kind == KernelImageKind::Cubin)
    return choice.takesCubins && isExact ? 1000000 + isSpecific(image) : 0;
  if (capability > choice.computeCapability || (isSpecific(image) && !isExact))
    return 0;
  return 2 * capability + isSpecific(image);
}

} // namespace

bool dietcode::isKernelImages(const void *data, size_t limit) {
  return data && limit >= magic.size() &&
         std::strncmp(static_cast<const char *>(data), magic.data(),
                      magic.size()) == 0;
}

Expected<std::string>
dietcode::packKernelImages(const std::vector<KernelImage> &images) {
  std::string table, bytes;
  uint64_t start = alignUp(headerBytes + images.size() * recordBytes);
  bytes.resize(start - headerBytes - images.size() * recordBytes);
  for (size_t i = 0; i < images.size(); ++i) {
    const KernelImage &image = images[i];
    if (!lookupChip(image.chip))
      return fail("unknown chip '" + image.chip + "'");
    for (size_t k = 0; k < i; ++k)
      if (images[k].chip == image.chip && images[k].kind == image.kind)
        return fail("there are two images of " +
                    std::string(nameOf(image.kind)) + " for " + image.chip);
    uint64_t offset = headerBytes + images.size() * recordBytes + bytes.size();
    table += image.chip;
    table.resize(i * recordBytes + chipBytes);
    append(table, static_cast<uint32_t>(image.kind), 4);
    append(table, 0, 4);
    append(table, offset, 8);
    append(table, image.bytes.size(), 8);
    bytes += image.bytes;
    bytes.resize(alignUp(offset + image.bytes.size() + 1) - offset -
                 image.bytes.size() + bytes.size());
  }
  std::string hashed = table + bytes, header(magic);
  append(header, formatVersion, 4);
  append(header, images.size(), 4);
  append(header, headerBytes + hashed.size(), 8);
  append(header, hashOf(hashed), 8);
  return header + hashed;
}

Expected<std::vector<KernelImage>> dietcode::readKernelImages(const void *data,
                                                              size_t limit) {
  if (!isKernelImages(data, limit))
    return corrupt("they do not start as such");
  if (limit < headerBytes)
    return corrupt("they end after " + std::to_string(limit) + " bytes");
  std::string_view header(static_cast<const char *>(data), headerBytes);
  uint64_t version = number(header, 8, 4), count = number(header, 12, 4);
  uint64_t size = number(header, 16, 8), hash = number(header, 24, 8);
  if (version != formatVersion)
    return fail("the kernels of the artefact are in version " +
                std::to_string(version) +
                " of their format, but this runtime "
                "reads version " +
                std::to_string(formatVersion) +
                "; use the runtime of the release that compiled it");
  if (size > limit)
    return corrupt("they end after " + std::to_string(limit) + " of " +
                   std::to_string(size) + " bytes");
  if (size < headerBytes || count > (size - headerBytes) / recordBytes)
    return corrupt("there is no room for " + std::to_string(count) +
                   " images in " + std::to_string(size) + " bytes");
  std::string_view all(static_cast<const char *>(data), size);
  if (hashOf(all.substr(hashedFrom)) != hash)
    return corrupt("their hash is not that of the bytes");
  std::vector<KernelImage> images;
  for (size_t i = 0; i < count; ++i) {
    Expected<KernelImage> image =
        readRecord(all, headerBytes + count * recordBytes, i);
    if (!image)
      return tl::unexpected(image.error());
    images.push_back(*image);
  }
  return images;
}

Expected<KernelImage>
dietcode::chooseKernelImage(const std::vector<KernelImage> &images,
                            const KernelImageChoice &choice) {
  const KernelImage *best = nullptr;
  std::string names;
  for (const KernelImage &image : images) {
    names += (names.empty() ? "" : ", ") + image.chip + " (" +
             nameOf(image.kind) + ")";
    int rating = rate(image, choice);
    if (rating > 0 && (!best || rating > rate(*best, choice)))
      best = &image;
  }
  if (best)
    return *best;
  return fail(
      "the artefact has no kernels for a device of compute capability " +
      std::to_string(choice.computeCapability / 10) + "." +
      std::to_string(choice.computeCapability % 10) + ", only for " +
      (names.empty() ? "nothing" : names) + "; compile it for that chip, too");
}
