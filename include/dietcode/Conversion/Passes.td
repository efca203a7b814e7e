//===- Passes.td - Conversions from and to the dietcode dialect ---*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_PASSES_TD
#define DIETCODE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToDietCodePass : Pass<"convert-linalg-to-dietcode"> {
  let summary = "Raise linalg contractions to dietcode operators";
  let description = [{
    Turns `linalg.matmul` with any indexing maps and any `linalg.generic` that is
    a contraction of two matrices into `dietcode.matmul`, on tensors and on
    buffers. What an operation computes is read off its indexing maps and its
    body, never off its name; an operation that is not understood is left as it
    is. A contraction or convolution that is left so will run on the host, which
    is a warning that says why. Static sizes of one loop that differ are an
    error: the verifier of linalg stops comparing them once any size is dynamic.

    A destination that is filled with zero is not read; any other is added to
    the product once (`accumulate`). On buffers, the fill is dropped if nothing
    in between can see its zeros. A product that is written transposed is raised
    with its factors exchanged, and transposed factors are read in place.

    Elementwise consumers of the product (bias, activation, residual, scale)
    become its epilogue when it has no other use: any scalar arithmetic on
    elements at `(m, n)` or a projection of it, broadcast or transposed operands
    included, that keeps the element type. On buffers that is done for updates
    in place by operands that provably do not overlap the product.

    Example:

    ```mlir
    func.func @f(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
      %zero = arith.constant 0.0 : f32
      %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
      %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
      return %0 : tensor<?x2304xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
      %0 = dietcode.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
      return %0 : tensor<?x2304xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::dietcode::DietCodeDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertLinalgToRowwisePass : Pass<"convert-linalg-to-rowwise"> {
  let summary = "Raise memory-bound linalg operations to dietcode.rowwise";
  let description = [{
    Turns operations of linalg on tensors that are elementwise, that copy,
    broadcast or transpose, or that reduce some dimensions into
    `dietcode.rowwise`, whatever their name: what they compute is read off their
    indexing maps and bodies. Meant to follow `convert-linalg-to-dietcode`, so
    that epilogues of products are fused there. `linalg.softmax` is decomposed
    first.

    The columns are the dimensions that are reduced, or else the innermost one
    of the result. What a reduction starts from is dropped if it is a fill with the
    neutral element, and otherwise combined with the result. A dimension of size
    one that is indexed by 0, as kept by a reduction, is dropped by a reshape.

    A reduction of several dimensions to a single element is one of the innermost
    dimension and one of its results, since a row has one block of threads; it
    stays one kernel where it is known to be small.

    A `tensor.extract` in a body becomes an input that is looked up, if each of
    its indices is a loop, an element of an operand or a constant, or a loop unless
    the table has one element there, if it is as long as the loop. Its table is
    sliced where loops do not cover it. Assertions in the body are dropped:
    indices are kept within the table.

    Left to loops on the host are operations on buffers, products of matrices
    and convolutions, maps that are not of distinct loops, bodies that compute
    with `linalg.index` or look up at indices that they compute, or without a
    single combining operation, and elements that kernels do not compute with,
    such as bf16. Of those on tensors that are no products, a warning says why.

    Example:

    ```mlir
    func.func @f(%x: tensor<?x768xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x768xf32>) outs(%0 : tensor<?xf32>) {
      ^bb0(%e: f32, %acc: f32):
        %2 = arith.mulf %e, %e : f32
        %3 = arith.addf %acc, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<?x768xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
      %0 = dietcode.rowwise ins(%x : tensor<?x768xf32>) outs(%init : tensor<?xf32>)
          maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>] do {
      ^bb0(%e: f32):
        %1 = arith.mulf %e, %e : f32
        %2 = dietcode.reduce_row add %1 : f32
        dietcode.yield %2 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::dietcode::DietCodeDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertDietCodeToLinalgPass : Pass<"convert-dietcode-to-linalg"> {
  let summary = "Spell dietcode operators as linalg generics";
  let description = [{
    The inverse of `convert-linalg-to-dietcode`: the definition of each operator
    in terms that any MLIR compiler understands. It is what results are checked
    against, and a way to run an operator where there is no GPU.

    A `dietcode.matmul` becomes a `linalg.fill` unless it accumulates, a
    contraction, and an update in place for its epilogue. A `dietcode.rowwise`
    becomes a `linalg.fill` and a reduction for each `dietcode.reduce_row`, then
    elementwise operations for what it writes; what is looked up is read in their
    bodies. What is only known
    about shapes, workloads, micro-kernels and the device is dropped, with the
    symbols that nothing refers to any more. Left alone are operators whose
    factors would have to be narrowed, or be integers that widen, and operators
    on buffers with their destination as an operand of the epilogue.

    Example:

    ```mlir
    func.func @f(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
      %0 = dietcode.matmul accumulate ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
      return %0 : tensor<?x2304xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
      %0 = linalg.generic {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%init : tensor<?x2304xf32>) {
      ^bb0(%x: f32, %y: f32, %sum: f32):
        %1 = arith.mulf %x, %y : f32
        %2 = arith.addf %sum, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<?x2304xf32>
      return %0 : tensor<?x2304xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertDietCodeToGPUPass : Pass<"convert-dietcode-to-gpu", "ModuleOp"> {
  let summary = "Generate micro-kernels and launch them";
  let description = [{
    Replaces each operator on buffers by host code that chooses among the
    micro-kernels of its dispatch (`dietcode.select`) and launches one, and
    generates the kernels into a `gpu.module`. Each schedule is generated twice:
    for operands whose vectors are aligned, and for any strides and offsets.
    Which of the two may run is decided by a test at run time.

    An operator without a dispatch, with an element type that no kernel can be
    generated for, or with a schedule that exceeds a limit of the device is an
    error.

    Example:

    ```mlir
    module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
      dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
      dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
      dietcode.dispatch @f_matmul on (m in [1, 2048]) {
        case m in [1, 400] -> @small
        case m in [401, 2048] -> @large
        otherwise -> @large
      }
      func.func @f(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
        dietcode.matmul dispatch(@f_matmul) ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>)
        return
      }
    }
    ```

    gains four kernels, `@dietcode_kernels::@matmul_{small,large}_{aligned,general}`,
    and in the function, where there was the operator:

    ```
    if (m > 0) {
      aligned = addresses, sizes and strides of %a, %b and %c are multiples of a vector
      switch (dietcode.select @f_matmul(m)) {
      case 0:  launch @matmul_small_aligned or @matmul_small_general
      default: launch @matmul_large_aligned or @matmul_large_general
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ConvertDietCodeDispatchToSCFPass : Pass<"convert-dietcode-dispatch-to-scf", "ModuleOp"> {
  let summary = "Lower dispatch decisions to comparisons";
  let description = [{
    Replaces each `dietcode.select` by a decision tree of `scf.if` over the
    run-time sizes, and erases the symbols that nothing refers to any more.

    Example:

    ```mlir
    dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
    dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
    dietcode.dispatch @f_matmul on (m in [16, 2048]) {
      case m in [16, 400] -> @small
      case m in [401, 2048] -> @large
      otherwise -> @large
    }
    func.func @f(%m: index) -> index {
      %kernel = dietcode.select @f_matmul(%m)
      return %kernel : index
    }
    ```

    becomes

    ```mlir
    func.func @f(%m: index) -> index {
      %true = arith.constant true
      %c16 = arith.constant 16 : index
      %above = arith.cmpi sge, %m, %c16 : index
      %c2048 = arith.constant 2048 : index
      %below = arith.cmpi sle, %m, %c2048 : index
      %inside = arith.andi %above, %below : i1
      %kernel = scf.if %inside -> (index) {
        %c400 = arith.constant 400 : index
        %left = arith.cmpi sle, %m, %c400 : index
        %chosen = scf.if %left -> (index) {
          %c0 = arith.constant 0 : index
          scf.yield %c0 : index
        } else {
          %c1 = arith.constant 1 : index
          scf.yield %c1 : index
        }
        scf.yield %chosen : index
      } else {
        %c1 = arith.constant 1 : index
        scf.yield %c1 : index
      }
      return %kernel : index
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // DIETCODE_CONVERSION_PASSES_TD
