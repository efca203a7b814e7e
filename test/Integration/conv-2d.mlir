// Convolutions of images with any number of images, height and width: strides,
// dilations, paddings of each side, filters of one and of many pixels. What is
// checked is the padding of linalg, which is written out; what runs reads it as
// zeros.

// RUN: dietcode-run %s --entry plain --max-kernels 2 --check \
// RUN:     --arg-shapes 2x9x11x5,3x3x5x7,2x7x9x7 --arg-shapes 1x8x8x16,1x1x16x32,1x8x8x32 \
// RUN:     --arg-shapes 1x9x9x4,7x7x4x8,1x3x3x8 --arg-shapes 3x3x3x8,3x3x8x4,3x1x1x4 \
// RUN:     --arg-shapes 0x9x11x5,3x3x5x7,0x7x9x7 --arg-shapes 2x9x11x0,3x3x0x7,2x7x9x7 \
// RUN:     --arg-shapes 2x9x11x5,3x3x5x0,2x7x9x0 --arg-shapes 2x2x11x5,3x3x5x7,2x0x9x7 \
// RUN:     | FileCheck %s
// CHECK: {{^}}2x9x11x5,3x3x5x7{{.*}} general
// CHECK: {{^}}1x8x8x16,1x1x16x32{{.*}} aligned
// CHECK: {{^}}1x9x9x4,7x7x4x8{{.*}} aligned
// CHECK: {{^}}3x3x3x8{{.*}} aligned
// CHECK: {{^}}0x9x11x5{{.*}} nothing to compute
// CHECK: {{^}}2x9x11x0{{.*}} k is 0, only the epilogue is computed
// CHECK: {{^}}2x9x11x5,3x3x5x0{{.*}} nothing to compute
// CHECK: {{^}}2x2x11x5{{.*}} nothing to compute

// A stride of two and a padding of one, as of ResNet; also of an image that is
// smaller than the filter.
// RUN: dietcode-run %s --entry padded --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x5,3x3x5x7,2x5x6x7 --arg-shapes 1x8x8x16,3x3x16x32,1x4x4x32 \
// RUN:     --arg-shapes 2x1x2x3,3x3x3x4,2x1x1x4 --arg-shapes 1x7x1x4,3x3x4x8,1x4x1x8 | FileCheck %s --check-prefix=PADDED
// PADDED: {{^}}2x9x11x5{{.*}} general
// PADDED: {{^}}1x8x8x16{{.*}} aligned
// PADDED: {{^}}2x1x2x3{{.*}} general
// PADDED: {{^}}1x7x1x4{{.*}} aligned

// More zeros than image, of different numbers on each side, and two pads.
// RUN: dietcode-run %s --entry far --max-kernels 1 --check \
// RUN:     --arg-shapes 2x3x4x5,3x3x5x7,2x15x13x7 --arg-shapes 1x1x1x4,3x3x4x4,1x13x10x4 \
// RUN:     --arg-shapes 2x0x4x5,3x3x5x7,2x12x13x7 | FileCheck %s --check-prefix=FAR
// FAR: {{^}}2x3x4x5{{.*}} general
// FAR: {{^}}1x1x1x4{{.*}} aligned
// FAR: {{^}}2x0x4x5{{.*}} general

// Strides of 3 by 2 and dilations of 2 by 3.
// RUN: dietcode-run %s --entry dilated --max-kernels 1 --check \
// RUN:     --arg-shapes 2x15x17x5,3x3x5x7,2x4x6x7 --arg-shapes 1x5x7x8,3x3x8x4,1x1x1x4 --arg-shapes 1x17x9x4,1x2x4x4,1x6x3x4 \
// RUN:     | FileCheck %s --check-prefix=DILATED
// DILATED: {{^}}2x15x17x5{{.*}} general
// DILATED: {{^}}1x5x7x8{{.*}} aligned
// DILATED: {{^}}1x17x9x4{{.*}} aligned

// Bias, residual and activation in the same kernel.
// RUN: dietcode-run %s --entry epilogue --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x5,3x3x5x7,7,2x9x11x7,2x9x11x7 --arg-shapes 1x8x8x16,3x3x16x32,32,1x8x8x32,1x8x8x32 \
// RUN:     --arg-shapes 2x9x11x0,3x3x0x7,7,2x9x11x7,2x9x11x7 | FileCheck %s --check-prefix=EPILOGUE --implicit-check-not=rowwise
// EPILOGUE: {{^}}2x9x11x5{{.*}} general
// EPILOGUE: {{^}}1x8x8x16{{.*}} aligned
// EPILOGUE: {{^}}2x9x11x0{{.*}} general

// Channels before pixels.
// RUN: dietcode-run %s --entry channels_first --max-kernels 2 --check \
// RUN:     --arg-shapes 2x5x9x11,7x5x3x3,2x7x5x6 --arg-shapes 1x16x8x8,32x16x3x3,1x32x4x4 \
// RUN:     --arg-shapes 2x3x1x2,4x3x3x3,2x4x1x1 --arg-shapes 2x0x9x11,7x0x3x3,2x7x5x6 --arg-shapes 1x4x8x8,8x4x1x1,1x8x5x5 \
// RUN:     | FileCheck %s --check-prefix=FIRST
// RUN: dietcode-run %s --entry channels_first_bias --max-kernels 1 --check \
// RUN:     --arg-shapes 2x5x9x11,7x5x3x3,7,2x7x7x9 --arg-shapes 1x16x10x10,32x16x3x3,32,1x32x8x8 | FileCheck %s --check-prefix=BIAS --implicit-check-not=rowwise
// FIRST: {{^}}2x5x9x11,7x5x3x3
// FIRST: {{^}}1x16x8x8
// FIRST: {{^}}2x3x1x2
// FIRST: {{^}}2x0x9x11{{.*}} k is 0, only the epilogue is computed
// FIRST: {{^}}1x4x8x8
// BIAS: {{^}}2x5x9x11
// BIAS: {{^}}1x16x10x10

// Strided buffers, with poison between the elements.
// RUN: dietcode-run %s --entry strided --max-kernels 1 --check \
// RUN:     --arg-shapes 2x9x11x5:1000x100x7x1+3,3x3x5x7:300x100x9x1+1,2x7x9x7:900x100x11x1+1 \
// RUN:     --arg-shapes 2x9x11x8:1000x100x8x1+4,3x3x8x12:300x100x12x1+8,2x7x9x12:1200x132x12x1+4 \
// RUN:     --arg-shapes 2x9x11x5:1x2x18x198+3,3x3x5x7:1x3x9x45+1,2x7x9x7:1x2x14x126+1 | FileCheck %s --check-prefix=STRIDED
// STRIDED: general
// STRIDED: aligned
// STRIDED: general

// Channels and filters that disagree end in one error that says where.
// RUN: not dietcode-run %s --entry plain --max-kernels 1 --arg-shapes 2x9x11x5,3x3x6x7,2x7x9x7 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not dietcode-run %s --entry plain --max-kernels 1 --arg-shapes 2x9x11x5,3x3x5x7,3x7x9x7 2>&1 | FileCheck %s --check-prefix=IMAGES
// CHANNELS: conv-2d.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 2x9x11x5,3x3x6x7,2x7x9x7: dimension 2 of argument 1 of @plain does not fit the other operands: got 6, expected 5
// So do images that are smaller than what is read of them, paddings aside.
// RUN: not dietcode-run %s --entry plain --max-kernels 1 --arg-shapes 2x9x11x5,3x3x5x7,2x8x9x7 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not dietcode-run %s --entry padded --max-kernels 1 --arg-shapes 2x9x11x5,3x3x5x7,2x5x7x7 2>&1 | FileCheck %s --check-prefix=SMALL-PADDED
// RUN: not dietcode-run %s --entry channels_first --max-kernels 1 --arg-shapes 2x5x9x11,7x5x4x3,2x7x6x6 2>&1 | FileCheck %s --check-prefix=SMALL-FIRST
// SMALL: conv-2d.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 2x9x11x5,3x3x5x7,2x8x9x7: dimension 1 of argument 0 of @plain is smaller than what is read of it: got 9, expected 10
// SMALL-NOT: error
// SMALL-PADDED: dimension 2 of argument 0 of @padded is smaller than what is read of it: got 11, expected 13
// SMALL-FIRST: dimension 2 of argument 0 of @channels_first is smaller than what is read of it: got 9, expected 12
// IMAGES: dimension 0 of argument 2 of @plain does not fit the other operands: got 3, expected 2

!t = tensor<?x?x?x?xf32>
!any = memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>

func.func @plain(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : !t, !t) outs(%y : !t) -> !t
  return %0 : !t
}

func.func @padded(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t to !t
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%p, %w : !t, !t) outs(%y : !t) -> !t
  return %0 : !t
}

func.func @far(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 7, 2, 0] high[0, 5, 9, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t to !t
  %q = tensor.pad %p low[0, 2, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t to !t
  %0 = linalg.conv_2d_nhwc_hwcf ins(%q, %w : !t, !t) outs(%y : !t) -> !t
  return %0 : !t
}

func.func @dilated(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[3, 2]> : tensor<2xi64>, dilations = dense<[2, 3]> : tensor<2xi64>}
      ins(%x, %w : !t, !t) outs(%y : !t) -> !t
  return %0 : !t
}

func.func @epilogue(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %bias: tensor<?xf32>, %r: tensor<?x?x?x?xf32>,
                    %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t to !t
  %init = linalg.fill ins(%zero : f32) outs(%y : !t) -> !t
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : !t, !t) outs(%init : !t) -> !t
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(a, b, c, d) -> (d)>, #id, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias, %r : !t, tensor<?xf32>, !t) outs(%y : !t) {
  ^bb0(%e: f32, %b: f32, %s: f32, %o: f32):
    %2 = arith.addf %e, %b : f32
    %3 = arith.addf %2, %s : f32
    %4 = arith.maximumf %3, %zero : f32
    linalg.yield %4 : f32
  } -> !t
  return %1 : !t
}

func.func @channels_first(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : !t to !t
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%p, %w : !t, !t) outs(%y : !t) -> !t
  return %0 : !t
}

func.func @channels_first_bias(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %bias: tensor<?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : !t) -> !t
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : !t, !t) outs(%init : !t) -> !t
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(a, b, c, d) -> (b)>, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias : !t, tensor<?xf32>) outs(%y : !t) {
  ^bb0(%e: f32, %b: f32, %o: f32):
    %2 = arith.addf %e, %b : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> !t
  return %1 : !t
}

func.func @strided(%x: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>, %w: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>,
                   %y: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : !any, !any) outs(%y : !any)
  return
}
