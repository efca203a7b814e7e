// Products of batches: all transposes, factors that all products share, more
// products than the y extent of a grid, strides, offsets and empty extents.

// RUN: dietcode-run %s --entry nn --check \
// RUN:     --arg-shapes 2x33x31,2x31x65,2x33x65 \
// RUN:     --arg-shapes 3x64x64,3x64x32,3x64x32 \
// RUN:     --arg-shapes 1x1x705,1x705x65,1x1x65 \
// RUN:     --arg-shapes 5x1x1,5x1x1,5x1x1 \
// RUN:     --arg-shapes 2x3x0,2x0x5,2x3x5 \
// RUN:     --arg-shapes 0x3x4,0x4x5,0x3x5 --arg-shapes 2x0x4,2x4x5,2x0x5 --arg-shapes 2x3x4,2x4x0,2x3x0 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry nt --max-kernels 2 --check \
// RUN:     --arg-shapes 2x33x31,2x65x31,2x33x65 --arg-shapes 3x64x64,3x32x64,3x64x32 \
// RUN:     --arg-shapes 1x1x705,1x65x705,1x1x65 --arg-shapes 5x1x1,5x1x1,5x1x1 \
// RUN:     --arg-shapes 2x3x0,2x5x0,2x3x5 \
// RUN:     --arg-shapes 0x3x4,0x5x4,0x3x5 --arg-shapes 2x0x4,2x5x4,2x0x5 --arg-shapes 2x3x4,2x0x4,2x3x0 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry tn --max-kernels 2 --check \
// RUN:     --arg-shapes 2x31x33,2x31x65,2x33x65 --arg-shapes 3x64x64,3x64x32,3x64x32 \
// RUN:     --arg-shapes 1x705x1,1x705x65,1x1x65 --arg-shapes 5x1x1,5x1x1,5x1x1 \
// RUN:     --arg-shapes 2x0x3,2x0x5,2x3x5 \
// RUN:     --arg-shapes 0x4x3,0x4x5,0x3x5 --arg-shapes 2x4x0,2x4x5,2x0x5 --arg-shapes 2x4x3,2x4x0,2x3x0 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry tt --max-kernels 2 --check \
// RUN:     --arg-shapes 2x31x33,2x65x31,2x33x65 --arg-shapes 3x64x64,3x32x64,3x64x32 \
// RUN:     --arg-shapes 1x705x1,1x65x705,1x1x65 --arg-shapes 5x1x1,5x1x1,5x1x1 \
// RUN:     --arg-shapes 2x0x3,2x5x0,2x3x5 \
// RUN:     --arg-shapes 0x4x3,0x5x4,0x3x5 --arg-shapes 2x4x0,2x5x4,2x0x5 --arg-shapes 2x4x3,2x0x4,2x3x0 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry transposed_out --max-kernels 2 --check \
// RUN:     --arg-shapes 2x33x31,2x31x65,2x65x33 --arg-shapes 3x64x64,3x64x32,3x32x64 \
// RUN:     --arg-shapes 1x1x705,1x705x65,1x65x1 --arg-shapes 5x1x1,5x1x1,5x1x1 \
// RUN:     --arg-shapes 2x3x0,2x0x5,2x5x3 \
// RUN:     --arg-shapes 0x3x4,0x4x5,0x5x3 --arg-shapes 2x0x4,2x4x5,2x5x0 --arg-shapes 2x3x4,2x4x0,2x0x3 \
// RUN:     | FileCheck %s

// CHECK: shape {{.*}} launches
// CHECK: {{^}}2x{{.*}} general
// CHECK: {{^}}3x64x64{{.*}} aligned
// CHECK: {{^}}1x{{.*}} general
// CHECK: {{^}}5x1x1{{.*}} general
// CHECK: {{^}}2x{{.*}} general {{.*}} k is 0, only the epilogue is computed
// CHECK-COUNT-3: nothing to compute

// A factor that all products share, on either side.
// RUN: dietcode-run %s --entry shared_rhs --max-kernels 2 --check \
// RUN:     --arg-shapes 4x33x31,31x65,4x33x65 --arg-shapes 3x64x64,64x32,3x64x32 \
// RUN:     --arg-shapes 7x1x64,64x32,7x1x32 --arg-shapes 0x3x4,4x5,0x3x5 | FileCheck %s --check-prefix=SHARED
// RUN: dietcode-run %s --entry shared_lhs --max-kernels 2 --check \
// RUN:     --arg-shapes 33x31,4x31x65,4x33x65 --arg-shapes 64x64,3x64x32,3x64x32 \
// RUN:     --arg-shapes 1x64,7x64x32,7x1x32 --arg-shapes 3x4,0x4x5,0x3x5 | FileCheck %s --check-prefix=SHARED
// SHARED: general
// SHARED: 3x64x32 {{.*}} aligned
// SHARED: 7x1x32 {{.*}} aligned
// SHARED: nothing to compute

// More products than 65535.
// RUN: dietcode-run %s --entry nn --check --arg-shapes 65537x1x1,65537x1x2,65537x1x2 \
// RUN:     --arg-shapes 70001x2x1,70001x1x1,70001x2x1 | FileCheck %s --check-prefix=MANY
// MANY: 65537x1x1{{.*}} 65537 blocks
// MANY: 70001x2x1{{.*}} 70001 blocks

// Strides of any kind, with poison between the elements.
// RUN: dietcode-run %s --entry strided --max-kernels 2 --check \
// RUN:     --arg-shapes 3x32x64:2048x64x1+0,3x64x32:2048x32x1+0,3x32x32:1024x32x1+0 \
// RUN:     --arg-shapes 3x32x64:4100x128x1+4,3x64x32:2052x32x1+8,3x32x32:1028x32x1+4 \
// RUN:     --arg-shapes 3x33x31:2000x34x1+1,3x31x65:4000x99x1+2,3x33x65:2500x66x1+3 \
// RUN:     --arg-shapes 3x33x31:1x99x3+1,3x31x65:1x3x97+2,3x33x65:3x650x10+3 \
// RUN:     --arg-shapes 1x5x7:1x9x1+1,1x7x3:7x4x1+5,1x5x3:1x3x1+1 \
// RUN:     | FileCheck %s --check-prefix=STRIDED
// STRIDED-COUNT-2: aligned
// STRIDED-COUNT-3: general

// Neighbours in memory are rows of both factors, and columns of the result.
// RUN: dietcode-run %s --entry columns --max-kernels 2 --check \
// RUN:     --arg-shapes 2x64x32:2048x1x64+0,2x32x64:2048x1x32+0,2x64x64:4096x64x1+0 \
// RUN:     --arg-shapes 2x33x31:2048x1x35+1,2x31x33:2048x1x31+0,2x33x33:4096x64x1+0 \
// RUN:     | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: aligned
// COLUMNS: general

// Bias, scale of each product, and activation in the same kernel.
// RUN: dietcode-run %s --entry epilogue --max-kernels 2 --check \
// RUN:     --arg-shapes 2x33x31,2x31x65,2x33x65,65,2,33x2 --arg-shapes 3x64x64,3x64x32,3x64x32,32,3,64x3 \
// RUN:     --arg-shapes 2x3x0,2x0x5,2x3x5,5,2,3x2 | FileCheck %s --check-prefix=EPILOGUE --implicit-check-not=rowwise
// EPILOGUE: {{^}}2x33x31{{.*}} general
// EPILOGUE: {{^}}3x64x64{{.*}} aligned
// EPILOGUE: {{^}}2x3x0{{.*}} general

// Sizes that disagree end in one error that says where.
// RUN: not dietcode-run %s --entry nn --max-kernels 1 --arg-shapes 2x3x4,3x4x5,2x3x5 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not dietcode-run %s --entry nn --max-kernels 1 --arg-shapes 2x3x4,2x5x5,2x3x5 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: not dietcode-run %s --entry nn --max-kernels 1 --arg-shapes 2x3x4,2x4x5,2x3x6 2>&1 | FileCheck %s --check-prefix=WIDTH
// BATCH: batch-matmul.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 2x3x4,3x4x5,2x3x5: dimension 0 of argument 1 of @nn does not fit the other operands: got 3, expected 2
// BATCH-NOT: error
// DEPTH: dimension 1 of argument 1 of @nn does not fit the other operands: got 5, expected 4
// WIDTH: dimension 2 of argument 2 of @nn does not fit the other operands: got 6, expected 5

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkm = affine_map<(b, m, n, k) -> (b, k, m)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#bnm = affine_map<(b, m, n, k) -> (b, n, m)>
#mk = affine_map<(b, m, n, k) -> (m, k)>
#kn = affine_map<(b, m, n, k) -> (k, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
!any = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
!columns = memref<?x?x?xf32, strided<[?, 1, ?], offset: ?>>

func.func @nn(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @nt(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul indexing_maps = [#bmk, #bnk, #bmn]
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @tn(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul indexing_maps = [#bkm, #bkn, #bmn]
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @tt(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul indexing_maps = [#bkm, #bnk, #bmn]
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @transposed_out(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.contract indexing_maps = [#bmk, #bkn, #bnm]
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @shared_rhs(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul indexing_maps = [#bmk, #kn, #bmn]
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @shared_lhs(%a: tensor<?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul indexing_maps = [#mk, #bkn, #bmn]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?x?xf32>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @strided(%a: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, %b: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>,
                   %c: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>) {
  linalg.batch_matmul ins(%a, %b : !any, !any) outs(%c : !any)
  return
}

func.func @columns(%a: memref<?x?x?xf32, strided<[?, 1, ?], offset: ?>>, %b: memref<?x?x?xf32, strided<[?, 1, ?], offset: ?>>,
                   %c: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>) {
  linalg.batch_matmul ins(%a, %b : !columns, !columns) outs(%c : !any)
  return
}

func.func @epilogue(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>, %bias: tensor<?xf32>,
                    %scale: tensor<?xf32>, %turned: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b)>,
                                        affine_map<(b, m, n) -> (m, b)>, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %bias, %scale, %turned : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %v: f32, %s: f32, %t: f32, %o: f32):
    %y0 = arith.mulf %x, %s : f32
    %y1 = arith.addf %y0, %v : f32
    %y2 = arith.addf %y1, %t : f32
    %y3 = arith.maximumf %y2, %zero : f32
    linalg.yield %y3 : f32
  } -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}
