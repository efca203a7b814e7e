//===- CheckPasses.td - Passes that refuse what is not right *- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TRANSFORMS_CHECKPASSES_TD
#define DIETCODE_TRANSFORMS_CHECKPASSES_TD

include "mlir/Pass/PassBase.td"

def DietCodeInsertShapeChecksPass : Pass<"dietcode-insert-shape-checks", "ModuleOp"> {
  let summary = "Turn shape bindings into run-time checks";
  let description = [{
    Replaces each `dietcode.bind_shape` by comparisons of the dimensions at run
    time. The first dimension from which the value of a shape variable can be
    read defines it; every other one must agree. A dimension that does not calls
    `dietcodeShapeMismatch` of the runtime with a message that has the location,
    the dimension, its size and the size that was expected. What the types prove
    needs no check. What a `tensor.cast` makes static, that slices end within what
    they are of, and that the operands of a `tensor.concat` are equally long is checked
    as well: code is generated for it.

    With `report-misses`, a call with a shape variable that is out of its range, or
    no multiple of what it was declared to be, is served all the same, but calls
    `dietcodeShapeMiss` of the runtime, which counts it for the next tuning run.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x?xf32>) {
      dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, t + 1)> : tensor<?x?xf32>
      return
    }
    ```

    reads `t` from the first dimension, checks the second, and becomes

    ```mlir
    llvm.func @dietcodeShapeMismatch(!llvm.ptr, i64, i64)
    llvm.mlir.global internal constant @dietcode_shape_message("<stdin>:2:14: dimension 1 of argument 0 of @f does not fit the other operands\00") {addr_space = 0 : i32}
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %t = tensor.dim %x, %c0 : tensor<?x?xf32>
      %c1 = arith.constant 1 : index
      %expected = arith.addi %t, %c1 : index
      %c1_0 = arith.constant 1 : index
      %actual = tensor.dim %x, %c1_0 : tensor<?x?xf32>
      %differs = arith.cmpi ne, %actual, %expected : index
      scf.if %differs {
        %message = llvm.mlir.addressof @dietcode_shape_message : !llvm.ptr
        %0 = arith.index_cast %actual : index to i64
        %1 = arith.index_cast %expected : index to i64
        llvm.call @dietcodeShapeMismatch(%message, %0, %1) : (!llvm.ptr, i64, i64) -> ()
      }
      return
    }
    ```
  }];
  let options = [
    Option<"reportMisses", "report-misses", "bool", "false",
           "Count calls with shapes outside of the declared ranges">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect"];
}

def DietCodeLowerAssertionsPass : Pass<"dietcode-lower-assertions", "ModuleOp"> {
  let summary = "Turn assertions into errors of the runtime";
  let description = [{
    Replaces each `cf.assert` of a function by a call of the runtime's
    `dietcodeAssertionFailed` with the location and the message, so that a program
    fails as it does for shapes that do not fit. What MLIR lowers assertions to ends
    the process.

    Example:

    ```mlir
    func.func @f(%ok: i1) {
      cf.assert %ok, "sizes differ"
      return
    }
    ```

    becomes

    ```mlir
    llvm.func @dietcodeAssertionFailed(!llvm.ptr)
    llvm.mlir.global internal constant @dietcode_assertion("<stdin>:2:3: assertion failed: sizes differ\00") {addr_space = 0 : i32}
    func.func @f(%ok: i1) {
      %true = arith.constant true
      %fails = arith.xori %ok, %true : i1
      scf.if %fails {
        %message = llvm.mlir.addressof @dietcode_assertion : !llvm.ptr
        llvm.call @dietcodeAssertionFailed(%message) : (!llvm.ptr) -> ()
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def DietCodeCheckGeneratedPass : Pass<"dietcode-check-generated", "ModuleOp"> {
  let summary = "Check that kernels are generated and tensors are buffers";
  let description = [{
    What `dietcode-lower-to-llvm` starts from: an operation of the dialect that
    `dietcode-generate-kernels` replaces, and one that works on tensors, is an
    error that names this pipeline. The passes that follow would leave it, or
    fail with a message about something else.

    Example: this passes.

    ```mlir
    func.func @f(%a: memref<?xf32>, %i: index) -> f32 {
      %0 = memref.load %a[%i] : memref<?xf32>
      return %0 : f32
    }
    ```
  }];
}

def DietCodeCheckLoweredPass : Pass<"dietcode-check-lowered", "ModuleOp"> {
  let summary = "Check that only the LLVM dialect and kernels are left";
  let description = [{
    The last word of `dietcode-lower-to-llvm`: an operation that is neither of
    the LLVM dialect or OpenMP's nor a `gpu.binary` or its launch is an error.
    Conversions leave what they do not know, and whoever translates the module
    would only find out there.

    Example: this passes.

    ```mlir
    llvm.func @f(%x: f32) -> f32 {
      llvm.return %x : f32
    }
    ```
  }];
}

#endif // DIETCODE_TRANSFORMS_CHECKPASSES_TD
