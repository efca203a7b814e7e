// Memory of the host that is no argument: kernels read constants and stack slots
// through copies, and a constant can be returned.

// RUN: dietcode-run %s --entry weights --check --arg-shapes 33x4 | FileCheck %s
// RUN: dietcode-run %s --entry stack --check --arg-shapes 8x4,4x2,8x2 | FileCheck %s
// RUN: dietcode-run %s --entry callee --check --arg-shapes 3x4,3x2 | FileCheck %s
// CHECK: simt_{{.*}} 1 {{ *}}{{[0-9.]+}}e-08

func.func @weights(%a: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<4x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %bias = arith.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<?x4xf32>, tensor<4x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%0, %bias : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %y = arith.addf %x, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x2xf32>
  return %1, %w : tensor<?x2xf32>, tensor<4x2xf32>
}

func.func @stack(%a: memref<8x4xf32>, %b: memref<4x2xf32>, %c: memref<8x2xf32>) {
  %0 = memref.alloca() : memref<8x4xf32>
  memref.copy %a, %0 : memref<8x4xf32> to memref<8x4xf32>
  linalg.matmul ins(%0, %b : memref<8x4xf32>, memref<4x2xf32>) outs(%c : memref<8x2xf32>)
  return
}

func.func private @product(%a: tensor<?x4xf32>, %b: tensor<4x2xf32>, %c: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x2xf32>) outs(%c : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @callee(%a: tensor<?x4xf32>, %c: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<0.75> : tensor<4x2xf32>
  %0 = call @product(%a, %w, %c) : (tensor<?x4xf32>, tensor<4x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
