// Buffers in one allocation give the same results, for empty ones, for a large k
// that is split, with workspaces, and in a loop.

// RUN: dietcode-run %s --entry chain --check --plan-memory --json \
// RUN:   --arg-shapes 0x64,64x32,32x2048,2048x24 --arg-shapes 1x64,64x32,32x2048,2048x24 --arg-shapes 37x64,64x32,32x2048,2048x24 \
// RUN:   | FileCheck %s --check-prefix=CHAIN
// RUN: dietcode-run %s --entry chain --check --json --arg-shapes 37x64,64x32,32x2048,2048x24 | FileCheck %s --check-prefix=SEPARATE
// RUN: dietcode-run %s --entry loop --check --plan-memory --arg-shapes 5x64,=0 --arg-shapes 5x64,=3 | FileCheck %s --check-prefix=LOOP

// Workspaces alone are memory of the device, which the host does not share.
// RUN: dietcode-run %s --entry workspaces --check --plan-memory --json --arg-shapes 3x1024,1024x24,3x24,=3 | FileCheck %s --check-prefix=WORKSPACES
// WORKSPACES: "allocations": 1,
// WORKSPACES: "name": "{{.*}}_k{{[0-9]+}}_reduction

// Nothing is allocated for what is empty; else an arena and the result.
// CHAIN: "allocations": 0,
// CHAIN: "peakBytes": 0,
// CHAIN: "allocations": 2,
// CHAIN: "allocations": 2,
// CHAIN: "name": "{{.*}}_k{{[0-9]+}}_reduction

// Each of three, and the workspaces.
// SEPARATE: "allocations": {{[4-9]}},

// LOOP: 5x64 {{.*}}nothing to compute
// LOOP: 5x64 {{ *}}simt_{{.*}} 6 {{.*}}e-

func.func @chain(%x: tensor<?x64xf32>, %w0: tensor<64x32xf32>, %w1: tensor<32x2048xf32>, %w2: tensor<2048x24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%m) : tensor<?x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.matmul ins(%x, %w0 : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %e1 = tensor.empty(%m) : tensor<?x2048xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %1 = linalg.matmul ins(%0, %w1 : tensor<?x32xf32>, tensor<32x2048xf32>) outs(%f1 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %e2 = tensor.empty(%m) : tensor<?x24xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x24xf32>) -> tensor<?x24xf32>
  %2 = linalg.matmul ins(%1, %w2 : tensor<?x2048xf32>, tensor<2048x24xf32>) outs(%f2 : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %2 : tensor<?x24xf32>
}

// x = x + (x x^T) x in each iteration.
func.func @loop(%x: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 1.0e-2 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%m, %m) : memref<?x?xf32>
    %b = memref.alloc(%m) : memref<?x64xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<?x?xf32>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>) outs(%a : memref<?x?xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<?x64xf32>)
    linalg.matmul ins(%a, %x : memref<?x?xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%b : memref<?x64xf32>) outs(%x : memref<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %scaled = arith.mulf %in, %scale : f32
      %sum = arith.addf %out, %scaled : f32
      linalg.yield %sum : f32
    }
  }
  return
}

func.func @workspaces(%a: memref<?x1024xf32>, %b: memref<1024x24xf32>, %c: memref<?x24xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%a, %b : memref<?x1024xf32>, memref<1024x24xf32>) outs(%c : memref<?x24xf32>)
  }
  return
}
