// Contractions by kernels with a split of the k tiles, one stage, narrow vectors
// and the other order of tiles: batches and windows, both twins, empty extents.
// SCHEDULE stands for what follows the name of the attribute.

// DEFINE: %{schedule} = block = [16, 64, 32], thread = [2, 4], split = 4
// DEFINE: %{file} = %t.four.mlir
// DEFINE: %{write} = sed 's/SCHEDULE/%{schedule}/' %s > %{file}
// DEFINE: %{run} = \
// DEFINE:   dietcode-run %{file} --entry batch --check \
// DEFINE:     --arg-shapes 3x33x31,3x31x65,3x33x65,65,3x33x65 --arg-shapes 2x64x256,2x256x128,2x64x128,128,2x64x128 \
// DEFINE:     --arg-shapes 3x16x0,3x0x16,3x16x16,16,3x16x16 --arg-shapes 5x1x1,5x1x1,5x1x1,1,5x1x1 \
// DEFINE:     --arg-shapes 0x4x4,0x4x4,0x4x4,4,0x4x4 --arg-shapes 2x1x705,2x705x3,2x1x3,3,2x1x3 > %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry image --check \
// DEFINE:     --arg-shapes 2x9x11x5,3x3x5x7,2x9x11x7 --arg-shapes 1x8x8x16,3x3x16x32,1x8x8x32 \
// DEFINE:     --arg-shapes 2x1x1x3,3x3x3x4,2x1x1x4 --arg-shapes 2x9x11x0,3x3x0x7,2x9x11x7 \
// DEFINE:     --arg-shapes 0x9x11x4,3x3x4x8,0x9x11x8 --arg-shapes 1x3x3x4,1x1x4x8,1x5x5x8 >> %{file}.out

// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// REDEFINE: %{schedule} = block = [16, 64, 16], thread = [2, 4], stages = 1, split = 3, vector = 2, order = [n, m]
// REDEFINE: %{file} = %t.three.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// More parts than tiles, and a wide thread tile.
// REDEFINE: %{schedule} = block = [64, 64, 8], thread = [8, 8], split = 32, vector = 1
// REDEFINE: %{file} = %t.many.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// No split; tall thread tiles.
// REDEFINE: %{schedule} = block = [64, 16, 16], thread = [8, 1], order = [n, m]
// REDEFINE: %{file} = %t.tall.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// CHECK: @batch
// CHECK: {{^}}3x33x31{{.*}} general
// CHECK: {{^}}2x64x256{{.*}} aligned
// CHECK: {{^}}3x16x0
// CHECK: {{^}}5x1x1{{.*}} general
// CHECK: {{^}}0x4x4{{.*}} nothing to compute
// CHECK: {{^}}2x1x705
// CHECK: @image
// CHECK: {{^}}2x9x11x5{{.*}} general
// CHECK: {{^}}1x8x8x16{{.*}} aligned
// CHECK: {{^}}2x1x1x3{{.*}} general
// CHECK: {{^}}2x9x11x0
// CHECK: {{^}}0x9x11x4{{.*}} nothing to compute
// CHECK: {{^}}1x3x3x4

dietcode.micro_kernel @kernel #dietcode.schedule<SCHEDULE>
dietcode.dispatch @only on () {
  case -> @kernel
  otherwise -> @kernel
}

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>

func.func @batch(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>, %bias: tensor<?xf32>,
                 %r: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = dietcode.contract accumulate dispatch(@only) ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%c : tensor<?x?x?xf32>) maps [#a, #b, #c]
      epilogue(%bias, %r : tensor<?xf32>, tensor<?x?x?xf32>)
      maps [affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>] do {
  ^bb0(%sum: f32, %v: f32, %s: f32):
    %1 = arith.addf %sum, %v : f32
    %2 = arith.addf %1, %s : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @image(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) maps [#image, #filter, #result] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
