// RUN: dietcode-opt %s --dietcode-bind-shapes --split-input-file --verify-diagnostics
// RUN: not dietcode-opt %s --dietcode-bind-shapes="default-lower=9 default-upper=8" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not dietcode-opt %s --dietcode-bind-shapes="default-lower=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// EMPTY: error: default range [9, 8] of shape variables must not be empty or negative
// NEGATIVE: error: default range [-1, 4096] of shape variables must not be empty or negative

// A declared size that can never be that of the other operand.
func.func @declared(%a: tensor<?x?xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [], affine_map<() -> (16, 65)> : tensor<?x?xf32>
  // expected-error @below {{'dietcode.matmul' op dimension 0 of 'rhs' is 64, but dimension k is 65}}
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// A static size behind a cast.
func.func @cast(%a: tensor<16x65xf32>, %b: tensor<64x32xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %cast = tensor.cast %a : tensor<16x65xf32> to tensor<?x?xf32>
  // expected-error @below {{'dietcode.matmul' op dimension 0 of 'rhs' is 64, but dimension k is 65}}
  %0 = dietcode.matmul ins(%cast, %b : tensor<?x?xf32>, tensor<64x32xf32>) outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// The k of the second product is the n of the first one, which is static.
func.func @chained(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %d: tensor<33x8xf32>, %c0: tensor<?x?xf32>, %c1: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @below {{'dietcode.matmul' op dimension 0 of 'rhs' is 33, but dimension k is 32}}
  %1 = dietcode.matmul ins(%0, %d : tensor<?x?xf32>, tensor<33x8xf32>) outs(%c1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Symbols of the module cannot be seen from a nested one.
func.func private @outer()
module {
  func.func @nested(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
    // expected-error @below {{'dietcode.matmul' op must be in a function of the module itself, not of a nested one}}
    %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
    return %0 : tensor<?x32xf32>
  }
}

// -----

// Nor from a kernel.
gpu.module @kernels {
  gpu.func @kernel(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) kernel {
    // expected-error @below {{'dietcode.matmul' op must be in a function of the module itself, not of a nested one}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>)
    gpu.return
  }
}
