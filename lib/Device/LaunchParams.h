//===- LaunchParams.h - What a launch passes to a kernel ---------*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DEVICE_LAUNCHPARAMS_H
#define DIETCODE_DEVICE_LAUNCHPARAMS_H

#include "dietcode/Device/Device.h"

namespace dietcode {

/// Whether a launch has a value of the right size for each parameter.
Expected<bool> checkParams(const KernelFacts &facts,
                           const DeviceLaunch &launch);

} // namespace dietcode

#endif // DIETCODE_DEVICE_LAUNCHPARAMS_H
