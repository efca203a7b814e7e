//===- KernelImages.h - Kernels for several chips in one --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dietcode-compile embeds in place of a single PTX module: the same
// kernels for several chips, as PTX and as machine code. The runtime picks the
// image for the device when it loads them. All numbers are little-endian:
//
//   offset  bytes
//        0      8  "DIETCODE"
//        8      4  version of the format, 1
//       12      4  number of images, n
//       16      8  bytes of all of it, this header included
//       24      8  FNV-1a hash, of 64 bits, of everything from offset 32 on
//       32   40 n  for each image:
//                    16  chip, e.g. "sm_75", padded with zeroes
//                     4  1 for PTX, 2 for a cubin
//                     4  0
//                     8  offset of its bytes, a multiple of 16
//                     8  number of its bytes
//                  the images, each followed by at least one zero, so that PTX
//                  is a string of C
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TARGET_KERNELIMAGES_H
#define DIETCODE_TARGET_KERNELIMAGES_H

#include "dietcode/Support/Expected.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

enum class KernelImageKind : uint32_t { Ptx = 1, Cubin = 2 };

/// Kernels for one chip.
struct KernelImage {
  std::string chip; ///< e.g. "sm_75".
  KernelImageKind kind = KernelImageKind::Ptx;
  std::string_view bytes; ///< Of whoever made it; a zero follows when read.
};

/// What an image is chosen for.
struct KernelImageChoice {
  int computeCapability = 0; ///< e.g. 75.
  bool takesCubins = false;
};

/// Whether `data`, of which at most `limit` bytes can be read, starts like what
/// packKernelImages returns. It may be corrupt still.
bool isKernelImages(const void *data, size_t limit);

/// Chips must be known, and no image may be there twice.
Expected<std::string> packKernelImages(const std::vector<KernelImage> &images);

/// The images in `data`, of which at most `limit` bytes can be read: SIZE_MAX
/// if that is not known.
Expected<std::vector<KernelImage>> readKernelImages(const void *data,
                                                    size_t limit);

/// The best for a device: its own cubin, or else the PTX of the newest chip
/// that is not newer than it. PTX of an architecture-specific chip, such as
/// sm_90a, is for that one only. An error says which images there are.
Expected<KernelImage> chooseKernelImage(const std::vector<KernelImage> &images,
                                        const KernelImageChoice &choice);

} // namespace dietcode

#endif // DIETCODE_TARGET_KERNELIMAGES_H
