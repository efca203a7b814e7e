//===- DietCodeDialect.td - The dietcode dialect -----------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_DIALECT_TD
#define DIETCODE_DIALECT_TD

include "mlir/IR/OpBase.td"

def DietCode_Dialect : Dialect {
  let name = "dietcode";
  let cppNamespace = "::mlir::dietcode";
  let summary = "Operators over symbolic shapes, their micro-kernels and dispatch";
  let description = [{
    The `dietcode` dialect says, in text that diffs and round-trips, what a
    compiler for dynamic shapes has to know and what it has decided:

    - *shape variables* with their ranges, and *workload instances* of them with
      weights (`dietcode.shape_var`, `dietcode.workload`);
    - how the dimensions of a value depend on them (`dietcode.bind_shape`);
    - the *operators* (`dietcode.matmul`, `dietcode.contract`,
      `dietcode.rowwise`);
    - the *micro-kernels* that serve an operator (`dietcode.micro_kernel` with a
      `#dietcode.schedule`), and the *dispatch* among them at run time
      (`dietcode.dispatch`, `dietcode.select`);
    - the *device* that all this is for (`#dietcode.device`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Names the attribute of a module that holds its `#dietcode.device`.
    static constexpr llvm::StringLiteral getDeviceAttrName() {
      return "dietcode.device";
    }
    /// Names the attribute of a function that refers to its workload.
    static constexpr llvm::StringLiteral getWorkloadAttrName() {
      return "dietcode.workload";
    }
  }];
}

class DietCode_Op<string mnemonic, list<Trait> traits = []>
    : Op<DietCode_Dialect, mnemonic, traits>;

#endif // DIETCODE_DIALECT_TD
