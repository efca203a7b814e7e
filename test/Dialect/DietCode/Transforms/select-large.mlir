// RUN: dietcode-opt %s --dietcode-select | FileCheck %s

// Of tiles that keep the pipes equally busy, the ones of which an SM holds two are
// better: one block multiplies while the other one stores its copies.
// CHECK: dietcode.micro_kernel @simt_128x128x8_8x8
func.func @large(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
