// Buffers that a loop carries from one iteration to the next: none of them is
// freed too early, whatever the number of iterations.

// RUN: dietcode-run %s --entry from_argument --check --arg-shapes 37x64,64x64,=0 --arg-shapes 37x64,64x64,=1 --arg-shapes 37x64,64x64,=4 | FileCheck %s
// RUN: dietcode-run %s --entry from_own --check --arg-shapes 37x64,64x64,=0 --arg-shapes 37x64,64x64,=1 --arg-shapes 37x64,64x64,=4 | FileCheck %s --check-prefix=OWN
// CHECK: 37x64,64x64 {{ *}}none {{ *}}0
// CHECK: 37x64,64x64 {{ *}}simt_{{.*}} {{ *}}1
// CHECK: 37x64,64x64 {{ *}}simt_{{.*}} {{ *}}4
// The negations before and after the loop are kernels, too.
// OWN: 37x64,64x64 {{ *}}simt_{{.*}}_elements {{.*}} 2 
// OWN: 37x64,64x64 {{ *}}simt_{{.*}}_elements {{.*}} 3 
// OWN: simt_
// OWN: 37x64,64x64 {{ *}}simt_{{.*}}_elements {{.*}} 6 
// OWN-COUNT-4: simt_

func.func @from_argument(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?x64xf32> {
    %m = tensor.dim %y, %c0 : tensor<?x64xf32>
    %empty = tensor.empty(%m) : tensor<?x64xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
    %1 = linalg.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

func.func @from_own(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x64xf32>
  %start = linalg.negf ins(%x : tensor<?x64xf32>) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %start) -> tensor<?x64xf32> {
    %empty1 = tensor.empty(%m) : tensor<?x64xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %1 = linalg.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %1 : tensor<?x64xf32>
  }
  %r = linalg.negf ins(%0 : tensor<?x64xf32>) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
