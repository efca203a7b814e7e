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
class ContractionOpInterface;

namespace operator_impl {
/// One dimension of one operand.
struct OperandDim {
  unsigned operand;
  unsigned dim;
};
/// Every operand dimension that is indexed by a problem dimension alone.
SmallVector<OperandDim> getOccurrences(Operation *op, unsigned problemDim);
/// Whether all static sizes of a problem dimension agree, and the operand maps
/// are of the operands' ranks.
LogicalResult verifyProblemOpInterface(Operation *op);
/// The extents of the tiled dimensions of an operator, given those of its
/// problem.
SmallVector<int64_t> getTiledShape(Operation *op,
                                   ArrayRef<int64_t> problemShape);
SmallVector<int64_t> getTiledShape(Operation *op,
                                   const ::dietcode::ContractionShape &shape);
::dietcode::ContractionShape getContractionShape(Operation *op,
                                                 ArrayRef<int64_t> tiledShape);
/// The static extents of the problem dimensions of an operation.
SmallVector<int64_t> getStaticProblemShape(Operation *op);
/// The extent of a problem dimension; see ProblemOpInterface.
OpFoldResult createExtent(OpBuilder &builder, Operation *op,
                          unsigned problemDim);
/// The size of a dimension of a tensor or buffer.
OpFoldResult createDim(OpBuilder &builder, Location loc, Value value,
                       int64_t dim);
/// The symbol of the dispatch of an operator, and the dimensions that it is
/// over.
LogicalResult verifyDispatch(Operation *op, SymbolTableCollection &symbolTable);
/// Whether `op` computes numbers from numbers, for each element alone.
bool isScalarArithmetic(Operation &op);
/// The sizes of `value`, a tensor.
SmallVector<OpFoldResult> reifyShape(OpBuilder &builder, Location loc,
                                     Value value);
} // namespace operator_impl

/// A map result as a linear function of problem dimensions: the sum of
/// `coefficient * dimension`, with coefficients above zero, plus `offset`.
struct LinearAccess {
  SmallVector<std::pair<unsigned, int64_t>> terms; ///< Dimension, coefficient.
  int64_t offset = 0;

  /// Whether it is one problem dimension, as it is.
  bool isDim() const {
    return terms.size() == 1 && terms[0].second == 1 && offset == 0;
  }
};

/// `expr` as a linear function of dimensions, if it is one with coefficients
/// above zero in which each dimension occurs once.
std::optional<LinearAccess> matchLinearAccess(AffineExpr expr);

/// A dimension of `lhs` or `rhs` of a contraction that is not one of the
/// problem's; see dietcode.contract.
struct WindowDim {
  unsigned operand;
  unsigned dim;
  LinearAccess access;
};

/// A dimension of an operand of a rowwise operator that is indexed by the
/// elements of an input.
struct Lookup {
  unsigned dim;
  unsigned index; ///< The input.
};

/// The tiled dimensions of a contraction; see ContractionOpInterface.
enum class ContractionGroup : unsigned { B, M, N, K };

namespace contraction_impl {
/// The group of each problem dimension, by the maps of lhs, rhs and out; none
/// for a dimension that a contraction cannot have.
SmallVector<std::optional<ContractionGroup>>
getGroups(ArrayRef<AffineMap> maps);
/// The problem dimensions of a group, in order.
SmallVector<unsigned> getGroup(Operation *op, ContractionGroup group);
/// Why a contraction cannot access lhs, rhs and out through `maps`, as a
/// sentence that begins with what is wrong; empty if it can.
std::string explainMaps(ArrayRef<AffineMap> maps);
/// The windows of lhs and then those of rhs.
SmallVector<WindowDim> getWindows(ArrayRef<AffineMap> maps);
/// Names each dimension after its group, numbered where a group has several.
SmallVector<StringRef> getDimNames(Operation *op);
std::string getOperandName(unsigned operand);
/// The operand maps, given those of lhs, rhs and out.
SmallVector<AffineMap> getOperandMaps(ContractionOpInterface op,
                                      ArrayRef<AffineMap> maps);
::dietcode::OperatorTraits getTraits(ContractionOpInterface op, StringRef kind);
/// The type that products of `factor` are summed up in for a destination of
/// element type `out`, unless another one is stated.
Type getDefaultSumType(Type factor, Type out);
Type getSumElementType(Operation *op);
/// Operands, element types and the maps of the epilogue.
LogicalResult verifyOperands(ContractionOpInterface op);
LogicalResult verifyEpilogue(ContractionOpInterface op);
void getEffects(
    ContractionOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);
void populateCanonicalizationPatterns(RewritePatternSet &patterns);
} // namespace contraction_impl

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
