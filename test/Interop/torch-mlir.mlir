// Programs as torch-mlir leaves them for its linalg-on-tensors back end, with all
// checkers on and against a reference in double precision: sizes that go through
// i64, assertions about them, views as collapse and expand, decompositions with
// several generics, several results, and what the module has around functions.
//
// RUN: dietcode-run %s --entry linear --check --arg-shapes 2x5x48,80x48,80 --arg-shapes 1x1x48,80x48,80 --arg-shapes 3x43x48,80x48,80 --arg-shapes 0x5x48,80x48,80 | FileCheck %s --check-prefix=LINEAR
// The bias and gelu are the epilogue of the product, the transposition its layout.
// LINEAR: 2x5x48,80x48,80 {{ *}}simt_{{.*}} 1 
// LINEAR: 0x5x48,80x48,80 {{ *}}none
//
// RUN: dietcode-run %s --entry mm --check --arg-shapes 7x9,9x11 --arg-shapes 64x65,65x66
// RUN: not dietcode-run %s --entry mm --check --arg-shapes 7x9,8x11 2>&1 | FileCheck %s --check-prefix=MM
// MM: torch-mlir.mlir:{{[0-9]+:[0-9]+}}: error: 7x9,8x11: dimension 0 of argument 1 of @mm does not fit the other operands: got 8, expected 9
// RUN: dietcode-run %s --entry add --check --arg-shapes 5x8,5x8
// RUN: dietcode-run %s --entry layer_norm --check --arg-shapes 2x3x64,64,64 --arg-shapes 1x1x64,64,64 --arg-shapes 4x33x64,64,64
// RUN: dietcode-run %s --entry rms_norm --check --arg-shapes 2x3x64,64 --arg-shapes 1x1x64,64 2>&1 | FileCheck %s --check-prefix=NORM --implicit-check-not=host
// NORM: 2x3x64,64 {{ *}}simt_{{.*}}_rows aligned {{ *}}1 
// RUN: dietcode-run %s --entry repeat_heads --check --tolerance 0 --arg-shapes 2x3x32 --arg-shapes 1x1x32 --arg-shapes 3x33x32 2>&1 | FileCheck %s --check-prefix=REPEAT --implicit-check-not=host
// REPEAT: 2x3x32 {{ *}}simt_
// RUN: dietcode-run %s --entry bmm --check --arg-shapes 2x5x32,2x32x7 --arg-shapes 3x33x32,3x32x64
// RUN: dietcode-run %s --entry conv --check --arg-shapes 2x3x7x9,8x3x3x3,8 --arg-shapes 1x3x1x1,8x3x3x3,8
// RUN: dietcode-run %s --entry softmax --check --arg-shapes 3x7 --arg-shapes 33x129
// RUN: dietcode-run %s --entry cat --check --tolerance 0 --arg-shapes 3x8,5x8 --arg-shapes 0x8,5x8
// RUN: dietcode-run %s --entry seed --check --tolerance 0 --arg-shapes 6
//
// What only an assertion says ends the call where it stands, as one error.
// RUN: dietcode-run %s --entry even --check --tolerance 0 --arg-shapes 4
// RUN: not dietcode-run %s --entry even --check --arg-shapes 5 2>&1 | FileCheck %s --check-prefix=EVEN --implicit-check-not=error
// EVEN: torch-mlir.mlir:{{[0-9]+}}:3: error: 5: assertion failed: size must be even
//
// The whole module as one, as compilers run it: nothing of torch-mlir's is left.
// RUN: dietcode-opt %s --dietcode-to-llvm="max-kernels=1" | FileCheck %s --check-prefix=LLVM
// LLVM: gpu.binary @dietcode_kernels
// LLVM: llvm.func @linear
// LLVM-NOT: cf.assert
// LLVM-NOT: ml_program

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>

// torch.nn.Linear on [batch, tokens, features], then gelu's erf, then a view back.
func.func @linear(%arg0: tensor<?x?x48xf32>, %arg1: tensor<80x48xf32>, %arg2: tensor<80xf32>) -> tensor<?x?x80xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 5.000000e-01 : f32
  %cst_2 = arith.constant 1.41421354 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.empty() : tensor<48x80xf32>
  %transposed = linalg.transpose ins(%arg1 : tensor<80x48xf32>) outs(%0 : tensor<48x80xf32>) permutation = [1, 0]
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x48xf32>
  %dim_3 = tensor.dim %arg0, %c1 : tensor<?x?x48xf32>
  %1 = arith.index_cast %dim : index to i64
  %2 = arith.index_cast %dim_3 : index to i64
  %3 = arith.muli %1, %2 : i64
  %4 = arith.index_cast %3 : i64 to index
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<?x?x48xf32> into tensor<?x48xf32>
  %5 = tensor.empty(%4) : tensor<?x80xf32>
  %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<?x80xf32>) -> tensor<?x80xf32>
  %cast = tensor.cast %collapsed : tensor<?x48xf32> to tensor<?x48xf32>
  %7 = linalg.matmul ins(%cast, %transposed : tensor<?x48xf32>, tensor<48x80xf32>) outs(%6 : tensor<?x80xf32>) -> tensor<?x80xf32>
  %8 = tensor.empty(%4) : tensor<?x80xf32>
  %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %arg2 : tensor<?x80xf32>, tensor<80xf32>) outs(%8 : tensor<?x80xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %12 = arith.addf %in, %in_4 : f32
    linalg.yield %12 : f32
  } -> tensor<?x80xf32>
  %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<?x80xf32>) outs(%8 : tensor<?x80xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = arith.divf %in, %cst_2 : f32
    %13 = math.erf %12 : f32
    %14 = arith.addf %13, %cst_0 : f32
    %15 = arith.mulf %14, %cst_1 : f32
    %16 = arith.mulf %in, %15 : f32
    linalg.yield %16 : f32
  } -> tensor<?x80xf32>
  %expanded = tensor.expand_shape %10 [[0, 1], [2]] output_shape [%dim, %dim_3, 80] : tensor<?x80xf32> into tensor<?x?x80xf32>
  return %expanded : tensor<?x?x80xf32>
}

// torch.matmul of two operands with unknown sizes, with the assertions that
// torch-mlir writes, through i64.
func.func @mm(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
  %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
  %dim_1 = tensor.dim %arg1, %c0 : tensor<?x?xf32>
  %dim_2 = tensor.dim %arg1, %c1 : tensor<?x?xf32>
  %0 = arith.cmpi eq, %dim_0, %dim_1 : index
  cf.assert %0, "mismatching contracting dimension for torch.aten.mm"
  %1 = tensor.empty(%dim, %dim_2) : tensor<?x?xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = linalg.matmul ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// Broadcasting addition of sizes that may be equal, asserted through i64.
func.func @add(%arg0: tensor<?x8xf32>, %arg1: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c2_i64 = arith.constant 2 : i64
  %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
  %dim_0 = tensor.dim %arg1, %c0 : tensor<?x8xf32>
  %0 = arith.index_cast %dim : index to i64
  %1 = arith.index_cast %dim_0 : index to i64
  %2 = arith.cmpi eq, %0, %1 : i64
  cf.assert %2, "mismatched size for broadcast"
  %3 = tensor.empty(%dim) : tensor<?x8xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%3 : tensor<?x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.sitofp %c2_i64 : i64 to f32
    %6 = arith.mulf %in_1, %5 : f32
    %7 = arith.addf %in, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// torch.layer_norm as torch-mlir decomposes it: sums, divisions by the size as
// f32 from i64, rsqrt, gamma, beta. Two results: it, and the mean.
func.func @layer_norm(%arg0: tensor<?x?x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<?x?x64xf32>, tensor<?x?x1xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 6.400000e+01 : f32
  %cst_1 = arith.constant 1.000000e-05 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x64xf32>
  %dim_2 = tensor.dim %arg0, %c1 : tensor<?x?x64xf32>
  %0 = tensor.empty(%dim, %dim_2) : tensor<?x?x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %2 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<?x?x64xf32>) outs(%1 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.addf %in, %out : f32
    linalg.yield %10 : f32
  } -> tensor<?x?x1xf32>
  %3 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<?x?x1xf32>) outs(%0 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.divf %in, %cst_0 : f32
    linalg.yield %10 : f32
  } -> tensor<?x?x1xf32>
  %4 = tensor.empty(%dim, %dim_2) : tensor<?x?x64xf32>
  %5 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<?x?x64xf32>, tensor<?x?x1xf32>) outs(%4 : tensor<?x?x64xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %10 = arith.subf %in, %in_3 : f32
    linalg.yield %10 : f32
  } -> tensor<?x?x64xf32>
  %6 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<?x?x64xf32>) outs(%1 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.mulf %in, %in : f32
    %11 = arith.addf %10, %out : f32
    linalg.yield %11 : f32
  } -> tensor<?x?x1xf32>
  %7 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<?x?x1xf32>) outs(%0 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.divf %in, %cst_0 : f32
    %11 = arith.truncf %cst_1 : f64 to f32
    %12 = arith.addf %10, %11 : f32
    %13 = math.rsqrt %12 : f32
    linalg.yield %13 : f32
  } -> tensor<?x?x1xf32>
  %8 = linalg.generic {indexing_maps = [#map3, #map5, #map4, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %7, %arg1, %arg2 : tensor<?x?x64xf32>, tensor<?x?x1xf32>, tensor<64xf32>, tensor<64xf32>) outs(%4 : tensor<?x?x64xf32>) {
  ^bb0(%in: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32):
    %10 = arith.mulf %in, %in_3 : f32
    %11 = arith.mulf %10, %in_4 : f32
    %12 = arith.addf %11, %in_5 : f32
    linalg.yield %12 : f32
  } -> tensor<?x?x64xf32>
  return %8, %3 : tensor<?x?x64xf32>, tensor<?x?x1xf32>
}

// x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight, whose mean is
// expanded by a lookup that looks for extents of one at run time.
func.func @rms_norm(%arg0: tensor<?x?x64xf32>, %arg1: tensor<64xf32>) -> tensor<?x?x64xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 6.400000e+01 : f32
  %cst_1 = arith.constant 9.99999997E-7 : f32
  %c2_i64 = arith.constant 2 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x64xf32>
  %dim_2 = tensor.dim %arg0, %c1 : tensor<?x?x64xf32>
  %0 = tensor.empty(%dim, %dim_2) : tensor<?x?x64xf32>
  %1 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x?x64xf32>) outs(%0 : tensor<?x?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.fpowi %in, %c2_i64 : f32, i64
    linalg.yield %7 : f32
  } -> tensor<?x?x64xf32>
  %2 = tensor.empty(%dim, %dim_2) : tensor<?x?x1xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %4 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<?x?x64xf32>) outs(%3 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.addf %in, %out : f32
    linalg.yield %7 : f32
  } -> tensor<?x?x1xf32>
  %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<?x?x1xf32>) outs(%2 : tensor<?x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.divf %in, %cst_0 : f32
    %8 = arith.addf %7, %cst_1 : f32
    %9 = math.rsqrt %8 : f32
    linalg.yield %9 : f32
  } -> tensor<?x?x1xf32>
  %expanded = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%0 : tensor<?x?x64xf32>) {
  ^bb0(%out: f32):
    %7 = linalg.index 0 : index
    %8 = linalg.index 1 : index
    %9 = arith.cmpi eq, %dim, %c1 : index
    %10 = arith.select %9, %c0, %7 : index
    %11 = arith.cmpi eq, %dim_2, %c1 : index
    %12 = arith.select %11, %c0, %8 : index
    %extracted = tensor.extract %5[%10, %12, %c0] : tensor<?x?x1xf32>
    linalg.yield %extracted : f32
  } -> tensor<?x?x64xf32>
  %6 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded, %arg1 : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<64xf32>) outs(%0 : tensor<?x?x64xf32>) {
  ^bb0(%in: f32, %in_3: f32, %in_4: f32, %out: f32):
    %7 = arith.mulf %in, %in_3 : f32
    %8 = arith.mulf %7, %in_4 : f32
    linalg.yield %8 : f32
  } -> tensor<?x?x64xf32>
  return %6 : tensor<?x?x64xf32>
}

// x.view(B, T, 2, 16)[:, :, :, None].expand(B, T, 2, 3, 16): the sizes of the view
// might be -1, as far as their computation says.
func.func @repeat_heads(%arg0: tensor<?x?x32xf32>) -> tensor<?x?x2x3x16xf32> {
  %c32_i64 = arith.constant 32 : i64
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c2_i64 = arith.constant 2 : i64
  %c16_i64 = arith.constant 16 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x32xf32>
  %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x32xf32>
  %0 = arith.index_cast %dim : index to i64
  %1 = arith.index_cast %dim_0 : index to i64
  %2 = arith.cmpi slt, %0, %c0_i64 : i64
  %3 = arith.select %2, %c1_i64, %0 : i64
  %4 = arith.muli %3, %1 : i64
  %5 = arith.muli %4, %c32_i64 : i64
  %6 = arith.muli %0, %1 : i64
  %7 = arith.muli %6, %c32_i64 : i64
  %8 = arith.divsi %7, %5 : i64
  %9 = arith.select %2, %8, %0 : i64
  %from_elements = tensor.from_elements %9, %1, %c2_i64, %c16_i64 : tensor<4xi64>
  %reshape = tensor.reshape %arg0(%from_elements) : (tensor<?x?x32xf32>, tensor<4xi64>) -> tensor<?x?x2x16xf32>
  %10 = arith.index_cast %9 : i64 to index
  %expanded = tensor.expand_shape %reshape [[0], [1], [2, 3], [4]] output_shape [%10, %dim_0, 2, 1, 16] : tensor<?x?x2x16xf32> into tensor<?x?x2x1x16xf32>
  %11 = tensor.empty(%dim, %dim_0) : tensor<?x?x2x3x16xf32>
  %12 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%11 : tensor<?x?x2x3x16xf32>) {
  ^bb0(%out: f32):
    %13 = linalg.index 0 : index
    %14 = linalg.index 1 : index
    %15 = linalg.index 2 : index
    %16 = linalg.index 4 : index
    %17 = arith.cmpi eq, %10, %c1 : index
    %18 = arith.select %17, %c0, %13 : index
    %19 = arith.cmpi eq, %dim_0, %c1 : index
    %20 = arith.select %19, %c0, %14 : index
    %extracted = tensor.extract %expanded[%18, %20, %15, %c0, %16] : tensor<?x?x2x1x16xf32>
    linalg.yield %extracted : f32
  } -> tensor<?x?x2x3x16xf32>
  return %12 : tensor<?x?x2x3x16xf32>
}

// torch.bmm and a transposition of its result.
func.func @bmm(%arg0: tensor<?x?x32xf32>, %arg1: tensor<?x32x?xf32>) -> tensor<?x?x?xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x32xf32>
  %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x32xf32>
  %dim_1 = tensor.dim %arg1, %c0 : tensor<?x32x?xf32>
  %dim_2 = tensor.dim %arg1, %c2 : tensor<?x32x?xf32>
  %0 = arith.cmpi eq, %dim, %dim_1 : index
  cf.assert %0, "mismatching contracting dimension"
  %1 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x?x?xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %3 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<?x?x32xf32>, tensor<?x32x?xf32>) outs(%2 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %4 = tensor.empty(%dim, %dim_2, %dim_0) : tensor<?x?x?xf32>
  %transposed = linalg.transpose ins(%3 : tensor<?x?x?xf32>) outs(%4 : tensor<?x?x?xf32>) permutation = [0, 2, 1]
  return %transposed : tensor<?x?x?xf32>
}

// A size that the program must not get, by an assertion that no shape says.
func.func @even(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2_i64 = arith.constant 2 : i64
  %c0_i64 = arith.constant 0 : i64
  %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
  %0 = arith.index_cast %dim : index to i64
  %1 = arith.remsi %0, %c2_i64 : i64
  %2 = arith.cmpi eq, %1, %c0_i64 : i64
  cf.assert %2, "size must be even"
  %3 = tensor.empty(%dim) : tensor<?xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%arg0 : tensor<?xf32>) outs(%3 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.negf %in : f32
    linalg.yield %5 : f32
  } -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// torch.conv2d with its padding, sizes that go through i64 and back, the bias as
// what is added to, and relu.
func.func @conv(%arg0: tensor<?x3x?x?xf32>, %arg1: tensor<8x3x3x3xf32>, %arg2: tensor<8xf32>) -> tensor<?x8x?x?xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1_i64 = arith.constant 1 : i64
  %c2_i64 = arith.constant 2 : i64
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x3x?x?xf32>
  %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %cst : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %dim_0 = tensor.dim %arg0, %c2 : tensor<?x3x?x?xf32>
  %0 = arith.index_cast %dim_0 : index to i64
  %1 = arith.addi %0, %c2_i64 : i64
  %2 = arith.subi %1, %c2_i64 : i64
  %3 = arith.subi %2, %c1_i64 : i64
  %4 = arith.floordivsi %3, %c1_i64 : i64
  %5 = arith.addi %4, %c1_i64 : i64
  %6 = arith.index_cast %5 : i64 to index
  %dim_1 = tensor.dim %arg0, %c3 : tensor<?x3x?x?xf32>
  %7 = arith.index_cast %dim_1 : index to i64
  %8 = arith.addi %7, %c2_i64 : i64
  %9 = arith.subi %8, %c2_i64 : i64
  %10 = arith.subi %9, %c1_i64 : i64
  %11 = arith.floordivsi %10, %c1_i64 : i64
  %12 = arith.addi %11, %c1_i64 : i64
  %13 = arith.index_cast %12 : i64 to index
  %14 = tensor.empty(%dim, %6, %13) : tensor<?x8x?x?xf32>
  %broadcasted = linalg.broadcast ins(%arg2 : tensor<8xf32>) outs(%14 : tensor<?x8x?x?xf32>) dimensions = [0, 2, 3]
  %15 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %16 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<?x8x?x?xf32>) outs(%14 : tensor<?x8x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %17 = arith.cmpf ugt, %in, %cst : f32
    %18 = arith.select %17, %in, %cst : f32
    linalg.yield %18 : f32
  } -> tensor<?x8x?x?xf32>
  return %16 : tensor<?x8x?x?xf32>
}

// torch.softmax with a maximum that comes with its index, which nobody uses.
func.func @softmax(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %ninf = arith.constant 0xFF800000 : f32
  %cst = arith.constant 0.000000e+00 : f32
  %m = tensor.dim %arg0, %c0 : tensor<?x?xf32>
  %n = tensor.dim %arg0, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%m) : tensor<?x1xi64>
  %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?x1xi64>) -> tensor<?x1xi64>
  %2 = tensor.empty(%m) : tensor<?x1xf32>
  %3 = linalg.fill ins(%ninf : f32) outs(%2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %4:2 = linalg.generic {indexing_maps = [#map, #map7, #map7], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%3, %1 : tensor<?x1xf32>, tensor<?x1xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %9 = linalg.index 1 : index
    %10 = arith.index_cast %9 : index to i64
    %11 = arith.maximumf %in, %out : f32
    %12 = arith.cmpf ogt, %in, %out : f32
    %13 = arith.select %12, %10, %out_0 : i64
    linalg.yield %11, %13 : f32, i64
  } -> (tensor<?x1xf32>, tensor<?x1xi64>)
  %5 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %6 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4#0 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %9 = arith.subf %in, %in_0 : f32
    %10 = math.exp %9 : f32
    linalg.yield %10 : f32
  } -> tensor<?x?xf32>
  %f = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %7 = linalg.generic {indexing_maps = [#map, #map7], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<?x?xf32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = arith.addf %in, %out : f32
    linalg.yield %9 : f32
  } -> tensor<?x1xf32>
  %8 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %9 = arith.divf %in, %in_0 : f32
    linalg.yield %9 : f32
  } -> tensor<?x?xf32>
  return %8 : tensor<?x?xf32>
}

// torch.cat along the first axis, and a view.
func.func @cat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x4x2xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %n = tensor.dim %b, %c0 : tensor<?x8xf32>
  %s = arith.addi %m, %n : index
  %0 = tensor.empty(%s) : tensor<?x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %2 = tensor.insert_slice %b into %1[%m, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  %e = tensor.expand_shape %2 [[0], [1, 2]] output_shape [%s, 4, 2] : tensor<?x8xf32> into tensor<?x4x2xf32>
  return %e : tensor<?x4x2xf32>
}

// What the module has for the state of random numbers, read.
func.func @seed(%a: tensor<?xi64>) -> tensor<?xi64> {
  %s = ml_program.global_load @global_seed : tensor<i64>
  %v = tensor.extract %s[] : tensor<i64>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?xi64>
  %e = tensor.empty(%m) : tensor<?xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>], iterator_types = ["parallel"]} ins(%a : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%in: i64, %out: i64):
    %x = arith.addi %in, %v : i64
    linalg.yield %x : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
