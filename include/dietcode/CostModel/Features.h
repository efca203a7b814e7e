//===- Features.h - What the trained model sees of a micro-kernel *- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape-generic features: none depends on the extents of a problem or on a
// grid, so one model serves every shape, and operators of a family share it.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_FEATURES_H
#define DIETCODE_COSTMODEL_FEATURES_H

#include "dietcode/CostModel/AnalyticalModel.h"
#include "dietcode/CostModel/OperatorTraits.h"

#include <string_view>
#include <vector>

namespace dietcode {

/// Micro-kernels that have the same features, and are learnt together.
enum class KernelFamily {
  Products, ///< Two tiles are multiplied.
  Rows,     ///< Of operators on rows.
};

KernelFamily familyOf(const OperatorTraits &traits);

/// The names of the features of a family, in order.
std::vector<std::string_view> kernelFeatureNames(KernelFamily family);

/// Those of all families, one after the other. featureSchemaHash of them names
/// the schema in a model file.
std::vector<std::string_view> kernelFeatureNames();

/// The features of a micro-kernel, one for each name. `profile` is the
/// analytical one, with registers estimated, so that they are the same before
/// and after a candidate was compiled.
std::vector<float> kernelFeatures(const KernelProfile &profile,
                                  const MicroKernelCost &analytical,
                                  const OperatorTraits &traits,
                                  const DeviceSpec &device);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_FEATURES_H
