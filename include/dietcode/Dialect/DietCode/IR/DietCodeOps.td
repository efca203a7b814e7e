//===- DietCodeOps.td - Operations of the dietcode dialect ---*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_OPS_TD
#define DIETCODE_OPS_TD

include "dietcode/Dialect/DietCode/IR/DietCodeAttrs.td"
include "dietcode/Dialect/DietCode/IR/DietCodeInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

class DietCode_Op<string mnemonic, list<Trait> traits = []>
    : Op<DietCode_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Shapes and workloads
//===----------------------------------------------------------------------===//

def DietCode_ShapeVarOp : DietCode_Op<"shape_var", [Symbol]> {
  let summary = "declares a shape variable";
  let description = [{
    A shape variable is a dimension whose value is known only at run time. It
    lies in the inclusive `range` and is a multiple of `multiple_of` (1 unless
    given). The range steers selection and tuning; values outside of it are
    still served correctly, by the general kernel.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 512] multiple_of 8
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$lower, I64Attr:$upper,
                       DefaultValuedAttr<I64Attr, "1">:$multiple_of);
  let assemblyFormat = [{
    $sym_name `range` ` ` `[` $lower `,` $upper `]` (`multiple_of` $multiple_of^)? attr-dict
  }];
  let hasVerifier = 1;
}

def DietCode_WorkloadOp : DietCode_Op<"workload", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares the instances of a workload that matter, with weights";
  let description = [{
    Each instance gives one value to each of the shape variables. `weights` says
    how much an instance counts; they are all 1 unless given. A function refers
    to its workload with the attribute `dietcode.workload`.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    dietcode.shape_var @H range [64, 1024] multiple_of 64
    dietcode.workload @bert over [@T, @H] instances [[5, 768], [128, 1024]] weights [1.0, 4.0]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "shape variables">:$vars,
                       TypedArrayAttrBase<DenseI64ArrayAttr, "instances">:$instances,
                       OptionalAttr<DenseF64ArrayAttr>:$weights);
  let assemblyFormat = [{
    $sym_name `over` $vars `instances` custom<Instances>($instances)
    (`weights` $weights^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The weight of an instance; 1 if the workload gives none.
    double getWeight(unsigned instance);
  }];
}

def DietCode_BindShapeOp : DietCode_Op<"bind_shape", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "says how the dimensions of a value depend on shape variables";
  let description = [{
    The results of `map` are the dimensions of `value`, its symbols the values
    of `vars`. The compiler learns from it which dynamic dimensions are equal
    and what divides them. At run time it is a check: a value whose dimensions
    do not fit stops the call with one error.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x768xf32>) {
      dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
      return
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$value,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "shape variables">:$vars,
                       AffineMapAttr:$map);
  let assemblyFormat = "$value $vars `,` $map attr-dict `:` type($value)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

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
    padded by the constant. Each dimension occurs at most once in each map, and
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
          outs(%result : memref<?x?x?x24xf32>) maps [#image, #filter, #result]
      return
    }
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$lhs,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$rhs,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$out,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$epilogue_operands,
    AffineMapArrayAttr:$maps, UnitAttr:$accumulate,
    DefaultValuedAttr<AffineMapArrayAttr, "{}">:$epilogue_maps,
    OptionalAttr<FlatSymbolRefAttr>:$dispatch,
    OptionalAttr<TypeAttr>:$sum_type);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? (`sums` `(` $sum_type^ `)`)? (`dispatch` `(` $dispatch^ `)`)?
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $out `:` type($out) `)` `maps` $maps
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
  }];
}

def DietCode_RowwiseOp : DietCode_Op<"rowwise", [
    IsolatedFromAbove, AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<DietCode_ProblemOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "arithmetic on the elements of rows, with reductions of rows";
  let description = [{
    The operator of what is bound by memory: elementwise arithmetic with
    broadcasts, copies and transpositions, reductions over any axis, softmax,
    normalisations. It iterates over *rows*, which the first dimensions `d0` to
    `d(r-1)` number, and over the *columns* of each row, the last dimension. Each
    operand is read or written through its map, a projected permutation of these
    dimensions; one that drops a dimension is broadcast along it.

    The region is given one element of each input, and yields one for each
    output. It holds side effect free scalar arithmetic and
    `dietcode.reduce_row`, and uses nothing from outside of it. A value is
    *uniform* in the row if it comes from reductions, from constants and from
    inputs whose maps drop the column alone. An output whose map drops the column
    is given a uniform value, and is written once for each row.

    Works in destination-passing style on tensors or in place on buffers. Outputs
    are not read. On buffers, an output may be one of the inputs if both are
    accessed through the same map with the column in it; other overlaps of an
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
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    AffineMapArrayAttr:$maps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    `maps` $maps `do` $body attr-dict (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps)>,
  ];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Whether the operator works on buffers in place.
    bool hasPureBufferSemantics() { return getResults().empty(); }
    /// The number of dimensions, of which the last one is the column.
    unsigned getNumDims() {
      return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[0]).getValue().getNumDims();
    }
    unsigned getColumnDim() { return getNumDims() - 1; }
    /// Whether the map of an operand has the column in it.
    bool variesWithColumn(unsigned operand) {
      return getOperandMaps()[operand].isFunctionOfDim(getColumnDim());
    }
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

//===----------------------------------------------------------------------===//
// Micro-kernels and dispatch
//===----------------------------------------------------------------------===//

def DietCode_MicroKernelOp : DietCode_Op<"micro_kernel", [Symbol]> {
  let summary = "a micro-kernel that a dispatch can choose";
  let description = [{
    A tile program that any shape of an operator can be composed from. It is
    sized by the hardware, so it is named by its schedule alone and shared by
    the operators that it serves. `predicted` and `measured` are its throughput
    with the adaption to a shape divided out, in floating-point operations per
    second.

    Example:

    ```mlir
    dietcode.micro_kernel @simt_128x128x8_8x8
        #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> predicted 7.1e12
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DietCode_ScheduleAttr:$schedule,
                       OptionalAttr<F64Attr>:$predicted, OptionalAttr<F64Attr>:$measured);
  let assemblyFormat = [{
    $sym_name qualified($schedule) (`predicted` $predicted^)? (`measured` $measured^)? attr-dict
  }];
}

def DietCode_DispatchOp : DietCode_Op<"dispatch", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "which micro-kernel serves which shape";
  let description = [{
    A table over the dynamic problem dimensions of an operator. The cases are
    boxes (one inclusive interval per dimension) that cover the declared domain
    without gap or overlap, which the verifier proves. A shape outside of the
    domain is served by the `otherwise` kernel, correctly.

    Example:

    ```mlir
    dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
    dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
    dietcode.dispatch @qkv on (m in [16, 2048]) {
      case m in [16, 400] -> @small
      case m in [401, 2048] -> @large
      otherwise -> @large
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims,
                       DenseI64ArrayAttr:$domain, DenseI64ArrayAttr:$boxes,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "micro-kernels">:$kernels,
                       FlatSymbolRefAttr:$otherwise);
  let assemblyFormat = [{
    $sym_name `on` custom<DispatchTable>($dims, $domain, $boxes, $kernels, $otherwise)
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The declared interval of each dimension.
    ::dietcode::Box getDomainBox();
    /// The cases; `kernel` indexes the distinct symbols of `getKernelTable`.
    ::std::vector<::dietcode::DispatchLeaf> getLeaves();
    /// The distinct micro-kernels in order of first use, `otherwise` last
    /// unless a case uses it.
    ::llvm::SmallVector<::mlir::FlatSymbolRefAttr> getKernelTable();
    /// The index in the kernel table of the `otherwise` kernel.
    unsigned getGeneralKernel();
  }];
}

def DietCode_SelectOp : DietCode_Op<"select", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "chooses a micro-kernel for a run-time shape";
  let description = [{
    Gives the index, in the kernel table of the dispatch, of the micro-kernel
    that serves the shape `sizes`, one size per dimension of the dispatch.

    Example:

    ```mlir
    dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
    dietcode.dispatch @qkv on (m in [16, 2048]) {
      case m in [16, 2048] -> @small
      otherwise -> @small
    }
    func.func @f(%m: index) -> index {
      %kernel = dietcode.select @qkv(%m)
      return %kernel : index
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dispatch, Variadic<Index>:$sizes);
  let results = (outs Index:$kernel);
  let assemblyFormat = "$dispatch `(` $sizes `)` attr-dict";
}

#endif // DIETCODE_OPS_TD
