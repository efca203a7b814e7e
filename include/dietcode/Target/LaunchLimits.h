//===- LaunchLimits.h - Which launches a device takes -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TARGET_LAUNCHLIMITS_H
#define DIETCODE_TARGET_LAUNCHLIMITS_H

#include "dietcode/Target/DeviceSpec.h"

#include <array>
#include <cstdint>
#include <string>

namespace dietcode {

/// "(1, 2, 3)".
std::string printTriple(const std::array<int64_t, 3> &values);

/// Which limit of `spec` a grid or block is outside of; an empty string if all
/// hold. `device` is what the sentence calls it.
std::string checkLaunchShape(const DeviceSpec &spec, const std::string &device,
                             const std::array<int64_t, 3> &grid,
                             const std::array<int64_t, 3> &block);

} // namespace dietcode

#endif // DIETCODE_TARGET_LAUNCHLIMITS_H
