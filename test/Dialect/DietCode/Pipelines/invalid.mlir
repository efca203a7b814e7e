// RUN: dietcode-opt %s --dietcode-to-llvm --split-input-file --verify-diagnostics

// An element type that no kernel can be generated for, in the terms of the input.
func.func @f64(%a: tensor<?x768xf64>, %b: tensor<768x2304xf64>, %c: tensor<?x2304xf64>) -> tensor<?x2304xf64> {
  // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: 'lhs' has element type 'f64'; supported is f32, f16 and i8}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf64>, tensor<768x2304xf64>) outs(%c : tensor<?x2304xf64>) -> tensor<?x2304xf64>
  return %0 : tensor<?x2304xf64>
}

// -----

// Contracted dimensions that disagree, static against static.
func.func @static(%a: tensor<?x768xf32>, %b: tensor<767x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  // expected-error @below {{768}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<767x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}

// -----

// A function that the GPU has no instructions for and that does not expand.
func.func @remf(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    // expected-error @below {{'arith.remf' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f32'}}
    %0 = arith.remf %sum, %sum : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

// What nothing lowers, here in a function without any operator.
func.func @softmax(%x: memref<5x4xf32>, %y: memref<5x4xf32>) {
  // expected-error @below {{'linalg.softmax' op is left on the way to LLVM: dietcode-lower-to-llvm has no lowering for it; lower it before}}
  linalg.softmax dimension(1) ins(%x : memref<5x4xf32>) outs(%y : memref<5x4xf32>)
  return
}
