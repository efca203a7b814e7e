// linalg --> dietcode --> linalg --> dietcode arrives at the same operators.
// RUN: dietcode-opt %s --convert-linalg-to-dietcode > %t.once
// RUN: dietcode-opt %t.once --convert-dietcode-to-linalg > %t.linalg
// RUN: dietcode-opt %t.linalg --convert-linalg-to-dietcode > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once
// RUN: FileCheck %s --check-prefix=LINALG < %t.linalg

// LINALG-NOT: dietcode

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @dense(
// CHECK:         dietcode.matmul transpose_b ins({{.*}}) outs({{.*}}) epilogue(
// LINALG-LABEL: func.func @dense(
func.func @dense(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>, %bias: tensor<4xf32>,
                 %residual: tensor<?x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                      affine_map<(m, n, k) -> (n, k)>,
                                      affine_map<(m, n, k) -> (m, n)>]
         ins(%x, %w : tensor<?x8xf32>, tensor<4x8xf32>)
         outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %residual : tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>)
      outs(%init : tensor<?x4xf32>) {
  ^bb0(%p: f32, %b: f32, %r: f32, %out: f32):
    %2 = arith.addf %p, %b : f32
    %3 = math.tanh %2 : f32
    %4 = arith.addf %3, %r : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @accumulate_transposed(
// CHECK:         dietcode.matmul transpose_a accumulate ins(
// LINALG-LABEL: func.func @accumulate_transposed(
func.func @accumulate_transposed(%a: tensor<8x?xi32>, %b: tensor<8x4xi32>,
                                 %c: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                      affine_map<(m, n, k) -> (k, n)>,
                                      affine_map<(m, n, k) -> (m, n)>]
         ins(%a, %b : tensor<8x?xi32>, tensor<8x4xi32>)
         outs(%c : tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// CHECK-LABEL: func.func @buffers(
// CHECK:         dietcode.matmul ins({{.*}}) outs({{.*}}) do {
// LINALG-LABEL: func.func @buffers(
func.func @buffers(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.exp ins(%c : memref<?x4xf32>) outs(%c : memref<?x4xf32>)
  return
}
