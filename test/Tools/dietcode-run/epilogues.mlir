// Every epilogue agrees with its reference.

// RUN: dietcode-run %s --entry bias_relu --check --arg-shapes 33x70,70x48,48,33x48 --arg-shapes 64x0,0x48,48,64x48 | FileCheck %s
// RUN: dietcode-run %s --entry gelu_tanh --check --arg-shapes 33x70,70x48,33x48 | FileCheck %s
// RUN: dietcode-run %s --entry gelu_erf --check --arg-shapes 33x70,70x48,33x48 | FileCheck %s
// RUN: dietcode-run %s --entry residual_scale --check --arg-shapes 33x70,70x48,33x48,33x48 | FileCheck %s
// CHECK: on virtual:t4
// CHECK: simt_{{.*}} {{aligned|general}}

!t = tensor<?x?xf32>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @bias_relu(%a: !t, %b: !t, %bias: tensor<?xf32>, %c: !t) -> !t {
  %0 = dietcode.matmul ins(%a, %b : !t, !t) outs(%c : !t) epilogue(%bias : tensor<?xf32>) maps [#n] do {
  ^bb0(%sum: f32, %x: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.addf %sum, %x : f32
    %2 = arith.maximumf %1, %zero : f32
    dietcode.yield %2 : f32
  } -> !t
  return %0 : !t
}

func.func @gelu_tanh(%a: !t, %b: !t, %c: !t) -> !t {
  %0 = dietcode.matmul ins(%a, %b : !t, !t) outs(%c : !t) do {
  ^bb0(%x: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0.044715 : f32
    %c1 = arith.constant 0.797884583 : f32
    %1 = arith.mulf %x, %x : f32
    %2 = arith.mulf %1, %x : f32
    %3 = arith.mulf %2, %c0 : f32
    %4 = arith.addf %x, %3 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = math.tanh %5 : f32
    %7 = arith.addf %6, %one : f32
    %8 = arith.mulf %x, %half : f32
    %9 = arith.mulf %8, %7 : f32
    dietcode.yield %9 : f32
  } -> !t
  return %0 : !t
}

func.func @gelu_erf(%a: !t, %b: !t, %c: !t) -> !t {
  %0 = dietcode.matmul ins(%a, %b : !t, !t) outs(%c : !t) do {
  ^bb0(%x: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0.707106769 : f32
    %1 = arith.mulf %x, %c0 : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %x, %half : f32
    %5 = arith.mulf %4, %3 : f32
    dietcode.yield %5 : f32
  } -> !t
  return %0 : !t
}

func.func @residual_scale(%a: !t, %b: !t, %residual: !t, %c: !t) -> !t {
  %0 = dietcode.matmul ins(%a, %b : !t, !t) outs(%c : !t) epilogue(%residual : !t) maps [#mn] do {
  ^bb0(%sum: f32, %x: f32):
    %scale = arith.constant 0.125 : f32
    %1 = arith.mulf %sum, %scale : f32
    %2 = arith.addf %1, %x : f32
    dietcode.yield %2 : f32
  } -> !t
  return %0 : !t
}
