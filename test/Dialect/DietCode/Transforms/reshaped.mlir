// RUN: dietcode-opt %s --dietcode-select | FileCheck %s

// A dimension that is made from several is their product: ranges and instances of
// shape variables reach the operators of layers that go through reshapes.

// CHECK:     dietcode.shape_var @B range [1, 4]
// CHECK:     dietcode.shape_var @T range [1, 32]
// CHECK-NOT: dietcode.shape_var
// CHECK:     dietcode.dispatch @rows_matmul on (m in [1, 128])
// CHECK:     dietcode.dispatch @heads_contract on (b in [3, 12], m in [1, 32], k in [1, 32])
dietcode.shape_var @B range [1, 4]
dietcode.shape_var @T range [1, 32]

func.func @rows(%x: tensor<?x?x64xf32>, %w: tensor<64x48xf32>) -> tensor<?x?x48xf32> {
  dietcode.bind_shape %x [@B, @T], affine_map<()[b, t] -> (b, t, 64)> : tensor<?x?x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %m = arith.muli %b, %t : index
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x64xf32>, tensor<64x48xf32>) outs(%init : tensor<?x48xf32>) -> tensor<?x48xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [%b, %t, 48] : tensor<?x48xf32> into tensor<?x?x48xf32>
  return %z : tensor<?x?x48xf32>
}

func.func @heads(%p: tensor<?x3x?x?xf32>, %v: tensor<?x3x?x16xf32>) -> tensor<?x?x16xf32> {
  dietcode.bind_shape %p [@B, @T], affine_map<()[b, t] -> (b, 3, t, t)> : tensor<?x3x?x?xf32>
  dietcode.bind_shape %v [@B, @T], affine_map<()[b, t] -> (b, 3, t, 16)> : tensor<?x3x?x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<?x3x?x?xf32> into tensor<?x?x?xf32>
  %1 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<?x3x?x16xf32> into tensor<?x?x16xf32>
  %b = tensor.dim %0, %c0 : tensor<?x?x?xf32>
  %t = tensor.dim %0, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%b, %t) : tensor<?x?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.batch_matmul ins(%0, %1 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%init : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
