//===- DietCodeOps.td - Operations of the dietcode dialect ---*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_OPS_TD
#define DIETCODE_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeContractionOps.td"
include "dietcode/Dialect/DietCode/IR/DietCodeDispatchOps.td"
include "dietcode/Dialect/DietCode/IR/DietCodeRowwiseOps.td"
include "dietcode/Dialect/DietCode/IR/DietCodeShapeOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DietCode_YieldOp : DietCode_Op<"yield", [Pure, ReturnLike, Terminator,
                                             ParentOneOf<["MatmulOp", "ContractOp", "RowwiseOp"]>]> {
  let summary = "gives the values of the elements to write";
  let description = [{
    Ends the region of an epilogue with the element to write, and that of a
    `dietcode.rowwise` with one for each output.

    Example:

    ```mlir
    func.func @half(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
      dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>) do {
      ^bb0(%sum: f32):
        %half = arith.constant 0.5 : f32
        %0 = arith.mulf %sum, %half : f32
        dietcode.yield %0 : f32
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let extraClassDeclaration = [{
    /// The value of an epilogue, which has one.
    ::mlir::Value getValue() { return getValues().front(); }
  }];
}

#endif // DIETCODE_OPS_TD
