// Products among operations of other dialects, calls and several results; what
// is between them, and is no epilogue since the product is a result, too, is a
// kernel of its own.

// RUN: dietcode-run %s --check --arg-shapes 17x64,64x128,128x32,=5,=0.25 | FileCheck %s
// CHECK: 17x64,64x128,128x32 {{ *}}simt_{{.*}} 3 {{ *}}{{[0-9.]+}}e-07
// CHECK-NEXT: {{^}} {{ *}}simt_{{.*}}_elements
// CHECK-NEXT: {{^}} {{ *}}simt_

func.func private @half(%x: f32) -> f32 {
  %h = arith.constant 0.5 : f32
  %y = arith.mulf %x, %h : f32
  return %y : f32
}
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x128xf32>, %d: tensor<128x32xf32>, %n: index, %s: f32) -> (tensor<?x32xf32>, f32, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x128xf32>) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
  %h = func.call @half(%s) : (f32) -> f32
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %h) -> f32 {
    %x = math.tanh %acc : f32
    %y = arith.addf %x, %s : f32
    scf.yield %y : f32
  }
  %1 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%0 : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    %w = arith.mulf %y, %t : f32
    linalg.yield %w : f32
  } -> tensor<?x128xf32>
  %e2 = tensor.empty(%m) : tensor<?x32xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.matmul ins(%1, %d : tensor<?x128xf32>, tensor<128x32xf32>) outs(%z2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2, %t, %0 : tensor<?x32xf32>, f32, tensor<?x128xf32>
}
