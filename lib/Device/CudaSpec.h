//===- CudaSpec.h - What is known of a GPU of this machine ------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DEVICE_CUDASPEC_H
#define DIETCODE_DEVICE_CUDASPEC_H

#include "CudaDriver.h"
#include "dietcode/Target/DeviceSpec.h"

#include <string_view>

namespace dietcode::cuda {

/// The device with this number, or an error that says how many there are.
Expected<DeviceHandle> findDevice(const Driver &driver, int index);

/// Whether `product`, e.g. "NVIDIA GeForce RTX 2080 Ti", is the GPU that the
/// device table calls `name`, e.g. "rtx2080ti".
bool isProduct(std::string_view product, std::string_view name);

} // namespace dietcode::cuda

#endif // DIETCODE_DEVICE_CUDASPEC_H
