//===- OperandLayout.h - How elements of operands lie in memory -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_IR_OPERANDLAYOUT_H
#define DIETCODE_DIALECT_DIETCODE_IR_OPERANDLAYOUT_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::dietcode {

/// The buffer that holds an operand: its type, or that of a row-major buffer
/// for a tensor.
MemRefType getBufferType(Type operand);

/// Whether elements of `type`, indexed through `map`, that follow each other in
/// the numbering of problem dimensions `dims` are equally far apart, as the
/// type tells.
bool isLinear(MemRefType type, AffineMap map, ArrayRef<unsigned> dims);

/// The problem dimension along which `type` is read in vectors when it is
/// indexed through `map`: that of the last dimension of unit stride that the
/// type tells; without one, that of the last dimension. None if it is a window.
std::optional<unsigned> getContiguousDim(MemRefType type, AffineMap map);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_IR_OPERANDLAYOUT_H
