//===- Mini.td - A dialect outside of DietCode -------------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MINI_TD
#define MINI_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Pass/PassBase.td"

def Mini_Dialect : Dialect {
  let name = "mini";
  let cppNamespace = "::mini";
}

def Mini_LinearOp : Op<Mini_Dialect, "linear", [Pure]> {
  let summary = "A fully connected layer with a rectifier: max(x w + b, 0)";
  let arguments = (ins 2DTensorOf<[F32]>:$x, 2DTensorOf<[F32]>:$weights,
                       1DTensorOf<[F32]>:$bias);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $x `,` $weights `,` $bias attr-dict
    `:` type($x) `,` type($weights) `,` type($bias) `->` type($result)
  }];
}

def MiniToLinalgPass : Pass<"mini-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the dialect to linalg";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MiniCountKernelsPass : Pass<"mini-count-kernels", "::mlir::ModuleOp"> {
  let summary = "Note on the module how many kernels it ships";
}

#endif // MINI_TD
