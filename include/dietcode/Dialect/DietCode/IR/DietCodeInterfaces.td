//===- DietCodeInterfaces.td - Interfaces of the dietcode dialect ---*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_INTERFACES_TD
#define DIETCODE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DietCode_ProblemOpInterface : OpInterface<"ProblemOpInterface"> {
  let cppNamespace = "::mlir::dietcode";
  let description = [{
    An operation over an iteration space of named *problem dimensions* (`m`, `n`
    and `k` for a matmul), of which each operand is indexed by some. Binding and
    checking of shapes work on this interface alone; they know no operation.
  }];
  let methods = [
    InterfaceMethod<
      "The names of the problem dimensions, e.g. `m`, `n`, `k`.",
      "::llvm::SmallVector<::llvm::StringRef>", "getProblemDimNames">,
    InterfaceMethod<[{
        For each shaped operand, in operand order, the map from the problem
        dimensions to the dimensions of the operand. A dimension that is a
        problem dimension has the extent of that one; for others an operation
        says which maps it allows and what they mean.
      }],
      "::llvm::SmallVector<::mlir::AffineMap>", "getOperandMaps">,
    InterfaceMethod<
      "The name of an operand in messages, e.g. `lhs`.",
      "::std::string", "getOperandName", (ins "unsigned":$operand)>,
  ];
  let extraSharedClassDeclaration = [{
    using OperandDim = ::mlir::dietcode::operator_impl::OperandDim;
    /// Where problem dimension `problemDim` can be read: every operand
    /// dimension that is indexed by it alone, in operand order. All must agree.
    ::llvm::SmallVector<OperandDim> getOccurrences(unsigned problemDim) {
      return operator_impl::getOccurrences($_op, problemDim);
    }
    /// The static extents of the problem dimensions; ShapedType::kDynamic for
    /// those that no operand's type tells.
    ::llvm::SmallVector<int64_t> getStaticProblemShape() {
      return operator_impl::getStaticProblemShape($_op);
    }
    /// The extent of a problem dimension: static where any operand's type tells,
    /// else read off the first operand that it indexes.
    ::mlir::OpFoldResult createExtent(::mlir::OpBuilder &builder, unsigned problemDim) {
      return operator_impl::createExtent(builder, $_op, problemDim);
    }
  }];
  // After the verifier of the operation, which makes sure that each operand has
  // a map.
  let verifyWithRegions = 1;
  let verify = [{ return operator_impl::verifyProblemOpInterface($_op); }];
}

def DietCode_OperatorOpInterface
    : OpInterface<"OperatorOpInterface", [DietCode_ProblemOpInterface]> {
  let cppNamespace = "::mlir::dietcode";
  let description = [{
    An operation over problem dimensions that is served by micro-kernels, one of
    which is chosen for each shape. What micro-kernels tile are the *tiled
    dimensions*: each is a group of problem dimensions, numbered one after the
    other with the last one fastest, and its extent is the product of theirs.
    Selection, tuning and dispatch work on this interface alone; they know no
    operator.
  }];
  let methods = [
    InterfaceMethod<
      "The names of the tiled dimensions: some of `b`, `m`, `n`, `k`, the extents of a ContractionShape.",
      "::llvm::SmallVector<::llvm::StringRef>", "getTiledDimNames">,
    InterfaceMethod<
      "The problem dimensions of each tiled dimension, in order.",
      "::llvm::SmallVector<::llvm::SmallVector<unsigned>>", "getTiledDimGroups">,
    InterfaceMethod<
      "What records and trained models call the operator; says nothing of shapes.",
      "::dietcode::OperatorTraits", "getTraits">,
    InterfaceMethod<
      "The symbol of the `dietcode.dispatch` that serves the operator, or null.",
      "::mlir::FlatSymbolRefAttr", "getDispatchAttr">,
    InterfaceMethod<
      "Sets the symbol of the `dietcode.dispatch` that serves the operator.",
      "void", "setDispatchAttr", (ins "::mlir::FlatSymbolRefAttr":$dispatch)>,
  ];
  let extraSharedClassDeclaration = [{
    /// The extents of the tiled dimensions, given those of the problem's.
    ::llvm::SmallVector<int64_t> getTiledShape(::llvm::ArrayRef<int64_t> problemShape) {
      return operator_impl::getTiledShape($_op, problemShape);
    }
    /// The extents that the cost model sees, given those of the tiled dimensions.
    ::dietcode::ContractionShape getContractionShape(::llvm::ArrayRef<int64_t> tiledShape) {
      return operator_impl::getContractionShape($_op, tiledShape);
    }
    /// The extents of the tiled dimensions, given those that the cost model sees.
    ::llvm::SmallVector<int64_t> getTiledShape(const ::dietcode::ContractionShape &shape) {
      return operator_impl::getTiledShape($_op, shape);
    }
  }];
}

def DietCode_ContractionOpInterface
    : OpInterface<"ContractionOpInterface", [DietCode_OperatorOpInterface]> {
  let cppNamespace = "::mlir::dietcode";
  let description = [{
    An operator that sums up products of elements of `lhs` and `rhs` over its
    reduction dimensions, applies an epilogue to the sums, and writes them to
    `out`. Its operands are `lhs`, `rhs`, `out` and those of the epilogue, its
    one region is the epilogue, and `out` is accessed through a projected
    permutation of all dimensions that are not reduced.

    By the operands that depend on it, a problem dimension belongs to one of
    four groups, the tiled dimensions: `b` if lhs, rhs and out do, `m` if lhs
    and out, `n` if rhs and out, `k` if lhs and rhs do. Within its group it keeps
    its place. The generator of micro-kernels sees these groups and the operand
    maps alone.
  }];
  let methods = [
    InterfaceMethod<"Whether the initial contents of `out` are added, once.",
                    "bool", "getAccumulate">,
    InterfaceMethod<"The type that products are summed up in, if it is stated.",
                    "::std::optional<::mlir::Type>", "getSumType">,
    InterfaceMethod<"States the type of the sums; null for the one by default.",
                    "void", "setSumTypeAttr", (ins "::mlir::TypeAttr":$type)>,
    InterfaceMethod<"The operands of the epilogue.",
                    "::mlir::OperandRange", "getEpilogueOperands">,
    InterfaceMethod<[{
        How the epilogue reads each of its operands: projected permutations of the
        dimensions of `out`.
      }], "::mlir::ArrayAttr", "getEpilogueMaps">,
    InterfaceMethod<"Sets the maps of the operands of the epilogue.", "void",
                    "setEpilogueMapsAttr", (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"The region of the epilogue; empty without one.",
                    "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"The operands of the epilogue, to be changed.",
                    "::mlir::MutableOperandRange", "getEpilogueOperandsMutable">,
  ];
  let extraSharedClassDeclaration = [{
    static constexpr unsigned kLhs = 0, kRhs = 1, kOut = 2, kFirstEpilogueOperand = 3;

    ::mlir::Value getLhsOperand() { return $_op->getOperand(kLhs); }
    ::mlir::Value getRhsOperand() { return $_op->getOperand(kRhs); }
    ::mlir::Value getOutOperand() { return $_op->getOperand(kOut); }
    bool hasEpilogue() { return !$_op.getEpilogue().empty(); }
    /// Whether the operator works on buffers in place.
    bool hasPureBufferSemantics() { return $_op->getNumResults() == 0; }
    /// The type that products are summed up in: what is stated, or the one by
    /// default for the factors and the destination.
    ::mlir::Type getSumElementType() {
      return ::mlir::dietcode::contraction_impl::getSumElementType($_op);
    }
    /// The problem dimensions of one of the four groups, in order.
    ::llvm::SmallVector<unsigned> getGroup(::mlir::dietcode::ContractionGroup group) {
      return ::mlir::dietcode::contraction_impl::getGroup($_op, group);
    }
  }];
}

#endif // DIETCODE_INTERFACES_TD
