//===- BoosterInput.h - Checks of what boosters are given -------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_BOOSTERINPUT_H
#define DIETCODE_COSTMODEL_BOOSTERINPUT_H

#include "dietcode/CostModel/Booster.h"

#include <charconv>
#include <string>
#include <vector>

namespace dietcode {

/// What XGBoost is given: labels of mean 0 and deviation 1, weights of mean 1.
/// It stops splitting at an absolute gain of 1e-6, which would leave labels
/// such as seconds without a tree.
struct Samples {
  std::vector<float> labels;
  std::vector<float> weights;
  double offset = 0; ///< label = offset + scale * labels[row]
  double scale = 1;
};

/// The mistakes that any matrix can have.
Expected<void> checkMatrix(const FeatureMatrix &matrix);

Expected<void> checkOptions(const BoosterOptions &options);

/// Checks what can be wrong with samples to train on, and standardises them.
Expected<Samples> makeSamples(const FeatureMatrix &matrix,
                              const std::vector<double> &labels,
                              const std::vector<double> &weights);

/// Does not depend on the locale, and is read back to the same bits.
template <typename T>
std::string numberText(T value) {
  char text[32]; // No number takes more.
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_BOOSTERINPUT_H
