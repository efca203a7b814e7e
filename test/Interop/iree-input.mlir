// Programs as front ends hand them to IREE, with all checkers on and against a
// reference in double precision: transpositions by generics, scalars out of constant
// tensors, casts between dynamic and static sizes, lookups, padding and slices.
//
// RUN: dietcode-run %s --entry scores --check --arg-shapes 2x5x32,2x7x32 --arg-shapes 1x1x32,1x1x32 --arg-shapes 3x33x32,3x65x32 | FileCheck %s --check-prefix=SCORES
// The transposition and the scale are part of the product.
// SCORES: 2x5x32,2x7x32 {{ *}}simt_{{.*}} 1 
//
// RUN: dietcode-run %s --entry cast --check --arg-shapes 8x16,16x16
// RUN: not dietcode-run %s --entry cast --check --arg-shapes 7x16,16x16 2>&1 | FileCheck %s --check-prefix=CAST --implicit-check-not=error
// CAST: iree-input.mlir:{{[0-9]+:[0-9]+}}: error: 7x16,16x16: dimension 0 of argument 0 of @cast is not what it is cast to: got 7, expected 8
//
// RUN: dietcode-run %s --entry window --check --tolerance 0 --arg-shapes 8x16,=6 --arg-shapes 8x16,=0 --arg-shapes 2x16,=0
// RUN: not dietcode-run %s --entry window --check --arg-shapes 8x16,=7 2>&1 | FileCheck %s --check-prefix=WINDOW --implicit-check-not=error
// WINDOW: iree-input.mlir:{{[0-9]+:[0-9]+}}: error: 8x16: dimension 0 of argument 0 of @window is too small for the slice: got 8, expected 9
//
// RUN: dietcode-run %s --entry concat --check --tolerance 0 --arg-shapes 5x8,5x4
// RUN: not dietcode-run %s --entry concat --check --arg-shapes 5x8,6x4 2>&1 | FileCheck %s --check-prefix=CONCAT --implicit-check-not=error
// CONCAT: iree-input.mlir:{{[0-9]+:[0-9]+}}: error: 5x8,6x4: dimension 0 of argument 1 of @concat does not fit the other operands: got 6, expected 5
//
// RUN: dietcode-run %s --entry embedding --check --tolerance 0 --arg-shapes 50x16,3x4
// RUN: dietcode-run %s --entry pad --check --arg-shapes 5x30,32x16 --arg-shapes 33x30,32x16 --arg-shapes 0x30,32x16

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swap = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#last = affine_map<(d0, d1, d2) -> (d0, d1)>

// Scores of attention: the keys transposed by a generic, a batch product, a scale,
// and a slice of what comes out. The result is cast to what the caller knows.
func.func public @scores(%query: tensor<?x?x32xf32>, %keys: tensor<?x?x32xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.176776692> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %query, %c0 : tensor<?x?x32xf32>
  %m = tensor.dim %query, %c1 : tensor<?x?x32xf32>
  %n = tensor.dim %keys, %c1 : tensor<?x?x32xf32>
  %0 = tensor.empty(%b, %n) : tensor<?x32x?xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%keys : tensor<?x?x32xf32>) outs(%0 : tensor<?x32x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x32x?xf32>
  %2 = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %4 = linalg.batch_matmul ins(%query, %1 : tensor<?x?x32xf32>, tensor<?x32x?xf32>) outs(%3 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %factor = tensor.extract %scale[] : tensor<f32>
  %5 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%4 : tensor<?x?x?xf32>) outs(%2 : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.mulf %in, %factor : f32
    linalg.yield %6 : f32
  } -> tensor<?x?x?xf32>
  return %5 : tensor<?x?x?xf32>
}

// Sizes that are static inside and dynamic outside, through casts.
func.func @cast(%x: tensor<?x?xf32>, %w: tensor<16x16xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %x8 = tensor.cast %x : tensor<?x?xf32> to tensor<8x16xf32>
  %0 = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.matmul ins(%x8, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = tensor.cast %2 : tensor<8x16xf32> to tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// A gather with linalg.index and tensor.extract, as embeddings are imported, whose
// assertion is inside of the loop.
func.func @embedding(%table: tensor<50x16xf32>, %ids: tensor<?x?xi64>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %c50_i64 = arith.constant 50 : i64
  %c7_i64 = arith.constant 7 : i64
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %t = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %0 = tensor.empty(%b, %t) : tensor<?x?x16xf32>
  %1 = linalg.generic {indexing_maps = [#last, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<?x?xi64>) outs(%0 : tensor<?x?x16xf32>) {
  ^bb0(%in: i64, %out: f32):
    %id = arith.andi %in, %c7_i64 : i64
    %2 = arith.index_cast %id : i64 to index
    %3 = linalg.index 2 : index
    %4 = arith.cmpi slt, %id, %c50_i64 : i64
    cf.assert %4, "index must be smaller than dim size"
    %5 = arith.cmpi sge, %id, %c0_i64 : i64
    cf.assert %5, "index must be larger or equal to 0"
    %extracted = tensor.extract %table[%2, %3] : tensor<50x16xf32>
    linalg.yield %extracted : f32
  } -> tensor<?x?x16xf32>
  return %1 : tensor<?x?x16xf32>
}

// Padding and slicing around a product.
func.func @pad(%x: tensor<?x30xf32>, %w: tensor<32x16xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x30xf32>
  %padded = tensor.pad %x low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x30xf32> to tensor<?x32xf32>
  %0 = tensor.empty(%m) : tensor<?x16xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %2 = linalg.matmul ins(%padded, %w : tensor<?x32xf32>, tensor<32x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %3 = tensor.extract_slice %2[0, 4] [%m, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// A slice of a size that the caller chooses.
func.func @window(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
  %0 = tensor.extract_slice %x[2, 0] [%n, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %1 = tensor.empty(%n) : tensor<?x16xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.negf %in : f32
    linalg.yield %3 : f32
  } -> tensor<?x16xf32>
  return %2 : tensor<?x16xf32>
}

func.func @concat(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x12xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x12xf32>
  return %0 : tensor<?x12xf32>
}
