//===- DietCodeRowwiseOps.td - Arithmetic on rows ----------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ROWWISE_OPS_TD
#define DIETCODE_ROWWISE_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeDialect.td"
include "dietcode/Dialect/DietCode/IR/DietCodeInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DietCode_RowwiseOp : DietCode_Op<"rowwise", [
    IsolatedFromAbove, AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<DietCode_ProblemOpInterface>,
    DeclareOpInterfaceMethods<DietCode_OperatorOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "arithmetic on the elements of rows, with reductions of rows";
  let description = [{
    The operator of what is bound by memory: elementwise arithmetic with
    broadcasts, copies and transpositions, reductions over any axis, softmax,
    normalisations. It iterates over *rows*, which the first dimensions number,
    and over the *columns* of each row, which the last `columns` dimensions
    number, one unless it is said, the last one fastest. Each operand is read or
    written through its map, a projected permutation of these dimensions; one
    that drops a dimension is broadcast along it.

    A dimension of an input may also be a symbol: symbol `s0` is the element of
    input 0, `s1` that of input 1, an integer that says which element is *looked
    up*, as in a table of embeddings. An index outside of the dimension counts as
    the nearest one inside, so that nothing else is read; of a dimension without
    elements zero is read.

    The region is given one element of each input, and yields one for each
    output. It holds side effect free scalar arithmetic and
    `dietcode.reduce_row`, and uses nothing from outside of it. A value is
    *uniform* in the row if it comes from reductions, from constants and from
    inputs whose maps drop the columns alone. An output whose map drops the
    columns, which it has all of or none, is given a uniform value, and is written
    once for each row.

    The tiled dimensions are the rows, `m`, and the columns, `n`. `dispatch` refers
    to the `dietcode.dispatch` over them that serves the operator, once one was
    selected.

    Works in destination-passing style on tensors or in place on buffers. Outputs
    are not read. On buffers, an output may be one of the inputs if both are
    accessed through the same map with the columns in it; other overlaps of an
    output are not allowed.

    Example, the softmax of the rows of a matrix:

    ```mlir
    #element = affine_map<(row, column) -> (row, column)>
    func.func @softmax(%x: tensor<?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %y = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%init : tensor<?x?xf32>)
          maps [#element, #element] do {
      ^bb0(%e: f32):
        %max = dietcode.reduce_row maximumf %e : f32
        %0 = arith.subf %e, %max : f32
        %1 = math.exp %0 : f32
        %sum = dietcode.reduce_row add %1 : f32
        %2 = arith.divf %1, %sum : f32
        dietcode.yield %2 : f32
      } -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    and the sums of the channels of images in NHWC:

    ```mlir
    func.func @sums(%x: tensor<?x?x?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %y = dietcode.rowwise ins(%x : tensor<?x?x?x?xf32>) outs(%init : tensor<?x?xf32>) columns(2)
          maps [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (n, c)>] do {
      ^bb0(%e: f32):
        %sum = dietcode.reduce_row add %e : f32
        dietcode.yield %sum : f32
      } -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    and the embeddings of tokens, with that of their position added:

    ```mlir
    func.func @embed(%ids: tensor<?x?xi64>, %table: tensor<30522x768xf32>, %position: tensor<?x768xf32>,
                     %init: tensor<?x?x768xf32>) -> tensor<?x?x768xf32> {
      %y = dietcode.rowwise ins(%ids, %table, %position : tensor<?x?xi64>, tensor<30522x768xf32>, tensor<?x768xf32>)
          outs(%init : tensor<?x?x768xf32>)
          maps [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c)[id] -> (id, c)>,
                affine_map<(b, t, c) -> (t, c)>, affine_map<(b, t, c) -> (b, t, c)>] do {
      ^bb0(%id: i64, %e: f32, %p: f32):
        %0 = arith.addf %e, %p : f32
        dietcode.yield %0 : f32
      } -> tensor<?x?x768xf32>
      return %y : tensor<?x?x768xf32>
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$columns,
    AffineMapArrayAttr:$maps,
    OptionalAttr<FlatSymbolRefAttr>:$dispatch);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`dispatch` `(` $dispatch^ `)`)? (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`columns` `(` $columns^ `)`)?
    `maps` $maps `do` $body attr-dict (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs,
                   "unsigned":$columns, "::llvm::ArrayRef<::mlir::AffineMap>":$maps)>,
  ];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Whether the operator works on buffers in place.
    bool hasPureBufferSemantics() { return getResults().empty(); }
    /// The number of dimensions: those of the rows, then those of the columns.
    unsigned getNumDims() {
      return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[0]).getValue().getNumDims();
    }
    unsigned getNumRowDims() { return getNumDims() - getColumns(); }
    auto getRowDims() { return ::llvm::seq<unsigned>(0, getNumRowDims()); }
    auto getColumnDims() { return ::llvm::seq<unsigned>(getNumRowDims(), getNumDims()); }
    /// Whether an operand is accessed at different elements in different columns.
    bool variesWithColumn(unsigned operand);
    /// The dimensions of an operand that are indexed by elements of inputs.
    ::llvm::SmallVector<Lookup> getLookups(unsigned operand);
    /// Whether elements of an input are indices of another one.
    bool isIndex(unsigned input);
    /// `map` with the symbol of each input as that of input `inputs[i]`.
    static ::mlir::AffineMap renumberInputs(::mlir::AffineMap map,
                                            ::llvm::ArrayRef<unsigned> inputs);
    /// Whether aligned kernels access `operand` in vectors along the columns. The
    /// column must then have stride one and an extent that is a multiple of the
    /// vector, the other strides must be multiples too, and the operand must
    /// start at an address aligned to a vector.
    bool isVectorized(unsigned operand);
    /// What schedules depend on.
    ::dietcode::RowTraits getRowTraits();
    /// The values of the region that are the same in all columns of a row.
    ::llvm::DenseSet<::mlir::Value> getUniformValues();
    ::mlir::dietcode::YieldOp getYield();
    /// Whether kernels can be generated for values of `type`: what the PTX of
    /// every chip loads, stores and computes with.
    static bool isKernelType(::mlir::Type type);
  }];
}

class DietCode_RowReductionCase<string name, int value, string spelling>
    : I32EnumAttrCase<name, value, spelling>;

def DietCode_RowReduction : I32EnumAttr<"RowReduction", "how the elements of a row are combined", [
    DietCode_RowReductionCase<"Add", 0, "add">,
    DietCode_RowReductionCase<"Mul", 1, "mul">,
    DietCode_RowReductionCase<"MaximumF", 2, "maximumf">,
    DietCode_RowReductionCase<"MinimumF", 3, "minimumf">,
    DietCode_RowReductionCase<"MaxNumF", 4, "maxnumf">,
    DietCode_RowReductionCase<"MinNumF", 5, "minnumf">,
    DietCode_RowReductionCase<"MaxSI", 6, "maxsi">,
    DietCode_RowReductionCase<"MinSI", 7, "minsi">,
    DietCode_RowReductionCase<"MaxUI", 8, "maxui">,
    DietCode_RowReductionCase<"MinUI", 9, "minui">,
    DietCode_RowReductionCase<"And", 10, "and">,
    DietCode_RowReductionCase<"Or", 11, "or">,
    DietCode_RowReductionCase<"Xor", 12, "xor">]> {
  let cppNamespace = "::mlir::dietcode";
  let genSpecializedAttr = 0;
}

def DietCode_RowReductionAttr : EnumAttr<DietCode_Dialect, DietCode_RowReduction, "row_reduction"> {
  let summary = "How the elements of a row are combined";
  let description = [{
    The kind of a `dietcode.reduce_row`. The operations of `arith` that combine
    two elements are, of floats, `addf`, `mulf`, `maximumf`, `minimumf`,
    `maxnumf` and `minnumf`, and of integers `addi`, `muli`, `maxsi`, `minsi`,
    `maxui`, `minui`, `andi`, `ori` and `xori`.

    Example:

    ```mlir
    func.func @any(%x: memref<?x?xi1>, %y: memref<?xi1>) {
      dietcode.rowwise ins(%x : memref<?x?xi1>) outs(%y : memref<?xi1>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] do {
      ^bb0(%e: i1):
        %0 = dietcode.reduce_row or %e : i1
        dietcode.yield %0 : i1
      }
      return
    }
    ```
  }];
}

def DietCode_ReduceRowOp : DietCode_Op<"reduce_row", [
    Pure, SameOperandsAndResultType, HasParent<"RowwiseOp">]> {
  let summary = "combines the values of all columns of a row";
  let description = [{
    Gives the combination of what `value` is in the columns of the row, the same
    in all of them. The order in which floats are combined is not specified, but
    does not differ from run to run. Without columns, the result is the neutral
    element of the kind: 0, 1, an infinity, a NaN for `maxnumf` and `minnumf`, or
    the least or greatest integer.

    Example, the sum and the largest element of the columns of a matrix:

    ```mlir
    func.func @columns(%x: memref<128x?xf32>, %sum: memref<?xf32>, %max: memref<?xf32>) {
      dietcode.rowwise ins(%x : memref<128x?xf32>) outs(%sum, %max : memref<?xf32>, memref<?xf32>)
          maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>,
                affine_map<(d0, d1) -> (d0)>] do {
      ^bb0(%e: f32):
        %0 = dietcode.reduce_row add %e : f32
        %1 = dietcode.reduce_row maximumf %e : f32
        dietcode.yield %0, %1 : f32, f32
      }
      return
    }
    ```
  }];
  let arguments = (ins DietCode_RowReductionAttr:$kind, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $kind $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // DIETCODE_ROWWISE_OPS_TD
