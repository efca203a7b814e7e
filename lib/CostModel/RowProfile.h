//===- RowProfile.h - Cycles of kernels on rows -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_COSTMODEL_ROWPROFILE_H
#define DIETCODE_LIB_COSTMODEL_ROWPROFILE_H

#include "dietcode/CostModel/AnalyticalModel.h"

namespace dietcode {

/// Fills in what one block takes for a tile of rows, all passes included;
/// `profile` says of which schedule and operator. It stays invalid if the
/// kernel does not fit on the device.
void profileRows(KernelProfile &profile, std::optional<int> registers,
                 const DeviceSpec &device);

} // namespace dietcode

#endif // DIETCODE_LIB_COSTMODEL_ROWPROFILE_H
