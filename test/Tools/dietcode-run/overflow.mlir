// What exceeds f32 is right to be infinite.

// RUN: dietcode-run %s --check --arg-shapes 37x64,64x32 | FileCheck %s
// CHECK: 37x64,64x32 {{ *}}simt_{{.*}}{{[0-9]}}e-{{[0-9]+}}

func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %big = arith.constant 1.0e38 : f32
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %fz = linalg.fill ins(%z : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%fz : tensor<?x32xf32>) -> tensor<?x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m,n)->(m,n)>, affine_map<(m,n)->(m,n)>], iterator_types=["parallel","parallel"]} ins(%0 : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%x : f32, %o : f32):
    %2 = arith.mulf %x, %big : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}
