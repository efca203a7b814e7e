// Reductions over several axes, adjacent or not, become one kernel each, whose
// columns are several dimensions. All checkers are on; bounds are those of
// rowwise.mlir.

// The mean of each channel of each image, channels first and last, of any size.
// RUN: dietcode-run %s --entry pool_nchw --check --arg-shapes 2x3x5x7 --arg-shapes 1x1x1x1 --arg-shapes 3x5x0x4 --arg-shapes 0x5x3x4 \
// RUN:   --arg-shapes 2x33x8x16 --arg-shapes 1x2x127x129 --arg-shapes 2x2x56x56 | FileCheck %s --check-prefix=NCHW
// NCHW: 2x3x5x7 simt_{{.*}} general 1
// NCHW: 1x1x1x1 simt_{{.*}} general 1
// Without columns, the sum is zero and still written.
// NCHW: 3x5x0x4 simt_{{.*}} 1
// NCHW: 0x5x3x4 none
// Vectors cross from one line of an image to the next.
// NCHW: 2x33x8x16 simt_{{.*}} aligned 1
// NCHW: 1x2x127x129 simt_{{.*}} general 1
// NCHW: 2x2x56x56 simt_{{.*}} aligned 1
// RUN: dietcode-run %s --entry pool_nhwc --check --arg-shapes 2x5x7x3 --arg-shapes 1x1x1x1 --arg-shapes 3x0x4x5 \
// RUN:   --arg-shapes 2x8x16x33 --arg-shapes 1x127x33x2 --arg-shapes 1x56x56x64 | FileCheck %s --check-prefix=NHWC
// NHWC: 2x5x7x3 simt_{{.*}} general 1
// NHWC: 2x8x16x33 simt_{{.*}} general 1

// What is reduced is not adjacent in memory: over images and pixels of NCHW, and
// over the first and the last axis; here and there rows of the image are vectors.
// RUN: dietcode-run %s --entry batch_statistics --check --arg-shapes 3x5x7x3 --arg-shapes 1x1x1x1 --arg-shapes 2x0x4x5 --arg-shapes 0x2x4x5 \
// RUN:   --arg-shapes 4x3x8x16 --arg-shapes 2x2x56x57 --arg-shapes 5x2x64x64 | FileCheck %s --check-prefix=BATCH
// BATCH: 4x3x8x16 simt_{{.*}} aligned 1
// BATCH: 2x2x56x57 simt_{{.*}} general 1
// BATCH: 5x2x64x64 simt_{{.*}} aligned 1
// RUN: dietcode-run %s --entry first_and_last --check --arg-shapes 3x5x7 --arg-shapes 33x2x31 --arg-shapes 1x4x8 --arg-shapes 128x2x768

// All axes, of any type, from a value that is not neutral.
// RUN: dietcode-run %s --entry all_axes --check --arg-shapes 3x5x7 --arg-shapes 1x1x1 --arg-shapes 33x65x8 --arg-shapes 3x0x5
// RUN: dietcode-run %s --entry largest --check --tolerance 0 --arg-shapes 3x5x7 --arg-shapes 33x65x8 --arg-shapes 2x3x1

// Normalisations over the last two axes with a scale for each element, and of
// each channel of each image (the columns are in the middle), are one kernel.
// RUN: dietcode-run %s --entry layer_norm --check --arg-shapes 3x5x8,5x8 --arg-shapes 2x7x33,7x33 --arg-shapes 1x64x64,64x64 --arg-shapes 2x130x127,130x127 \
// RUN:   | FileCheck %s --check-prefix=NORM
// RUN: dietcode-run %s --entry instance_norm --check --arg-shapes 2x5x7x3 --arg-shapes 1x16x16x64 --arg-shapes 1x130x127x2 | FileCheck %s --check-prefix=NORM
// NORM: {{[0-9]+x[0-9]+.*}}simt_{{.*}} 1
// NORM-NOT: error

// Some of the columns alone tell what is added, along the last one and not.
// RUN: dietcode-run %s --entry broadcasts --check --arg-shapes 3x5x8,5,8,3,3x5x8,3 --arg-shapes 2x64x64,64,64,2,2x64x64,2 \
// RUN:   --arg-shapes 1x7x3000,7,3000,1,1x7x3000,1 --arg-shapes 3x0x8,0,8,3,3x0x8,3
// Any strides: columns are not evenly spaced, vectors are within a line or not at all.
// RUN: dietcode-run %s --entry strided --check --arg-shapes 3x5x8:60x12x1+0,3:1+0 --arg-shapes 3x5x8:61x12x1+0,3:1+0 --arg-shapes 3x5x7:100x9x1+3,3:2+1 \
// RUN:   --arg-shapes 2x130x128:20000x132x1+4,2:1+0 --arg-shapes 2x13x17:1x40x2+0,2:1+0 | FileCheck %s --check-prefix=STRIDED
// STRIDED: 3x5x8,3 {{.*}} aligned
// STRIDED: 3x5x8,3 {{.*}} general
// STRIDED: 3x5x7,3 {{.*}} general
// STRIDED: 2x130x128,2 {{.*}} aligned
// STRIDED: 2x13x17,2 {{.*}} general

#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#image = affine_map<(n, c, h, w) -> (n, c)>
#kept = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
#channel = affine_map<(n, c, h, w) -> (c)>
#nhwc = affine_map<(n, h, w, c) -> (n, h, w, c)>
#last = affine_map<(n, h, w, c) -> (n, c)>
#id3 = affine_map<(a, b, c) -> (a, b, c)>
#first3 = affine_map<(a, b, c) -> (a)>
#middle3 = affine_map<(a, b, c) -> (b)>
#last3 = affine_map<(a, b, c) -> (c)>
#columns3 = affine_map<(a, b, c) -> (b, c)>
#none3 = affine_map<(a, b, c) -> ()>
#id2 = affine_map<(a, b) -> (a, b)>

// As torch-mlir has it: the sum keeps the dimensions, and is divided then.
func.func @pool_nchw(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x1x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %init = tensor.empty(%n, %c) : tensor<?x?x1x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?x1x1xf32>) -> tensor<?x?x1x1xf32>
  %sum = linalg.generic {indexing_maps = [#nchw, #kept], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?x?xf32>) outs(%zeros : tensor<?x?x1x1xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %e, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x1x1xf32>
  %mean = linalg.generic {indexing_maps = [#nchw, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<?x?x1x1xf32>) outs(%init : tensor<?x?x1x1xf32>) {
  ^bb0(%e: f32, %o: f32):
    %size = arith.constant 1.0e+2 : f32
    %0 = arith.divf %e, %size : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x1x1xf32>
  return %mean : tensor<?x?x1x1xf32>
}

func.func @pool_nhwc(%x: tensor<?x?x?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %init = tensor.empty(%n, %c) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?x?xf32>) outs(%zeros : tensor<?x?xf32>) dimensions = [1, 2]
  return %sum : tensor<?x?xf32>
}

func.func @batch_statistics(%x: tensor<?x?x?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %init = tensor.empty(%c) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  %0:2 = linalg.generic {indexing_maps = [#nchw, #channel, #channel], iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?x?xf32>) outs(%zeros, %zeros : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%e: f32, %sum: f32, %squares: f32):
    %0 = arith.addf %sum, %e : f32
    %1 = arith.mulf %e, %e : f32
    %2 = arith.addf %squares, %1 : f32
    linalg.yield %0, %2 : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

func.func @first_and_last(%x: tensor<?x?x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [0, 2]
  return %sum : tensor<?xf32>
}

func.func @all_axes(%x: tensor<?x?x?xf32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %init = tensor.empty() : tensor<f32>
  %ones = linalg.fill ins(%one : f32) outs(%init : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%ones : tensor<f32>) dimensions = [0, 1, 2]
  return %sum : tensor<f32>
}

func.func @largest(%x: tensor<?x?x?xi32>) -> tensor<i32> {
  %least = arith.constant -2147483648 : i32
  %init = tensor.empty() : tensor<i32>
  %start = linalg.fill ins(%least : i32) outs(%init : tensor<i32>) -> tensor<i32>
  %max = linalg.reduce { arith.maxsi } ins(%x : tensor<?x?x?xi32>) outs(%start : tensor<i32>) dimensions = [0, 1, 2]
  return %max : tensor<i32>
}

func.func @layer_norm(%x: tensor<?x?x?xf32>, %scale: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %init = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %row = tensor.empty(%d0) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id3, #first3], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id3, #first3, #columns3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %squares, %scale : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %g: f32, %o: f32):
    %eps = arith.constant 1.0e-5 : f32
    %0 = arith.addf %s, %eps : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %e, %1 : f32
    %3 = arith.mulf %2, %g : f32
    linalg.yield %3 : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @instance_norm(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %d3 = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %init = tensor.empty(%d0, %d1, %d2, %d3) : tensor<?x?x?x?xf32>
  %row = tensor.empty(%d0, %d3) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?x?xf32>) -> tensor<?x?xf32>
  %squares = linalg.generic {indexing_maps = [#nhwc, #last], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%x : tensor<?x?x?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#nhwc, #last, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %squares : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %o: f32):
    %eps = arith.constant 1.0e-5 : f32
    %0 = arith.addf %s, %eps : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %e, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @broadcasts(%x: memref<?x?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %a: memref<?xf32>, %y: memref<?x?x?xf32>, %s: memref<?xf32>) {
  dietcode.rowwise ins(%x, %b, %c, %a : memref<?x?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
      outs(%y, %s : memref<?x?x?xf32>, memref<?xf32>) columns(2) maps [#id3, #middle3, #last3, #first3, #id3, #first3] do {
  ^bb0(%e: f32, %m: f32, %l: f32, %f: f32):
    %0 = arith.mulf %e, %m : f32
    %1 = arith.addf %0, %l : f32
    %2 = dietcode.reduce_row add %1 : f32
    %3 = arith.mulf %2, %f : f32
    %4 = arith.addf %3, %1 : f32
    dietcode.yield %4, %3 : f32, f32
  }
  return
}

func.func @strided(%x: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, %s: memref<?xf32, strided<[?], offset: ?>>) {
  dietcode.rowwise ins(%x : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>)
      outs(%s : memref<?xf32, strided<[?], offset: ?>>) columns(2) maps [#id3, #first3] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}
