//===- ModuleImage.h - What programs load as a module -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_MODULEIMAGE_H
#define DIETCODE_LIB_RUNTIME_MODULEIMAGE_H

#include "dietcode/Support/Expected.h"

#include <cstddef>
#include <string_view>

namespace dietcode::runtime {

enum class ImageFormat : unsigned char { Ptx, Cubin, Fatbin };

/// Code for one device. The bytes are those of the program that loads it.
struct ModuleImage {
  ImageFormat format = ImageFormat::Ptx;
  /// Of PTX, the text. Other formats say themselves how long they are, so there
  /// this may go on until the end of what can be read.
  std::string_view bytes;
};

/// What an image is chosen for.
struct ImageChoice {
  int computeCapability = 0;  ///< 75 for 7.5.
  bool takesBinaries = false; ///< Cubins and fatbins, beside PTX.
};

/// The image that `data`, as mgpuModuleLoad was given it, has for a device. At
/// most `limit` bytes of it can be read; SIZE_MAX if that is not known.
Expected<ModuleImage> selectImage(const void *data, size_t limit,
                                  const ImageChoice &choice);

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_MODULEIMAGE_H
