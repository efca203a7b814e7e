//===- KernelImagesTest.cpp - Kernels for several chips in one ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/KernelImages.h"
#include <gtest/gtest.h>

using namespace dietcode;

namespace {

constexpr auto ptx = KernelImageKind::Ptx;
constexpr auto cubin = KernelImageKind::Cubin;

std::vector<KernelImage> someImages() {
  return {{"sm_75", ptx, "75"},
          {"sm_75", cubin, std::string_view("\x7f\0ELF", 5)},
          {"sm_80", ptx, "80"},
          {"sm_90a", ptx, "90a"}};
}

std::string somePacked() { return *packKernelImages(someImages()); }

Expected<std::vector<KernelImage>> read(const std::string &packed) {
  return readKernelImages(packed.data(), packed.size());
}

TEST(KernelImages, RoundTrip) {
  std::string packed = somePacked();
  EXPECT_TRUE(isKernelImages(packed.data(), packed.size()));
  // Neither the length nor what is behind has to be known.
  std::string longer = packed + "something else";
  for (size_t limit : {packed.size(), longer.size(), SIZE_MAX}) {
    Expected<std::vector<KernelImage>> images =
        readKernelImages(longer.data(), limit);
    ASSERT_TRUE(images) << images.error().message;
    ASSERT_EQ(images->size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      const KernelImage &image = (*images)[i], given = someImages()[i];
      EXPECT_EQ(image.chip, given.chip);
      EXPECT_EQ(image.kind, given.kind);
      EXPECT_EQ(image.bytes, given.bytes);
      EXPECT_EQ(image.bytes.data()[image.bytes.size()], '\0');
      EXPECT_EQ((image.bytes.data() - longer.data()) % 16, 0);
    }
  }
}

TEST(KernelImages, NoImagesAreImages) {
  Expected<std::vector<KernelImage>> images = read(*packKernelImages({}));
  ASSERT_TRUE(images) << images.error().message;
  EXPECT_TRUE(images->empty());
}

TEST(KernelImages, WhatIsPackedIsChecked) {
  EXPECT_EQ(packKernelImages({{"sm_1", ptx, ""}}).error().message,
            "unknown chip 'sm_1'");
  EXPECT_EQ(packKernelImages({{"sm_75", ptx, ""}, {"sm_75", ptx, "x"}})
                .error()
                .message,
            "there are two images of PTX for sm_75");
}

TEST(KernelImages, OtherThingsAreNone) {
  EXPECT_FALSE(isKernelImages(nullptr, 100));
  EXPECT_FALSE(isKernelImages("DIETCODE", 7));
  EXPECT_FALSE(isKernelImages("", SIZE_MAX));
  EXPECT_FALSE(isKernelImages(".version 6.5", SIZE_MAX));
}

TEST(KernelImages, EveryTruncationIsFound) {
  std::string packed = somePacked();
  for (size_t size = 0; size < packed.size(); ++size) {
    // On the heap, so that a sanitizer sees reads past the end.
    std::vector<char> head(packed.begin(),
                           packed.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(readKernelImages(head.data(), size)) << size;
  }
  EXPECT_EQ(read(packed.substr(0, 40)).error().message,
            "the kernels of the artefact are corrupt: they end after 40 of " +
                std::to_string(packed.size()) + " bytes; compile it again");
}

TEST(KernelImages, EveryWrongByteIsFound) {
  std::string packed = somePacked();
  for (size_t at = 0; at < packed.size(); ++at) {
    std::string wrong = packed;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x40);
    EXPECT_FALSE(read(wrong)) << at;
  }
  packed[8] = 2;
  EXPECT_EQ(read(packed).error().message,
            "the kernels of the artefact are in version 2 of their format, but "
            "this runtime reads version 1; use the runtime of the release that "
            "compiled it");
}

/// What is chosen for a device, or the error.
std::string choose(int capability, bool takesCubins,
                   const std::vector<KernelImage> &images = someImages()) {
  auto image = chooseKernelImage(images, {capability, takesCubins});
  return image ? image->chip + (image->kind == cubin ? " cubin" : "")
               : image.error().message;
}

TEST(KernelImages, TheBestIsChosen) {
  EXPECT_EQ(choose(75, false), "sm_75");
  EXPECT_EQ(choose(75, true), "sm_75 cubin");
  EXPECT_EQ(choose(80, true), "sm_80");
  EXPECT_EQ(choose(89, true), "sm_80");
  EXPECT_EQ(choose(90, true), "sm_90a");
  EXPECT_EQ(choose(100, true), "sm_80");
  EXPECT_EQ(choose(90, true, {{"sm_90", ptx, ""}, {"sm_90a", ptx, ""}}),
            "sm_90a");
  EXPECT_EQ(choose(90, false, {{"sm_90a", ptx, ""}, {"sm_90", ptx, ""}}),
            "sm_90a");
}

TEST(KernelImages, WhatThereIsIsSaid) {
  EXPECT_EQ(choose(70, true),
            "the artefact has no kernels for a device of compute capability "
            "7.0, only for sm_75 (PTX), sm_75 (cubin), sm_80 (PTX), sm_90a "
            "(PTX); compile it for that chip, too");
  EXPECT_EQ(choose(120, false, {}),
            "the artefact has no kernels for a device of compute capability "
            "12.0, only for nothing; compile it for that chip, too");
}

} // namespace
