// RUN: dietcode-run %s --check \
// RUN:     --arg-shapes 0x768,768x2304,0x2304 \
// RUN:     --arg-shapes 1x768,768x2304,1x2304 \
// RUN:     --arg-shapes 2x768,768x2304,2x2304 \
// RUN:     --arg-shapes 15x768,768x2304,15x2304 \
// RUN:     --arg-shapes 16x768,768x2304,16x2304 \
// RUN:     --arg-shapes 17x768,768x2304,17x2304 \
// RUN:     --arg-shapes 31x768,768x2304,31x2304 \
// RUN:     --arg-shapes 33x768,768x2304,33x2304 \
// RUN:     --arg-shapes 63x768,768x2304,63x2304 \
// RUN:     --arg-shapes 64x768,768x2304,64x2304 \
// RUN:     --arg-shapes 65x768,768x2304,65x2304 \
// RUN:     --arg-shapes 127x768,768x2304,127x2304 \
// RUN:     --arg-shapes 128x768,768x2304,128x2304 \
// RUN:     --arg-shapes 129x768,768x2304,129x2304 \
// RUN:     --arg-shapes 592x768,768x2304,592x2304 \
// RUN:     --arg-shapes 1904x768,768x2304,1904x2304 \
// RUN:     --arg-shapes 2048x768,768x2304,2048x2304 \
// RUN:     | FileCheck %s

// One dynamic dimension, on both sides of tile edges. dietcode-run compares with
// float64, plants NaN around every operand, and the virtual GPU stops at any
// access outside of one.

// CHECK: @qkv on virtual:t4 (model, not a measurement)
// CHECK: 0x768,768x2304,0x2304 {{.*}}nothing to compute
// CHECK: 1x768,768x2304,1x2304 {{.*}}aligned
// CHECK: 2048x768,768x2304,2048x2304 {{.*}}aligned

func.func @qkv(%x: tensor<?x768xf32>, %w: tensor<768x2304xf32>,
               %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x768xf32>, tensor<768x2304xf32>)
                     outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}
