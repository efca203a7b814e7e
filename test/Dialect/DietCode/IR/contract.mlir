// RUN: dietcode-opt %s | dietcode-opt | FileCheck %s
// RUN: dietcode-opt %s --mlir-print-op-generic | dietcode-opt | FileCheck %s

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4 * 3 - 4, d2 + d5, d6)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[$NONE:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-DAG: #[[$TURNED:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>

dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.dispatch @all on (b in [1, 4], m in [1, 4], n in [1, 4], k in [1, 4]) {
  case b in [1, 4], m in [1, 4], n in [1, 4], k in [1, 4] -> @small
  otherwise -> @small
}

// CHECK-LABEL: func.func @tensors
// CHECK-SAME: (%[[A:.*]]: tensor<?x?x8xf32>, %[[B:.*]]: tensor<8x?xf32>, %[[C:.*]]: tensor<?x?x?xf32>)
func.func @tensors(%a: tensor<?x?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK: dietcode.contract ins(%[[A]], %[[B]] : tensor<?x?x8xf32>, tensor<8x?xf32>) outs(%[[C]] : tensor<?x?x?xf32>) maps [#[[$A]], #[[$B]], #[[$C]]] -> tensor<?x?x?xf32>
  %0 = dietcode.contract ins(%a, %b : tensor<?x?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?x?xf32>)
      maps [#a, #b, #c] -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @buffers
func.func @buffers(%a: memref<?x?x8xf32, strided<[?, ?, ?], offset: ?>>, %b: memref<8x?xf32>, %c: memref<?x?x?xf32>) {
  // CHECK: dietcode.contract accumulate dispatch(@all) ins({{.*}} : memref<?x?x8xf32, strided<[?, ?, ?], offset: ?>>, memref<8x?xf32>) outs({{.*}}) maps [#[[$A]], #[[$B]], #[[$C]]]{{$}}
  dietcode.contract accumulate dispatch(@all) ins(%a, %b : memref<?x?x8xf32, strided<[?, ?, ?], offset: ?>>, memref<8x?xf32>)
      outs(%c : memref<?x?x?xf32>) maps [#a, #b, #c]
  return
}

// Windows with factors and constants of both signs; the element type of the sum.
// CHECK-LABEL: func.func @windows
func.func @windows(%x: memref<2x?x?x16xf16>, %w: memref<3x3x16x?xf16>, %y: memref<2x?x?x?xf32>) {
  // CHECK: dietcode.contract ins({{.*}} : memref<2x?x?x16xf16>, memref<3x3x16x?xf16>) outs({{.*}} : memref<2x?x?x?xf32>) maps [#[[$IMAGE]], #{{.*}}, #{{.*}}]{{$}}
  dietcode.contract ins(%x, %w : memref<2x?x?x16xf16>, memref<3x3x16x?xf16>) outs(%y : memref<2x?x?x?xf32>)
      maps [affine_map<(i, y, x, f, fy, fx, c) -> (i, 2 * y + 3 * fy - 4, x + fx, c)>,
            affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>,
            affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>]
  return
}

// Without any dimension of some kind: an outer product, and a sum of one row.
// CHECK-LABEL: func.func @few_kinds
func.func @few_kinds(%a: memref<4xf32>, %b: memref<5xf32>, %c: memref<4x5xf32>, %d: memref<f32>) {
  // CHECK-COUNT-2: dietcode.contract
  dietcode.contract ins(%a, %b : memref<4xf32>, memref<5xf32>) outs(%c : memref<4x5xf32>)
      maps [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>]
  dietcode.contract ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%d : memref<f32>)
      maps [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>]
  return
}

// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%a: tensor<?x?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x?x4xf32>,
                    %bias: tensor<4xf32>, %scale: tensor<f16>, %t: tensor<4x?xf32>) -> tensor<?x?x4xf32> {
  // CHECK: maps [#[[$A]], #[[$B]], #[[$C]]] epilogue({{.*}} : tensor<4xf32>, tensor<f16>, tensor<4x?xf32>) maps [#[[$LAST]], #[[$NONE]], #[[$TURNED]]] do {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32, %[[S:.*]]: f16, %[[T:.*]]: f32):
  // CHECK: dietcode.yield
  // CHECK: } {note = "kept"} -> tensor<?x?x4xf32>
  %0 = dietcode.contract ins(%a, %b : tensor<?x?x8xf32>, tensor<8x4xf32>) outs(%c : tensor<?x?x4xf32>) maps [#a, #b, #c]
      epilogue(%bias, %scale, %t : tensor<4xf32>, tensor<f16>, tensor<4x?xf32>)
      maps [affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> (n, b)>] do {
  ^bb0(%sum: f32, %v: f32, %s: f16, %u: f32):
    %1 = arith.extf %s : f16 to f32
    %2 = arith.mulf %sum, %1 : f32
    %3 = arith.addf %2, %v : f32
    %4 = arith.addf %3, %u : f32
    dietcode.yield %4 : f32
  } {note = "kept"} -> tensor<?x?x4xf32>
  return %0 : tensor<?x?x4xf32>
}
