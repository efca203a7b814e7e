// RUN: dietcode-opt %s --dietcode-check-generated --split-input-file --verify-diagnostics
// RUN: dietcode-opt %s --dietcode-lower-to-llvm --split-input-file --verify-diagnostics

func.func @tensors(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-error @below {{'linalg.matmul' op is on tensors; run dietcode-generate-kernels}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// Only the function itself is.
// expected-error @below {{'func.func' op is on tensors; run dietcode-generate-kernels}}
func.func private @declaration(tensor<?x64xf32>)

// -----

func.func @operator(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op is not replaced by kernels and host code yet; run dietcode-generate-kernels}}
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @buffers(%a: memref<?xf32>, %i: index) -> f32 {
  %0 = memref.load %a[%i] : memref<?xf32>
  return %0 : f32
}
