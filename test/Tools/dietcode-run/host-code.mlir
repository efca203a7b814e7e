// What surrounds a product runs on the host, and its reference too.

// RUN: dietcode-run %s --entry elementwise --check --arg-shapes 9x4,4x6,9x6 | FileCheck %s
// RUN: dietcode-run %s --entry powers --check --arg-shapes 9x9,9x9 | FileCheck %s --check-prefix=POWERS
// RUN: dietcode-run %s --entry batch --check --arg-shapes 3x8x9,3x9x7,3x8x7 | FileCheck %s --check-prefix=BATCH
// RUN: dietcode-run %s --entry pad --check --arg-shapes 9x4,4x6,9x6 | FileCheck %s
// RUN: dietcode-run %s --entry empty --check | FileCheck %s --check-prefix=EMPTY

// CHECK: simt_{{.*}} 1 {{ *}}{{[0-9.]+}}e-0
// POWERS: simt_{{.*}} 3 {{ *}}{{[0-9.]+}}e-0
// BATCH: simt_{{.*}} 3 {{ *}}{{[0-9.]+}}e-0
// EMPTY: 0x5,5x3,0x3 {{ *}}none

// Operations on whole tensors.
func.func @elementwise(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = arith.subf %0, %c : tensor<?x?xf32>
  %2 = math.tanh %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// A loop that carries a tensor which each iteration allocates.
func.func @powers(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<?x?xf32> {
    %e = tensor.empty(%m, %m) : tensor<?x?xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %0 = linalg.matmul ins(%x, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// Slices, whose copies are strided.
func.func @batch(%a: tensor<3x?x?xf32>, %b: tensor<3x?x?xf32>, %c: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %a, %c1 : tensor<3x?x?xf32>
  %k = tensor.dim %a, %c2 : tensor<3x?x?xf32>
  %n = tensor.dim %b, %c2 : tensor<3x?x?xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %c) -> tensor<3x?x?xf32> {
    %ai = tensor.extract_slice %a[%i, 0, 0] [1, %m, %k] [1, 1, 1] : tensor<3x?x?xf32> to tensor<?x?xf32>
    %bi = tensor.extract_slice %b[%i, 0, 0] [1, %k, %n] [1, 1, 1] : tensor<3x?x?xf32> to tensor<?x?xf32>
    %ci = tensor.extract_slice %x[%i, 0, 0] [1, %m, %n] [1, 1, 1] : tensor<3x?x?xf32> to tensor<?x?xf32>
    %0 = linalg.matmul ins(%ai, %bi : tensor<?x?xf32>, tensor<?x?xf32>) outs(%ci : tensor<?x?xf32>) -> tensor<?x?xf32>
    %1 = tensor.insert_slice %0 into %x[%i, 0, 0] [1, %m, %n] [1, 1, 1] : tensor<?x?xf32> into tensor<3x?x?xf32>
    scf.yield %1 : tensor<3x?x?xf32>
  }
  return %r : tensor<3x?x?xf32>
}

func.func @pad(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %half = arith.constant 0.5 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.pad %0 low[1, 2] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Nothing, statically.
func.func @empty(%a: tensor<0x5xf32>, %b: tensor<5x3xf32>, %c: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<0x5xf32>, tensor<5x3xf32>) outs(%c : tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}
