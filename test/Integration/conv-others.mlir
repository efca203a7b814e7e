// Convolutions in groups, of each channel alone, and of one and three dimensions.
// One micro-kernel each, whose two twins are what differs from layout to layout.

// Two of the layouts of filters in groups: the groups are products of a batch.
// RUN: dietcode-run %s --entry ngchw_fgchw --max-kernels 1 --check \
// RUN:     --arg-shapes 2x3x5x9x11,7x3x5x3x3,2x3x7x7x9 --arg-shapes 1x2x8x8x8,16x2x8x1x1,1x2x16x8x8 \
// RUN:     --arg-shapes 2x0x5x9x11,7x0x5x3x3,2x0x7x7x9 | FileCheck %s --check-prefix=GROUPS
// RUN: dietcode-run %s --entry ngchw_gfchw --max-kernels 1 --check \
// RUN:     --arg-shapes 2x3x5x9x11,3x7x5x3x3,2x3x7x7x9 --arg-shapes 1x2x8x8x8,2x16x8x1x1,1x2x16x8x8 \
// RUN:     --arg-shapes 2x0x5x9x11,0x7x5x3x3,2x0x7x7x9 | FileCheck %s --check-prefix=GROUPS
// RUN: dietcode-run %s --entry nhwgc_gfhwc --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x3x5,3x7x3x3x5,2x7x9x3x7 --arg-shapes 1x8x8x2x8,2x16x1x1x8,1x8x8x2x16 \
// RUN:     --arg-shapes 2x9x11x0x5,0x7x3x3x5,2x7x9x0x7 | FileCheck %s --check-prefix=GROUPS
// GROUPS: {{^}}2x{{.*}} simt_
// GROUPS: {{^}}1x{{.*}} simt_
// GROUPS: nothing to compute

// Each channel by its own filter, padded; then by several.
// RUN: dietcode-run %s --entry depthwise --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x5,3x3x5,2x9x11x5 --arg-shapes 1x8x8x32,3x3x32,1x8x8x32 --arg-shapes 2x1x1x7,3x3x7,2x1x1x7 \
// RUN:     --arg-shapes 2x3x3x0,3x3x0,2x3x3x0 | FileCheck %s --check-prefix=DEPTHWISE
// RUN: dietcode-run %s --entry depthwise_nchw --max-kernels 1 --check \
// RUN:     --arg-shapes 2x5x9x11,5x3x3,2x5x4x5 --arg-shapes 1x32x9x9,32x3x3,1x32x4x4 --arg-shapes 2x7x3x3,7x3x3,2x7x1x1 \
// RUN:     --arg-shapes 2x0x3x3,0x3x3,2x0x1x1 | FileCheck %s --check-prefix=DEPTHWISE
// RUN: dietcode-run %s --entry depthwise_multiplied --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x5,3x3x5x2,2x7x9x5x2 --arg-shapes 1x8x8x32,3x3x32x4,1x6x6x32x4 --arg-shapes 2x3x3x7,3x3x7x1,2x1x1x7x1 \
// RUN:     --arg-shapes 2x3x3x7,3x3x7x0,2x1x1x7x0 | FileCheck %s --check-prefix=DEPTHWISE
// DEPTHWISE: {{^}}2x{{.*}} simt_
// DEPTHWISE: {{^}}1x{{.*}} simt_
// DEPTHWISE: {{^}}2x{{.*}} simt_
// DEPTHWISE: nothing to compute

// RUN: dietcode-run %s --entry conv_1d_nwc --max-kernels 1 --check --arg-shapes 2x17x5,3x5x7,2x8x7 --arg-shapes 1x32x8,4x8x16,1x15x16 \
// RUN:     --arg-shapes 2x3x5,3x5x7,2x1x7 | FileCheck %s --check-prefix=OTHERS
// RUN: dietcode-run %s --entry conv_1d_ncw --max-kernels 1 --check --arg-shapes 2x5x17,7x5x3,2x7x15 --arg-shapes 1x8x35,16x8x4,1x16x32 \
// RUN:     --arg-shapes 2x5x3,7x5x3,2x7x1 | FileCheck %s --check-prefix=OTHERS
// RUN: dietcode-run %s --entry conv_1d --max-kernels 1 --check --arg-shapes 17,3,15 --arg-shapes 100,7,94 --arg-shapes 3,3,1 | FileCheck %s --check-prefix=OTHERS
// RUN: dietcode-run %s --entry conv_2d --max-kernels 1 --check --arg-shapes 17x9,3x2,15x8 --arg-shapes 20x20,5x5,16x16 --arg-shapes 3x3,3x3,1x1 | FileCheck %s --check-prefix=OTHERS
// RUN: dietcode-run %s --entry conv_3d_ndhwc --max-kernels 1 --check --arg-shapes 2x5x6x7x3,2x3x3x3x5,2x4x4x5x5 \
// RUN:     --arg-shapes 1x4x4x4x8,1x2x2x8x8,1x4x3x3x8 --arg-shapes 1x3x3x3x1,3x3x3x1x1,1x1x1x1x1 | FileCheck %s --check-prefix=OTHERS
// RUN: dietcode-run %s --entry conv_3d_ncdhw --max-kernels 1 --check --arg-shapes 2x3x5x6x7,5x3x2x3x3,2x5x4x4x5 \
// RUN:     --arg-shapes 1x8x4x4x4,8x8x1x2x2,1x8x4x3x3 --arg-shapes 1x1x3x3x3,1x1x3x3x3,1x1x1x1x1 | FileCheck %s --check-prefix=OTHERS
// OTHERS-COUNT-3: simt_

#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
!t1 = tensor<?xf32>
!t2 = tensor<?x?xf32>
!t3 = tensor<?x?x?xf32>
!t4 = tensor<?x?x?x?xf32>
!t5 = tensor<?x?x?x?x?xf32>

func.func @ngchw_fgchw(%x: !t5, %w: !t5, %y: !t5) -> !t5 {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%x, %w : !t5, !t5) outs(%y : !t5) -> !t5
  return %0 : !t5
}

func.func @ngchw_gfchw(%x: !t5, %w: !t5, %y: !t5) -> !t5 {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%x, %w : !t5, !t5) outs(%y : !t5) -> !t5
  return %0 : !t5
}

func.func @nhwgc_gfhwc(%x: !t5, %w: !t5, %y: !t5) -> !t5 {
  %0 = linalg.conv_2d_nhwgc_gfhwc ins(%x, %w : !t5, !t5) outs(%y : !t5) -> !t5
  return %0 : !t5
}

func.func @depthwise(%x: !t4, %w: !t3, %y: !t4) -> !t4 {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t4 to !t4
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : !t4, !t3) outs(%y : !t4) -> !t4
  return %0 : !t4
}

func.func @depthwise_nchw(%x: !t4, %w: !t3, %y: !t4) -> !t4 {
  %0 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : !t4, !t3) outs(%y : !t4) -> !t4
  return %0 : !t4
}

func.func @depthwise_multiplied(%x: !t4, %w: !t4, %y: !t5) -> !t5 {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : !t4, !t4) outs(%y : !t5) -> !t5
  return %0 : !t5
}

func.func @conv_1d_nwc(%x: !t3, %w: !t3, %y: !t3) -> !t3 {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %w : !t3, !t3) outs(%y : !t3) -> !t3
  return %0 : !t3
}

func.func @conv_1d_ncw(%x: !t3, %w: !t3, %y: !t3) -> !t3 {
  %0 = linalg.conv_1d_ncw_fcw ins(%x, %w : !t3, !t3) outs(%y : !t3) -> !t3
  return %0 : !t3
}

func.func @conv_1d(%x: !t1, %w: !t1, %y: !t1) -> !t1 {
  %0 = linalg.conv_1d ins(%x, %w : !t1, !t1) outs(%y : !t1) -> !t1
  return %0 : !t1
}

func.func @conv_2d(%x: !t2, %w: !t2, %y: !t2) -> !t2 {
  %0 = linalg.conv_2d ins(%x, %w : !t2, !t2) outs(%y : !t2) -> !t2
  return %0 : !t2
}

func.func @conv_3d_ndhwc(%x: !t5, %w: !t5, %y: !t5) -> !t5 {
  %0 = linalg.conv_3d_ndhwc_dhwcf ins(%x, %w : !t5, !t5) outs(%y : !t5) -> !t5
  return %0 : !t5
}

func.func @conv_3d_ncdhw(%x: !t5, %w: !t5, %y: !t5) -> !t5 {
  %0 = linalg.conv_3d_ncdhw_fcdhw ins(%x, %w : !t5, !t5) outs(%y : !t5) -> !t5
  return %0 : !t5
}
