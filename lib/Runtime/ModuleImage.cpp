//===- ModuleImage.cpp - What programs load as a module -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleImage.h"
#include "dietcode/Target/KernelImages.h"

#include <cstring>
#include <optional>
#include <string>

using namespace dietcode;
using namespace dietcode::runtime;

namespace {

struct Magic {
  char bytes[5];
  const char *name;
  std::optional<ImageFormat> format; ///< Nothing where no device takes it.
};

constexpr Magic kMagics[] = {
    {"\x7f"
     "ELF",
     "an ELF cubin", ImageFormat::Cubin},
    {"\x50\xed\x55\xba", "a fatbin", ImageFormat::Fatbin},
    {"BC\xc0\xde", "LLVM bitcode", std::nullopt},
};

} // namespace

/// Other formats than PTX have magic numbers.
static const Magic *findMagic(const char *bytes, size_t limit) {
  for (const Magic &magic : kMagics)
    if (limit >= 4 && std::strncmp(bytes, magic.bytes, 4) == 0)
      return &magic;
  return nullptr;
}

/// The best that an artefact has for the device.
static Expected<ModuleImage> selectOfArtefact(const void *data, size_t limit,
                                              const ImageChoice &choice) {
  Expected<std::vector<KernelImage>> images = readKernelImages(data, limit);
  if (!images)
    return tl::unexpected(images.error());
  Expected<KernelImage> image = chooseKernelImage(
      *images, {choice.computeCapability, choice.takesBinaries});
  if (!image)
    return tl::unexpected(image.error());
  return ModuleImage{image->kind == KernelImageKind::Cubin ? ImageFormat::Cubin
                                                           : ImageFormat::Ptx,
                     image->bytes};
}

Expected<ModuleImage> runtime::selectImage(const void *data, size_t limit,
                                           const ImageChoice &choice) {
  if (!data)
    return fail("cannot load a module from a null pointer");
  if (isKernelImages(data, limit))
    return selectOfArtefact(data, limit, choice);
  auto *bytes = static_cast<const char *>(data);
  const Magic *magic = findMagic(bytes, limit);
  // The text may be followed by a NUL inside of its size, or have one as its
  // end; either way the NUL ends it.
  if (!magic)
    return ModuleImage{ImageFormat::Ptx, {bytes, strnlen(bytes, limit)}};
  if (magic->format && choice.takesBinaries)
    return ModuleImage{*magic->format, {bytes, limit}};
  return fail(std::string("cannot load ") + magic->name + ": " +
              (choice.takesBinaries
                   ? "the CUDA driver takes PTX, cubins and fatbins; compile "
                   : "the virtual GPU runs PTX; compile ") +
              "with the binary format 'isa' (cubin-format=isa)");
}
