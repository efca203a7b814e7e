//===- CrossValidation.h - Predictions of what was held out -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_CROSSVALIDATION_H
#define DIETCODE_COSTMODEL_CROSSVALIDATION_H

#include "dietcode/CostModel/CostModel.h"

namespace dietcode {

/// f_MK of each kernel by a model that is trained on the others only, four
/// fifths of them at a time. Of families with too few kernels to train on it
/// is the device table's.
Expected<std::vector<MicroKernelCost>>
predictUnseen(const DeviceSpec &device,
              const std::vector<MeasuredKernel> &kernels);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_CROSSVALIDATION_H
