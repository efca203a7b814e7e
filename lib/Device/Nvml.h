//===- Nvml.h - Clocks and power of NVIDIA GPUs -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By NVIDIA's management library, which comes with the driver. It is looked for
// at run time: libnvidia-ml.so.1, or what DIETCODE_LIBNVML names.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DEVICE_NVML_H
#define DIETCODE_LIB_DEVICE_NVML_H

#include "dietcode/Record/RunMeasurement.h"

#include <string>

namespace dietcode {

/// Of the GPU with this PCI bus id, as the CUDA driver spells it. Without the
/// library, or of a GPU that it does not know, nothing is known.
DeviceConditions askConditions(const std::string &busId);

} // namespace dietcode

#endif // DIETCODE_LIB_DEVICE_NVML_H
