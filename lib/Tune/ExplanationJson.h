//===- ExplanationJson.h - Explanations as JSON values ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TUNE_EXPLANATIONJSON_H
#define DIETCODE_TUNE_EXPLANATIONJSON_H

#include "dietcode/Tune/Explanation.h"
#include "llvm/Support/JSON.h"

namespace mlir::dietcode {

llvm::json::Object toJson(const ExplainedKernel &kernel);
llvm::json::Object toJson(const OperatorExplanation &explanation);

} // namespace mlir::dietcode

#endif // DIETCODE_TUNE_EXPLANATIONJSON_H
