// A file with nothing but linalg: a row per shape; test/Integration has many.

// RUN: dietcode-run %s --check --arg-shapes 0x768,768x2304,0x2304 \
// RUN:   --arg-shapes 1x768,768x2304,1x2304 --arg-shapes 130x768,768x2304,130x2304 \
// RUN:   | FileCheck %s

// CHECK:      @f on virtual:t4 (model, not a measurement)
// CHECK-NEXT: shape {{ *}}micro-kernel {{ *}}launches  max error  time {{ *}}why
// CHECK-NEXT: 0x768,768x2304,0x2304 {{ *}}none {{ *}}0 {{ *}}0.0e+00    0.0 us {{ *}}nothing to compute
// CHECK-NEXT: 1x768,768x2304,1x2304 {{ *}}simt_{{.*}} aligned {{ *}}1 {{ *}}{{[0-9.]+}}e-07 {{ *}}{{[0-9.]+}} us  m in [{{.*}}]: {{[0-9]+}} blocks
// CHECK:      130x768,768x2304,130x2304 {{ *}}simt_{{.*}} aligned {{ *}}{{[12]}} {{ *}}{{[0-9.]+}}e-07

// An element further, nothing is aligned any more.
// RUN: dietcode-run %s --check --arg-shapes 33x768+1,768x2304,33x2304+1 | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: 33x768,768x2304,33x2304 {{ *}}simt_{{.*}} general

func.func @f(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%0 : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %1 : tensor<?x2304xf32>
}
