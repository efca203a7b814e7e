//===- BoosterDocument.h - Checks of XGBoost's JSON models ------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XGBoost trusts the models that it loads: a child outside of its tree is read,
// and trees that are cycles are walked for ever. So what it is given is written
// anew from a document whose trees have been checked.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_BOOSTERDOCUMENT_H
#define DIETCODE_COSTMODEL_BOOSTERDOCUMENT_H

#include "Document.h"

#include <cstddef>

namespace dietcode {

/// More features than any model has; XGBoost allocates some for each.
inline constexpr size_t kMaxColumns = 1 << 16;

/// A regression by trees without categories.
struct BoosterDocument {
  size_t columns = 0;
  Document json; ///< XGBoost's JSON model.

  Document &attributes() { return json["learner"]["attributes"]; }
  const Document &attributes() const { return json["learner"]["attributes"]; }
};

/// Checks a JSON model of XGBoost, and copies what there is to know about it.
/// The message of an error is a reason, e.g. "tree 3 has a cycle".
Expected<BoosterDocument> checkBooster(const Document &model);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_BOOSTERDOCUMENT_H
