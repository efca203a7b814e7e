//===- CudaDevice.h - NVIDIA GPUs through the CUDA driver -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DEVICE_CUDADEVICE_H
#define DIETCODE_DEVICE_CUDADEVICE_H

#include "dietcode/Device/Device.h"

#include <optional>

namespace dietcode {

/// N of "cuda:N", 0 of "cuda"; nothing if `name` is no CUDA device's.
std::optional<int> parseCudaName(std::string_view name);

/// What is known of a GPU: the entry of the device table with its name, or that
/// of the newest architecture that it is not older than, with what the driver
/// says of its size. Lives as long as the process.
Expected<const DeviceSpec *> lookupCudaDevice(int index);

/// "cuda:" and the name of the product, e.g. "cuda:Tesla T4".
Expected<std::string> cudaRecordName(int index);

Expected<std::unique_ptr<Device>> makeCudaDevice(int index);

} // namespace dietcode

#endif // DIETCODE_DEVICE_CUDADEVICE_H
