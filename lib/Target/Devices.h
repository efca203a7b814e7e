//===- Devices.h - Makers of the device table -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_TARGET_DEVICES_H
#define DIETCODE_LIB_TARGET_DEVICES_H

#include "dietcode/Target/DeviceSpec.h"

namespace dietcode {

DeviceSpec makeT4();
DeviceSpec makeRtx2080Ti();
DeviceSpec makeV100();
DeviceSpec makeA100();
DeviceSpec makeL4();
DeviceSpec makeH100();

} // namespace dietcode

#endif // DIETCODE_LIB_TARGET_DEVICES_H
