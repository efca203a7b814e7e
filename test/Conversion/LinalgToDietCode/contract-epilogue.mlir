// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

// CHECK-DAG: #[[$N:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

#id3 = affine_map<(b, m, n) -> (b, m, n)>
#n = affine_map<(b, m, n) -> (n)>
#b = affine_map<(b, m, n) -> (b)>
#swap3 = affine_map<(b, m, n) -> (b, n, m)>
#id4 = affine_map<(i, f, y, x) -> (i, f, y, x)>
#f = affine_map<(i, f, y, x) -> (f)>

// One after the other, each with a bias or a scale of its own.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:      %[[A:.*]]: tensor<?x5x8xf32>, %[[W:.*]]: tensor<?x8x4xf32>, %[[BIAS:.*]]: tensor<4xf32>, %[[SCALE:.*]]: tensor<?xf32>, %[[INIT:.*]]: tensor<?x5x4xf32>)
// CHECK-NEXT:    dietcode.contract ins(%[[A]], %[[W]] : {{.*}}) outs(%[[INIT]] : {{.*}}) maps [{{.*}}] epilogue(%[[BIAS]], %[[SCALE]] : tensor<4xf32>, tensor<?xf32>) maps [#[[$N]], #[[$B]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.addf %[[SUM]], %[[V]]
// CHECK-NEXT:      %[[Q:.*]] = arith.mulf %[[S]], %[[P]]
// CHECK-NEXT:      dietcode.yield %[[Q]]
// CHECK-NOT:     linalg
func.func @batch(%a: tensor<?x5x8xf32>, %w: tensor<?x8x4xf32>, %bias: tensor<4xf32>, %scale: tensor<?xf32>,
                 %init: tensor<?x5x4xf32>) -> tensor<?x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %0 = linalg.batch_matmul ins(%a, %w : tensor<?x5x8xf32>, tensor<?x8x4xf32>) outs(%c : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id3, #n, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<?x5x4xf32>, tensor<4xf32>) outs(%init : tensor<?x5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<?x5x4xf32>
  %3 = linalg.generic {indexing_maps = [#b, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scale, %1 : tensor<?xf32>, tensor<?x5x4xf32>) outs(%init : tensor<?x5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = arith.mulf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<?x5x4xf32>
  return %3 : tensor<?x5x4xf32>
}

// Channels first: the factors have changed roles, the epilogue has not.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME:      %[[X:.*]]: tensor<?x16x?x?xf32>, %[[W:.*]]: tensor<24x16x3x3xf32>, %[[BIAS:.*]]: tensor<24xf32>, %[[R:.*]]: tensor<?x24x?x?xf32>, %[[INIT:.*]]: tensor<?x24x?x?xf32>)
// CHECK-NEXT:    dietcode.contract ins(%[[W]], %[[X]] : {{.*}}) outs(%[[INIT]] : {{.*}}) maps [{{.*}}] epilogue(%[[BIAS]], %[[R]] : {{.*}}) maps [#[[$CHANNEL]], #[[$ALL]]] do {
// CHECK-NOT:     linalg
func.func @conv(%x: tensor<?x16x?x?xf32>, %w: tensor<24x16x3x3xf32>, %bias: tensor<24xf32>, %r: tensor<?x24x?x?xf32>,
                %init: tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x16x?x?xf32>, tensor<24x16x3x3xf32>) outs(%c : tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #f, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias, %r : tensor<?x24x?x?xf32>, tensor<24xf32>, tensor<?x24x?x?xf32>) outs(%init : tensor<?x24x?x?xf32>) {
  ^bb0(%s: f32, %v: f32, %t: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %2 = arith.addf %s, %v : f32
    %3 = arith.addf %2, %t : f32
    %4 = arith.maximumf %3, %z : f32
    linalg.yield %4 : f32
  } -> tensor<?x24x?x?xf32>
  return %1 : tensor<?x24x?x?xf32>
}

// In place, of a buffer that nothing else can see.
// CHECK-LABEL: func.func @conv_buffers(
// CHECK-SAME:      %[[X:.*]]: memref<?x16x?x?xf32>, %[[W:.*]]: memref<24x16x3x3xf32>, %[[BIAS:.*]]: memref<24xf32>)
// CHECK-NEXT:    %[[Y:.*]] = memref.alloc()
// CHECK-NEXT:    dietcode.contract ins(%[[W]], %[[X]] : {{.*}}) outs(%[[Y]] : {{.*}}) maps [{{.*}}] epilogue(%[[BIAS]] : memref<24xf32>) maps [#[[$CHANNEL]]] do {
// CHECK-NOT:     linalg
func.func @conv_buffers(%x: memref<?x16x?x?xf32>, %w: memref<24x16x3x3xf32>, %bias: memref<24xf32>) -> memref<2x24x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<2x24x6x6xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<2x24x6x6xf32>)
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<?x16x?x?xf32>, memref<24x16x3x3xf32>) outs(%y : memref<2x24x6x6xf32>)
  linalg.generic {indexing_maps = [#f, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : memref<24xf32>) outs(%y : memref<2x24x6x6xf32>) {
  ^bb0(%v: f32, %s: f32):
    %2 = arith.addf %s, %v : f32
    linalg.yield %2 : f32
  }
  return %y : memref<2x24x6x6xf32>
}

// A batch that may overlap the destination is read before or after it is written.
// CHECK-LABEL: func.func @alias(
// CHECK:         dietcode.contract
// CHECK-NEXT:    linalg.generic
func.func @alias(%a: memref<?x5x8xf32>, %w: memref<?x8x4xf32>, %r: memref<?x5x4xf32>, %c: memref<?x5x4xf32>) {
  linalg.batch_matmul ins(%a, %w : memref<?x5x8xf32>, memref<?x8x4xf32>) outs(%c : memref<?x5x4xf32>)
  linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : memref<?x5x4xf32>) outs(%c : memref<?x5x4xf32>) {
  ^bb0(%v: f32, %s: f32):
    %2 = arith.addf %s, %v : f32
    linalg.yield %2 : f32
  }
  return
}

// A consumer that transposes is a pass of its own.
// CHECK-LABEL: func.func @transposes(
// CHECK:         dietcode.contract
// CHECK-NEXT:    linalg.generic
func.func @transposes(%a: tensor<?x5x8xf32>, %w: tensor<?x8x5xf32>, %c: tensor<?x5x5xf32>) -> tensor<?x5x5xf32> {
  %0 = linalg.batch_matmul ins(%a, %w : tensor<?x5x8xf32>, tensor<?x8x5xf32>) outs(%c : tensor<?x5x5xf32>) -> tensor<?x5x5xf32>
  %1 = linalg.generic {indexing_maps = [#swap3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<?x5x5xf32>) outs(%c : tensor<?x5x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %2 = math.exp %x : f32
    linalg.yield %2 : f32
  } -> tensor<?x5x5xf32>
  return %1 : tensor<?x5x5xf32>
}
