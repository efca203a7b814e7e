//===- DietCode.h - The dietcode dialect ------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header of the dialect: its operations, attributes and interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_DIETCODE_IR_DIETCODE_H
#define DIETCODE_DIALECT_DIETCODE_IR_DIETCODE_H

#include "dietcode/CostModel/Adaption.h"
#include "dietcode/CostModel/OperatorTraits.h"
#include "dietcode/Search/Dispatch.h"
#include "dietcode/Search/Schedule.h"
#include "dietcode/Target/DeviceSpec.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "dietcode/Dialect/DietCode/IR/DietCodeDialect.h.inc"

namespace mlir::dietcode {
class ProblemOpInterface;

namespace operator_impl {
/// One dimension of one operand.
struct OperandDim {
  unsigned operand;
  unsigned dim;
};
/// Every operand dimension that is indexed by a problem dimension.
SmallVector<OperandDim> getOccurrences(Operation *op, unsigned problemDim);
/// Whether all static sizes of a problem dimension agree, and the operand maps
/// are projected permutations of the operands' ranks.
LogicalResult verifyProblemOpInterface(Operation *op);
/// The static extents of the problem dimensions of an operation.
SmallVector<int64_t> getStaticProblemShape(Operation *op);
/// Whether `op` computes numbers from numbers, for each element alone.
bool isScalarArithmetic(Operation &op);
/// The sizes of `value`, a tensor.
SmallVector<OpFoldResult> reifyShape(OpBuilder &builder, Location loc,
                                     Value value);
} // namespace operator_impl
} // namespace mlir::dietcode

#include "dietcode/Dialect/DietCode/IR/DietCodeInterfaces.h.inc"

#include "dietcode/Dialect/DietCode/IR/DietCodeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dietcode/Dialect/DietCode/IR/DietCodeAttrs.h.inc"

#define GET_OP_CLASSES
#include "dietcode/Dialect/DietCode/IR/DietCodeOps.h.inc"

namespace mlir::dietcode {

/// The device that the module around `op` is for; null if it does not say.
DeviceAttr getDevice(Operation *op);

/// Whether elements of `type` can be combined by `kind`.
bool isApplicable(RowReduction kind, Type type);

/// What combined with any element gives that element.
TypedAttr getNeutralElement(RowReduction kind, Type type);

/// The operation that combines two elements.
Value createCombination(OpBuilder &builder, Location loc, RowReduction kind,
                        Value lhs, Value rhs);

/// The reduction whose elements `op` combines, if it is such an operation.
std::optional<RowReduction> getReductionOf(Operation *op);

/// A dimension `factor * s + offset` of one shape variable s; factor > 0.
struct LinearDim {
  unsigned symbol;
  int64_t factor;
  int64_t offset;
};

/// `expr` as a linear function of one symbol, if it is written as one.
std::optional<LinearDim> matchLinearDim(AffineExpr expr);

/// Lets one-shot bufferization rewrite the dialect's operators.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::dietcode

#endif // DIETCODE_DIALECT_DIETCODE_IR_DIETCODE_H
