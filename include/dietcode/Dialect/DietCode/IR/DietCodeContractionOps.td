//===- DietCodeContractionOps.td - Sums of products --------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONTRACTION_OPS_TD
#define DIETCODE_CONTRACTION_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeDialect.td"
include "dietcode/Dialect/DietCode/IR/DietCodeInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def DietCode_MatmulOp : DietCode_Op<"matmul", [
    IsolatedFromAbove, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<DietCode_ProblemOpInterface>,
    DeclareOpInterfaceMethods<DietCode_OperatorOpInterface>,
    DietCode_ContractionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TilingInterface, [
      "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
      "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "matrix product with a fused epilogue";
  let description = [{
    Computes `C[m, n] = epilogue(sum over k of A[m, k] * B[k, n])` into `outs`,
    in destination-passing style on tensors or in place on buffers. `A` is `m x
    k`, or `k x m` with `transpose_a`; `B` is `k x n`, or `n x k` with
    `transpose_b`. With `accumulate` the initial contents of `outs` are added to
    the sum, once; without, they are not read. An empty `k` gives a sum of zero.

    Products are summed up in 32 bits at least, whatever is written: floats
    narrower than f32 in f32, integers narrower than i32, which are signed, in
    i32, others in the wider of the types of the factors and of `outs`. `sums`
    states another type, such as f16 for sums of f16, which are faster and less
    accurate. A product in f16 that was raised from `linalg` is summed up in f32
    as well. Initial contents of `outs` are converted to the type of the sums,
    and the sum to that of `outs`, once.

    The `epilogue` is applied to each element before it is written. The first
    argument of its region is the sum, of the type of the sums, or rounded to
    that of `outs`, and the region yields what is written. The others are
    elements of the epilogue's operands, each read through its map from `(m, n)`. It may hold any side
    effect free scalar arithmetic, and uses nothing from outside of it: a scalar
    is passed as an operand of rank zero with the map `(m, n) -> ()`.

    Example, a transposed product with bias and ReLU:

    ```mlir
    func.func @dense(%x: tensor<?x768xf32>, %w: tensor<2304x768xf32>,
                     %bias: tensor<2304xf32>, %init: tensor<?x2304xf32>)
        -> tensor<?x2304xf32> {
      %y = dietcode.matmul transpose_b
          ins(%x, %w : tensor<?x768xf32>, tensor<2304x768xf32>)
          outs(%init : tensor<?x2304xf32>)
          epilogue(%bias : tensor<2304xf32>) maps [affine_map<(m, n) -> (n)>] do {
      ^bb0(%sum: f32, %b: f32):
        %zero = arith.constant 0.0 : f32
        %0 = arith.addf %sum, %b : f32
        %1 = arith.maximumf %0, %zero : f32
        dietcode.yield %1 : f32
      } -> tensor<?x2304xf32>
      return %y : tensor<?x2304xf32>
    }
    ```

    `dispatch` refers to the `dietcode.dispatch` that serves the operator, once
    micro-kernels have been selected.
  }];
  let arguments = (ins
    AnyTypeOf<[2DTensorOf<[AnyType]>, MemRefRankOf<[AnyType], [2]>]>:$lhs,
    AnyTypeOf<[2DTensorOf<[AnyType]>, MemRefRankOf<[AnyType], [2]>]>:$rhs,
    AnyTypeOf<[2DTensorOf<[AnyType]>, MemRefRankOf<[AnyType], [2]>]>:$out,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$epilogue_operands,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$accumulate,
    DefaultValuedAttr<AffineMapArrayAttr, "{}">:$epilogue_maps,
    OptionalAttr<FlatSymbolRefAttr>:$dispatch,
    OptionalAttr<TypeAttr>:$sum_type);
  let results = (outs Variadic<2DTensorOf<[AnyType]>>:$results);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    (`accumulate` $accumulate^)? (`sums` `(` $sum_type^ `)`)? (`dispatch` `(` $dispatch^ `)`)?
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $out `:` type($out) `)`
    (`epilogue` `(` $epilogue_operands^ `:` type($epilogue_operands) `)` `maps` $epilogue_maps)?
    (`do` $epilogue^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The problem dimensions, in the order of `getProblemDimNames`.
    enum ProblemDim : unsigned { M = 0, N = 1, K = 2 };

    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    /// Whether the operator works on buffers in place.
    bool hasPureBufferSemantics() { return getResults().empty(); }
  }];
}

def DietCode_ContractOp : DietCode_Op<"contract", [
    IsolatedFromAbove, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<DietCode_ProblemOpInterface>,
    DeclareOpInterfaceMethods<DietCode_OperatorOpInterface>,
    DietCode_ContractionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "sum of products with any access to its operands";
  let description = [{
    The general form of `dietcode.matmul`: batches of products, convolutions,
    products with several dimensions of a kind. `maps` gives, for `lhs`, `rhs`
    and `out`, the element that a point of the iteration space reads or writes.
    What is written is `epilogue(sum of lhs * rhs)` over the dimensions that
    `out` does not depend on, as for `dietcode.matmul`; so is the type of the
    sums.

    `out` is accessed through a projected permutation. A dimension of `lhs` or
    `rhs` is a dimension of the iteration space, or a *window*: a sum of them
    with positive factors, and a constant. Along a window an operand has any
    extent, and **what lies outside of it reads as zero**: a convolution is
    padded by the constant. `padding` gives for each window of `lhs`, and then of
    `rhs`, how many zeros there are behind the operand; shape checks make an error
    of it where more are read, as of an image that is too small. Without it, zeros
    have no end. Each dimension occurs at most once in each map, and
    as it is in at least one. It is one of those of `b` (it is in all three
    maps), `m` (not in that of `rhs`), `n` (not in that of `lhs`) or `k` (not in
    that of `out`). The epilogue reads its operands through projected
    permutations of the dimensions of `out`.

    Example, a product for each batch with one `rhs` for all, and a convolution
    with a 3x3 filter, a stride of 2 and a padding of 1:

    ```mlir
    #a = affine_map<(b, m, n, k) -> (b, m, k)>
    #b = affine_map<(b, m, n, k) -> (k, n)>
    #c = affine_map<(b, m, n, k) -> (b, m, n)>
    #image = affine_map<(i, y, x, f, fy, fx, c) -> (i, 2 * y + fy - 1, 2 * x + fx - 1, c)>
    #filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
    #result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
    func.func @f(%a: memref<?x?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x?x32xf32>,
                 %image: memref<?x?x?x16xf32>, %filter: memref<3x3x16x24xf32>,
                 %result: memref<?x?x?x24xf32>) {
      dietcode.contract ins(%a, %b : memref<?x?x64xf32>, memref<64x32xf32>)
          outs(%c : memref<?x?x32xf32>) maps [#a, #b, #c]
      dietcode.contract ins(%image, %filter : memref<?x?x?x16xf32>, memref<3x3x16x24xf32>)
          outs(%result : memref<?x?x?x24xf32>) maps [#image, #filter, #result] padding [1, 1]
      return
    }
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$lhs,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$rhs,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$out,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$epilogue_operands,
    AffineMapArrayAttr:$maps, OptionalAttr<DenseI64ArrayAttr>:$padding,
    UnitAttr:$accumulate,
    DefaultValuedAttr<AffineMapArrayAttr, "{}">:$epilogue_maps,
    OptionalAttr<FlatSymbolRefAttr>:$dispatch,
    OptionalAttr<TypeAttr>:$sum_type);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? (`sums` `(` $sum_type^ `)`)? (`dispatch` `(` $dispatch^ `)`)?
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $out `:` type($out) `)` `maps` $maps (`padding` $padding^)?
    (`epilogue` `(` $epilogue_operands^ `:` type($epilogue_operands) `)` `maps` $epilogue_maps)?
    (`do` $epilogue^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    /// Whether the operator works on buffers in place.
    bool hasPureBufferSemantics() { return getResults().empty(); }
    /// The windows of `lhs` and then those of `rhs`.
    ::llvm::SmallVector<::mlir::dietcode::WindowDim> getWindows() {
      return ::mlir::dietcode::contraction_impl::getWindows(getOperandMaps());
    }
  }];
}

#endif // DIETCODE_CONTRACTION_OPS_TD
