// What is loaded by a table of taps (docs/kernels.md): images with channels before
// pixels and filters of known size, and factors whose k lies apart in memory. One
// stage and two, splits, both twins, windows far outside, empty extents.
// SCHEDULE stands for what follows the name of the attribute.

// DEFINE: %{schedule} = block = [16, 64, 32], thread = [2, 4], split = 4
// DEFINE: %{file} = %t.four.mlir
// DEFINE: %{write} = sed 's/SCHEDULE/%{schedule}/' %s > %{file}
// DEFINE: %{run} = \
// DEFINE:   dietcode-run %{file} --entry padded --check \
// DEFINE:     --arg-shapes 7x5x3x3,2x5x9x11,2x7x9x11 --arg-shapes 32x16x3x3,1x16x8x8,1x32x8x8 \
// DEFINE:     --arg-shapes 4x3x3x3,3x3x1x1,3x4x1x1 --arg-shapes 7x0x3x3,2x0x9x11,2x7x9x11 \
// DEFINE:     --arg-shapes 4x2x3x3,2x2x0x4,2x4x1x3 --arg-shapes 8x20x3x3,0x20x8x8,0x8x8x8 > %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry far --check \
// DEFINE:     --arg-shapes 7x5x3x5,2x5x21x19,2x7x10x8 --arg-shapes 8x1x3x5,1x1x2x3,1x8x6x3 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry strided --check \
// DEFINE:     --arg-shapes 7x5x3x3:100x20x6x2+1,2x5x9x11:2000x300x23x2+3,2x7x9x11:3000x400x33x3+5 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry depthwise --check --arg-shapes 5x3x3,2x5x9x11,2x5x9x11 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry apart --check --arg-shapes 7x9x33,7x65x9,33x65 \
// DEFINE:     --arg-shapes 4x4x32,4x64x4,32x64 --arg-shapes 1x100x5,1x3x100,5x3 --arg-shapes 0x9x33,0x65x9,33x65 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry long --check --arg-shapes 4x3x40,2x3x50,2x4x50 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry halves --check --arg-shapes 8x5x3x3,2x5x9x8,2x8x9x8 >> %{file}.out

// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// REDEFINE: %{schedule} = block = [16, 64, 16], thread = [2, 4], stages = 1, split = 3, vector = 2, order = [n, m]
// REDEFINE: %{file} = %t.three.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// REDEFINE: %{schedule} = block = [32, 64, 8], thread = [8, 8], stages = 1
// REDEFINE: %{file} = %t.one.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// REDEFINE: %{schedule} = block = [64, 64, 8], thread = [8, 8]
// REDEFINE: %{file} = %t.two.mlir
// RUN: %{write}
// RUN: %{run} && FileCheck %s < %{file}.out

// CHECK: @padded
// CHECK: {{^}}7x5x3x3{{.*}} general
// CHECK: {{^}}32x16x3x3{{.*}} aligned
// CHECK: {{^}}4x3x3x3{{.*}} general
// CHECK: {{^}}7x0x3x3{{.*}} k is 0, only the epilogue is computed
// CHECK: {{^}}4x2x3x3,2x2x0x4
// CHECK: {{^}}8x20x3x3{{.*}} nothing to compute
// CHECK: @far
// CHECK: {{^}}7x5x3x5
// CHECK: {{^}}8x1x3x5
// CHECK: @strided
// CHECK: {{^}}7x5x3x3{{.*}} general
// CHECK: @depthwise
// CHECK: {{^}}5x3x3
// CHECK: @apart
// CHECK: {{^}}7x9x33
// CHECK: {{^}}4x4x32
// CHECK: {{^}}1x100x5
// CHECK: {{^}}0x9x33
// CHECK: @long
// CHECK: {{^}}4x3x40
// CHECK: @halves
// CHECK: {{^}}8x5x3x3

dietcode.micro_kernel @kernel #dietcode.schedule<SCHEDULE>
dietcode.dispatch @only on () {
  case -> @kernel
  otherwise -> @kernel
}

!any = memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>
!anyFilter = memref<?x?x3x3xf32, strided<[?, ?, ?, ?], offset: ?>>
#filter = affine_map<(i, f, y, x, c, fy, fx) -> (f, c, fy, fx)>
#image = affine_map<(i, f, y, x, c, fy, fx) -> (i, c, y + fy - 1, x + fx - 1)>
#far = affine_map<(i, f, y, x, c, fy, fx) -> (i, c, 3 * y + 2 * fy - 9, 2 * x + 3 * fx - 2)>
#result = affine_map<(i, f, y, x, c, fy, fx) -> (i, f, y, x)>

func.func @padded(%w: tensor<?x?x3x3xf32>, %x: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract accumulate dispatch(@only) ins(%w, %x : tensor<?x?x3x3xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) maps [#filter, #image, #result] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

func.func @far(%w: tensor<?x?x3x5xf32>, %x: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%w, %x : tensor<?x?x3x5xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) maps [#filter, #far, #result] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

func.func @strided(%w: !anyFilter, %x: !any, %y: !any) {
  dietcode.contract dispatch(@only) ins(%w, %x : !anyFilter, !any) outs(%y : !any) maps [#filter, #image, #result]
  return
}

// k has no channels, and there is one column per product.
func.func @depthwise(%w: tensor<?x3x3xf32>, %x: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%w, %x : tensor<?x3x3xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) maps [
        affine_map<(i, c, y, x, fy, fx) -> (c, fy, fx)>,
        affine_map<(i, c, y, x, fy, fx) -> (i, c, y + fy - 1, x + fx - 1)>,
        affine_map<(i, c, y, x, fy, fx) -> (i, c, y, x)>] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// Of both factors, of any size.
func.func @apart(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%c : tensor<?x?xf32>) maps [
        affine_map<(m, n, k, l) -> (l, k, m)>,
        affine_map<(m, n, k, l) -> (l, n, k)>,
        affine_map<(m, n, k, l) -> (m, n)>] -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Too long for a bit for each position: without a table.
func.func @long(%w: tensor<?x?x40xf32>, %x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%w, %x : tensor<?x?x40xf32>, tensor<?x?x?xf32>)
      outs(%y : tensor<?x?x?xf32>) maps [
        affine_map<(i, f, x, c, fx) -> (f, c, fx)>,
        affine_map<(i, f, x, c, fx) -> (i, c, x + fx - 20)>,
        affine_map<(i, f, x, c, fx) -> (i, f, x)>] -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @halves(%w: tensor<?x?x3x3xf16>, %x: tensor<?x?x?x?xf16>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract dispatch(@only) ins(%w, %x : tensor<?x?x3x3xf16>, tensor<?x?x?x?xf16>)
      outs(%y : tensor<?x?x?x?xf32>) maps [#filter, #image, #result] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
