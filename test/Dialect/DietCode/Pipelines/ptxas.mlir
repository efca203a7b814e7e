// REQUIRES: ptxas
// RUN: dietcode-opt %s --dietcode-to-llvm=max-kernels=3 | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"
// RUN: dietcode-opt %s --dietcode-to-llvm="max-kernels=2 format=cubin" | FileCheck %s --check-prefix=CUBIN

// ptxas accepts every kernel of these operators and spills no register.
// CHECK: 0 bytes spill stores, 0 bytes spill loads

// It is what makes a cubin.
// CUBIN: gpu.binary @dietcode_kernels [#gpu.object<#nvvm.target<chip = "sm_75"{{.*}}bin = "\7FELF

// Nothing is known about the shapes.
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Everything is, and nothing is a multiple of anything.
func.func @odd(%a: memref<705x999xf32>, %b: memref<999x1001xf32>, %c: memref<705x1001xf32>) {
  dietcode.matmul ins(%a, %b : memref<705x999xf32>, memref<999x1001xf32>) outs(%c : memref<705x1001xf32>)
  return
}

// Both transposes, alone and together; a static weight.
func.func @transpose_a(%a: memref<768x?xf32>, %b: memref<768x2304xf32>, %c: memref<?x2304xf32>) {
  dietcode.matmul transpose_a ins(%a, %b : memref<768x?xf32>, memref<768x2304xf32>) outs(%c : memref<?x2304xf32>)
  return
}
func.func @transpose_b(%a: memref<?x768xf32>, %b: memref<2304x768xf32>, %c: memref<?x2304xf32>) {
  dietcode.matmul transpose_b ins(%a, %b : memref<?x768xf32>, memref<2304x768xf32>) outs(%c : memref<?x2304xf32>)
  return
}
func.func @transpose_both(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  dietcode.matmul transpose_a transpose_b ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Any strides and offsets.
func.func @strided(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32, strided<[?, ?], offset: ?>>, %c: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  dietcode.matmul accumulate ins(%a, %b : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>)
      outs(%c : memref<?x?xf32, strided<[?, ?], offset: ?>>)
  return
}

// Bias, GELU and a residual.
func.func @gelu(%a: memref<?x768xf32>, %b: memref<768x3072xf32>, %c: memref<?x3072xf32>, %bias: memref<3072xf32>, %residual: memref<?x3072xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x768xf32>, memref<768x3072xf32>) outs(%c : memref<?x3072xf32>)
      epilogue(%bias, %residual : memref<3072xf32>, memref<?x3072xf32>)
      maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>] do {
  ^bb0(%sum: f32, %v: f32, %r: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %0 = arith.addf %sum, %v : f32
    %1 = arith.mulf %0, %root : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %r : f32
    dietcode.yield %6 : f32
  }
  return
}

// What has an instruction or an expansion.
func.func @functions(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>) do {
  ^bb0(%sum: f32):
    %0 = math.absf %sum : f32
    %1 = math.sqrt %0 : f32
    %2 = math.trunc %1 : f32
    %3 = math.floor %2 : f32
    %4 = math.ceil %3 : f32
    %5 = math.roundeven %4 : f32
    %6 = math.tanh %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.log %7 : f32
    %9 = math.fma %8, %sum, %sum : f32
    %10 = math.copysign %9, %sum : f32
    dietcode.yield %10 : f32
  }
  return
}

// Images that are loaded by a table of taps, of known and of unknown size.
#filter = affine_map<(i, f, y, x, c, fy, fx) -> (f, c, fy, fx)>
#image = affine_map<(i, f, y, x, c, fy, fx) -> (i, c, y + fy - 1, x + fx - 1)>
#result = affine_map<(i, f, y, x, c, fy, fx) -> (i, f, y, x)>
func.func @channels_first(%w: memref<256x256x3x3xf32>, %x: memref<16x256x14x14xf32>, %y: memref<16x256x14x14xf32>) {
  dietcode.contract ins(%w, %x : memref<256x256x3x3xf32>, memref<16x256x14x14xf32>) outs(%y : memref<16x256x14x14xf32>)
      maps [#filter, #image, #result]
  return
}
func.func @channels_first_dynamic(%w: memref<?x?x3x3xf32>, %x: memref<?x?x?x?xf32>, %y: memref<?x?x?x?xf32>) {
  dietcode.contract ins(%w, %x : memref<?x?x3x3xf32>, memref<?x?x?x?xf32>) outs(%y : memref<?x?x?x?xf32>)
      maps [#filter, #image, #result]
  return
}
