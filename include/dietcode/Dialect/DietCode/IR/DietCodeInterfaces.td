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
        For each shaped operand, in operand order, the projected permutation
        from the problem dimensions to the dimensions of the operand.
      }],
      "::llvm::SmallVector<::mlir::AffineMap>", "getOperandMaps">,
    InterfaceMethod<
      "The name of an operand in messages, e.g. `lhs`.",
      "::std::string", "getOperandName", (ins "unsigned":$operand)>,
  ];
  let extraSharedClassDeclaration = [{
    using OperandDim = ::mlir::dietcode::operator_impl::OperandDim;
    /// Where problem dimension `problemDim` can be read: every operand
    /// dimension that is indexed by it, in operand order. All must agree.
    ::llvm::SmallVector<OperandDim> getOccurrences(unsigned problemDim) {
      return operator_impl::getOccurrences($_op, problemDim);
    }
    /// The static extents of the problem dimensions; ShapedType::kDynamic for
    /// those that no operand's type tells.
    ::llvm::SmallVector<int64_t> getStaticProblemShape() {
      return operator_impl::getStaticProblemShape($_op);
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
    which is chosen for each shape. Selection, tuning and dispatch work on this
    interface alone; they know no operator.
  }];
  let methods = [
    InterfaceMethod<
      "The extents that the cost model sees, given those of the problem dimensions.",
      "::dietcode::ContractionShape", "getContractionShape",
      (ins "::llvm::ArrayRef<int64_t>":$problemShape)>,
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
}

#endif // DIETCODE_INTERFACES_TD
