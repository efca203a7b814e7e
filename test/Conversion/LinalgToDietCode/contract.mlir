// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

// Contractions that are more than the product of two matrices.

// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[$RHST:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[$SHARED:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4 - 1, d2 * 2 + d5 - 1, d6)>
// CHECK-DAG: #[[$FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[$NCHW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 * 2, d3 + d6 * 2)>
// CHECK-DAG: #[[$FCHW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[$EVERY:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 * 2)>

// CHECK-LABEL: func.func @batch(
// CHECK-SAME:      %[[A:.*]]: tensor<?x5x8xf32>, %[[B:.*]]: tensor<?x8x4xf32>, %[[C:.*]]: tensor<?x5x4xf32>
// CHECK-NEXT:    dietcode.contract accumulate ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) maps [#[[$LHS]], #[[$RHS]], #[[$OUT]]]
func.func @batch(%a: tensor<?x5x8xf32>, %b: tensor<?x8x4xf32>, %c: tensor<?x5x4xf32>) -> tensor<?x5x4xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x5x8xf32>, tensor<?x8x4xf32>)
                           outs(%c : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  return %0 : tensor<?x5x4xf32>
}

// Transposing and broadcasting a factor is left to the reading of it.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME:      %[[A:.*]]: tensor<?x5x8xf32>, %[[B:.*]]: tensor<?x4x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[C:.*]]: tensor<?x5x4xf32>, %{{.*}}, %{{.*}})
// CHECK:         %[[P:.*]] = dietcode.contract accumulate ins(%[[A]], %[[B]] : {{.*}}) {{.*}} maps [#[[$LHS]], #[[$RHST]], #[[$OUT]]]
// CHECK-NEXT:    dietcode.contract accumulate ins(%[[A]], %[[W]] : {{.*}}) outs(%[[P]] : {{.*}}) maps [#[[$LHS]], #[[$SHARED]], #[[$OUT]]]
func.func @copies(%a: tensor<?x5x8xf32>, %b: tensor<?x4x8xf32>, %w: tensor<8x4xf32>, %c: tensor<?x5x4xf32>,
                  %t: tensor<?x8x4xf32>, %s: tensor<?x8x4xf32>) -> tensor<?x5x4xf32> {
  %0 = linalg.transpose ins(%b : tensor<?x4x8xf32>) outs(%t : tensor<?x8x4xf32>) permutation = [0, 2, 1]
  %1 = linalg.batch_matmul ins(%a, %0 : tensor<?x5x8xf32>, tensor<?x8x4xf32>)
                           outs(%c : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %2 = linalg.broadcast ins(%w : tensor<8x4xf32>) outs(%s : tensor<?x8x4xf32>) dimensions = [0]
  %3 = linalg.batch_matmul ins(%a, %2 : tensor<?x5x8xf32>, tensor<?x8x4xf32>)
                           outs(%1 : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  return %3 : tensor<?x5x4xf32>
}

// Zeros around an image are read where there is none; the bias is an epilogue.
// CHECK-LABEL: func.func @padded(
// CHECK-SAME:      %[[X:.*]]: tensor<?x?x?x16xf32>, %[[W:.*]]: tensor<3x3x16x24xf32>, %[[BIAS:.*]]: tensor<24xf32>, %[[C:.*]]: tensor<?x?x?x24xf32>)
// CHECK-NEXT:    dietcode.contract ins(%[[X]], %[[W]] : {{.*}}) outs(%[[C]] : {{.*}}) maps [#[[$IMAGE]], #[[$FILTER]], #{{.*}}] padding [1, 1] epilogue(%[[BIAS]]
// CHECK-NOT:     linalg
func.func @padded(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x24xf32>, %bias: tensor<24xf32>,
                  %c: tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x16xf32> to tensor<?x?x?x16xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%0, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x24xf32>) outs(%1 : tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d)>,
                                        affine_map<(a, b, c, d) -> (a, b, c, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2, %bias : tensor<?x?x?x24xf32>, tensor<24xf32>) outs(%c : tensor<?x?x?x24xf32>) {
  ^bb0(%e: f32, %b: f32, %o: f32):
    %4 = arith.addf %e, %b : f32
    linalg.yield %4 : f32
  } -> tensor<?x?x?x24xf32>
  return %3 : tensor<?x?x?x24xf32>
}

// What is not zero, or is around what is no window, stays.
// CHECK-LABEL: func.func @other_padding(
// CHECK:         tensor.pad
// CHECK:         tensor.pad
func.func @other_padding(%x: tensor<?x?x16xf32>, %w: tensor<3x16x24xf32>, %v: tensor<3x20x24xf32>,
                         %c: tensor<?x?x24xf32>) -> tensor<?x?x24xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : f32
  } : tensor<?x?x16xf32> to tensor<?x?x16xf32>
  %1 = linalg.conv_1d_nwc_wcf ins(%0, %w : tensor<?x?x16xf32>, tensor<3x16x24xf32>)
                              outs(%c : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  %2 = tensor.pad %x low[0, 0, 0] high[0, 0, 4] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x16xf32> to tensor<?x?x20xf32>
  %3 = linalg.conv_1d_nwc_wcf ins(%2, %v : tensor<?x?x20xf32>, tensor<3x20x24xf32>)
                              outs(%1 : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %3 : tensor<?x?x24xf32>
}

// The filter is the factor of rows where pixels vary fastest.
// CHECK-LABEL: func.func @channels_first(
// CHECK-SAME:      %[[X:.*]]: tensor<?x16x?x?xf32>, %[[W:.*]]: tensor<24x16x3x3xf32>,
// CHECK-NEXT:    dietcode.contract accumulate ins(%[[W]], %[[X]] : {{.*}}) {{.*}} maps [#[[$FCHW]], #[[$NCHW]], #{{.*}}]
func.func @channels_first(%x: tensor<?x16x?x?xf32>, %w: tensor<24x16x3x3xf32>, %c: tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x16x?x?xf32>, tensor<24x16x3x3xf32>) outs(%c : tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  return %0 : tensor<?x24x?x?xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK-NEXT:    dietcode.contract
func.func @depthwise(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16xf32>, %c: tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc
      ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16xf32>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %0 : tensor<?x?x?x16xf32>
}

// The left factor is read at every other k.
// CHECK-LABEL: func.func @strided_map(
// CHECK-NEXT:    dietcode.contract {{.*}} maps [#[[$EVERY]], #{{.*}}, #{{.*}}]
func.func @strided_map(%a: tensor<5x15xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k * 2)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x15xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// How far behind an image is read is known to be right where it was written; that
// of two paddings is the sum.
// CHECK-LABEL: func.func @paddings(
// CHECK:         dietcode.contract {{.*}} padding [3, 7]
// CHECK-NEXT:    dietcode.contract {{.*}} padding [0, 0]
func.func @paddings(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x24xf32>, %c: tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 7, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x16xf32> to tensor<?x?x?x16xf32>
  %1 = tensor.pad %0 low[0, 4, 2, 0] high[0, 2, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x16xf32> to tensor<?x?x?x16xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%1, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x24xf32>) outs(%c : tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x24xf32>) outs(%2 : tensor<?x?x?x24xf32>) -> tensor<?x?x?x24xf32>
  return %3 : tensor<?x?x?x24xf32>
}

// A dynamic number of zeros behind an image, of which nothing is said.
// CHECK-LABEL: func.func @dynamic_padding(
// CHECK-NOT:     tensor.pad
// CHECK:         dietcode.contract
// CHECK-NOT:     padding [
func.func @dynamic_padding(%x: tensor<?x?x16xf32>, %w: tensor<3x16x24xf32>, %c: tensor<?x?x24xf32>, %n: index) -> tensor<?x?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1, 0] high[0, %n, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x16xf32> to tensor<?x?x16xf32>
  %1 = linalg.conv_1d_nwc_wcf ins(%0, %w : tensor<?x?x16xf32>, tensor<3x16x24xf32>) outs(%c : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %1 : tensor<?x?x24xf32>
}

// At a fixed position, outside of which nothing is read.
// CHECK-LABEL: func.func @fixed_position(
// CHECK:         tensor.pad
// CHECK:         dietcode.contract
func.func @fixed_position(%a: tensor<?x5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[1, 0, 0] high[1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x5x8xf32> to tensor<?x5x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (1, m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0, %b : tensor<?x5x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %2 = arith.mulf %x, %y : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}
