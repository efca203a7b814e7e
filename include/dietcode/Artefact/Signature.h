//===- Signature.h - Functions as C sees them -------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_SIGNATURE_H
#define DIETCODE_ARTEFACT_SIGNATURE_H

#include "dietcode-c/Artefact.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::dietcode {

/// What C knows of an argument or a result.
struct EntryValue {
  dietcode_dtype dtype = DIETCODE_F32;
  bool isTensor = false;
  SmallVector<int64_t> sizes; ///< ShapedType::kDynamic where calls choose.
  /// Of a memref with a layout: its strides and offset, alike.
  std::optional<SmallVector<int64_t>> strides;
  int64_t offset = 0;
};

/// A function of an artefact.
struct EntrySignature {
  std::string name;
  std::string type; ///< As MLIR prints it.
  SmallVector<EntryValue> arguments;
  SmallVector<EntryValue> results;
};

/// Emits an error if C cannot name the function, or pass or return one of its
/// values.
FailureOr<EntrySignature> readSignature(func::FuncOp function);

/// The functions of the module that are called `names`, or all public ones if
/// there are no names, in the order of the module. Emits an error if there are
/// none, if C cannot name one, or if C cannot pass or return one of its values.
FailureOr<std::vector<EntrySignature>>
readSignatures(ModuleOp module, ArrayRef<std::string> names);

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_SIGNATURE_H
