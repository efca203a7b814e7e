// Rowwise operators as they are written, with all checkers on, by what selection
// chooses: rows and columns on both sides of the sizes of vectors, warps and
// schedules. row-schedules.test runs the others.
//
// The bound on errors is 1e-5 of the magnitude of what is computed, unless
// another one is said. A sum of c terms that E lanes of E columns and log2 of
// the lanes combine is off by at most (E + log2(c / E)) 2^-24 of the sum of
// their magnitudes, 2.5e-6 for the 42 steps of the longest rows.

// RUN: dietcode-run %s --entry sums --check --arg-shapes 33x0,33 --arg-shapes 0x33,0 --arg-shapes 1x1,1 \
// RUN:   --arg-shapes 2x2,2 --arg-shapes 31x31,31 --arg-shapes 32x32,32 --arg-shapes 33x33,33 --arg-shapes 127x127,127 \
// RUN:   --arg-shapes 5x128,5 --arg-shapes 128x129,128 --arg-shapes 129x768,129 --arg-shapes 3x1000,3 \
// RUN:   --arg-shapes 2x1024,2 --arg-shapes 768x2,768 --arg-shapes 4099x1,4099 --arg-shapes 2x4099,2 \
// RUN:   --arg-shapes 2x16384,2 --arg-shapes 2x16385,2 --arg-shapes 1x40000,1 --arg-shapes 0x0,0 \
// RUN:   | FileCheck %s --check-prefix=SUMS
// SUMS: 33x0,{{.*}} simt_{{.*}} 1
// SUMS: 0x33,{{.*}} none
// SUMS: 1x1,{{.*}} simt_{{.*}} general 1
// SUMS: 2x2,
// SUMS: 31x31,
// SUMS: 32x32,{{.*}} simt_{{.*}} aligned 1
// SUMS: 33x33,
// SUMS: 127x127,{{.*}} simt_{{.*}} general 1
// SUMS: 5x128,
// SUMS: 128x129,{{.*}} simt_{{.*}} general 1
// SUMS: 129x768,{{.*}} simt_{{.*}} aligned 1
// SUMS: 3x1000,
// SUMS: 2x1024,
// SUMS: 768x2,
// SUMS: 4099x1,
// SUMS: 2x4099,{{.*}} simt_{{.*}} general 1
// SUMS: 2x16384,
// SUMS: 2x16385,{{.*}} simt_{{.*}} general 1
// SUMS: 1x40000,{{.*}} simt_{{.*}} aligned 1
// SUMS: 0x0,{{.*}} none

// The error of a softmax is relative to its value, since the terms of its sum
// are positive. That of an exponential and of a division are below 2^-22, that
// of the sum is as above: 5e-6 in all.
// RUN: dietcode-run %s --entry softmax --check --tolerance 5e-6 --arg-shapes 5x0 --arg-shapes 33x1 --arg-shapes 1x2 \
// RUN:   --arg-shapes 31x31 --arg-shapes 33x127 --arg-shapes 128x128 --arg-shapes 2x129 --arg-shapes 129x768 \
// RUN:   --arg-shapes 31x1000 --arg-shapes 2x1024 --arg-shapes 3x4099 --arg-shapes 2x4096 --arg-shapes 3x16388 --arg-shapes 1x20001
// RUN: dietcode-run %s --entry softmax_in_place --check --tolerance 5e-6 --arg-shapes 33x1000 --arg-shapes 2x16400

// RUN: dietcode-run %s --entry layer_norm --check --arg-shapes 33x768,768,768,33x768 --arg-shapes 1x1,1,1,1x1 \
// RUN:   --arg-shapes 5x129,129,129,5x129 --arg-shapes 2x9000,9000,9000,2x9000 --arg-shapes 4x20000,20000,20000,4x20000

// Over the first and the middle axis: lanes walk along rows.
// RUN: dietcode-run %s --entry columns --check --arg-shapes 33x5,5,5 --arg-shapes 1x129,129,129 --arg-shapes 1000x32,32,32 \
// RUN:   --arg-shapes 64x33,33,33 --arg-shapes 4099x17,17,17 --arg-shapes 0x5,5,5 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: 33x5,{{.*}} simt_{{.*}} general
// COLUMNS: 1x129,{{.*}} simt_{{.*}} general
// COLUMNS: 1000x32,{{.*}} simt_{{.*}} general
// COLUMNS: 4099x17,{{.*}} simt_{{.*}} general
// RUN: dietcode-run %s --entry middle --check --arg-shapes 3x33x5,3x5 --arg-shapes 2x768x31,2x31 --arg-shapes 7x1x129,7x129

// Elementwise operators split rows, too: few long ones, and many short ones.
// RUN: dietcode-run %s --entry broadcast --check --arg-shapes 5x3x33,33,5,5x3x33 --arg-shapes 1x1x40000,40000,1,1x1x40000 \
// RUN:   --arg-shapes 127x9x1,1,127,127x9x1 --arg-shapes 64x32x4,4,64,64x32x4 --arg-shapes 2x31x128,128,2,2x31x128 \
// RUN:   --arg-shapes 0x3x4,4,0,0x3x4
// What is written once for each row is, where its columns have several blocks.
// RUN: dietcode-run %s --entry rows_and_columns --check --arg-shapes 33x5000,33,33,33x5000 --arg-shapes 3x7,3,3,3x7 --arg-shapes 5x0,5,5,5x0
// RUN: dietcode-run %s --entry transpose --check --arg-shapes 33x65,65x33 --arg-shapes 1x1000,1000x1 --arg-shapes 768x128,128x768 \
// RUN:   | FileCheck %s --check-prefix=TRANSPOSE
// TRANSPOSE: 33x65{{.*}} simt_{{.*}} general 1
// TRANSPOSE: 768x128{{.*}} simt_{{.*}} aligned 1

// Any strides and offsets, and strides that vectors go with.
// RUN: dietcode-run %s --entry strided --check --arg-shapes 33x31:34x1+1,33x31:31x1+0,33:2+1 \
// RUN:   --arg-shapes 32x64:68x1+4,32x64:64x1+8,32:1+0 --arg-shapes 5x1000:1x5+3,5x1000:2000x2+1,5:1+0 \
// RUN:   --arg-shapes 4x16400:16404x1+0,4x16400:16400x1+0,4:3+2 | FileCheck %s --check-prefix=STRIDED
// STRIDED: 33x31{{.*}} general
// STRIDED: 32x64{{.*}} aligned
// STRIDED: 5x1000{{.*}} general
// STRIDED: 4x16400{{.*}} aligned

// Half precision, summed in single: 8 columns are a vector. An element of the
// result is off by 2^-11 of itself.
// RUN: dietcode-run %s --entry half --check --tolerance 5e-4 --arg-shapes 33x64,33x64 --arg-shapes 5x129,5x129 \
// RUN:   --arg-shapes 3x1000,3x1000 --arg-shapes 2x20000,2x20000 | FileCheck %s --check-prefix=HALF
// HALF: 33x64{{.*}} simt_{{.*}} aligned
// HALF: 5x129{{.*}} general

// Integers are exact; 64 bits are exchanged in halves.
// RUN: dietcode-run %s --entry integers --check --tolerance 0 --arg-shapes 33x33,33x33,33x33,33,33,33,33 \
// RUN:   --arg-shapes 2x1025,2x1025,2x1025,2,2,2,2 --arg-shapes 2x9000,2x9000,2x9000,2,2,2,2
// RUN: dietcode-run %s --entry doubles --check --tolerance 1e-14 --arg-shapes 33x33,33,33 --arg-shapes 3x5000,3,3

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

func.func @sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %max = dietcode.reduce_row maximumf %e : f32
    %0 = arith.subf %e, %max : f32
    %1 = math.exp %0 : f32
    %sum = dietcode.reduce_row add %1 : f32
    %2 = arith.divf %1, %sum : f32
    dietcode.yield %2 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @softmax_in_place(%x: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    %max = dietcode.reduce_row maxnumf %e : f32
    %0 = arith.subf %e, %max : f32
    %1 = math.exp %0 : f32
    %sum = dietcode.reduce_row add %1 : f32
    %2 = arith.divf %1, %sum : f32
    dietcode.yield %2 : f32
  }
  return
}

func.func @layer_norm(%x: memref<?x?xf32>, %scale: memref<?xf32>, %shift: memref<?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x, %scale, %shift : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>)
      maps [#element, #column, #column, #element] do {
  ^bb0(%e: f32, %g: f32, %h: f32):
    %one = arith.constant 1.0 : f32
    %eps = arith.constant 1.0e-1 : f32
    %n = dietcode.reduce_row add %one : f32
    %sum = dietcode.reduce_row add %e : f32
    %mean = arith.divf %sum, %n : f32
    %d = arith.subf %e, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %squares = dietcode.reduce_row add %d2 : f32
    %var = arith.divf %squares, %n : f32
    %v = arith.addf %var, %eps : f32
    %r = math.rsqrt %v : f32
    %0 = arith.mulf %d, %r : f32
    %1 = arith.mulf %0, %g : f32
    %2 = arith.addf %1, %h : f32
    dietcode.yield %2 : f32
  }
  return
}

func.func @columns(%x: memref<?x?xf32>, %sum: memref<?xf32>, %max: memref<?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%sum, %max : memref<?xf32>, memref<?xf32>) maps [#swapped, #row, #row] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    %1 = dietcode.reduce_row maximumf %e : f32
    dietcode.yield %0, %1 : f32, f32
  }
  return
}

func.func @middle(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>] do {
  ^bb0(%e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

func.func @broadcast(%x: memref<?x?x?xf32>, %c: memref<?xf32>, %r: memref<?xf32>, %y: memref<?x?x?xf32>) {
  dietcode.rowwise ins(%x, %c, %r : memref<?x?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%y : memref<?x?x?xf32>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>,
            affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>] do {
  ^bb0(%e: f32, %a: f32, %b: f32):
    %0 = arith.mulf %e, %a : f32
    %1 = arith.addf %0, %b : f32
    dietcode.yield %1 : f32
  }
  return
}

func.func @rows_and_columns(%x: memref<?x?xf32>, %r: memref<?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x, %r : memref<?x?xf32>, memref<?xf32>) outs(%s, %y : memref<?xf32>, memref<?x?xf32>)
      maps [#element, #row, #row, #element] do {
  ^bb0(%e: f32, %a: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %e, %0 : f32
    dietcode.yield %0, %1 : f32, f32
  }
  return
}

func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#swapped, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

func.func @strided(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                   %s: memref<?xf32, strided<[?], offset: ?>>) {
  dietcode.rowwise ins(%x : memref<?x?xf32, strided<[?, ?], offset: ?>>)
      outs(%y, %s : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>)
      maps [#element, #element, #row] do {
  ^bb0(%e: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = dietcode.reduce_row add %0 : f32
    %2 = arith.addf %e, %1 : f32
    dietcode.yield %2, %1 : f32, f32
  }
  return
}

func.func @half(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  dietcode.rowwise ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) maps [#element, #element] do {
  ^bb0(%h: f16):
    %big = dietcode.reduce_row maximumf %h : f16
    %m = arith.extf %big : f16 to f32
    %e = arith.extf %h : f16 to f32
    %a = math.absf %e : f32
    %sum = dietcode.reduce_row add %a : f32
    %0 = arith.addf %e, %m : f32
    %1 = arith.divf %0, %sum : f32
    %2 = arith.truncf %1 : f32 to f16
    dietcode.yield %2 : f16
  }
  return
}

func.func @integers(%a: memref<?x?xi8>, %b: memref<?x?xi32>, %c: memref<?x?xi64>,
                    %ya: memref<?xi8>, %yb: memref<?xi32>, %yc: memref<?xi64>, %yd: memref<?xi16>) {
  dietcode.rowwise ins(%a, %b, %c : memref<?x?xi8>, memref<?x?xi32>, memref<?x?xi64>)
      outs(%ya, %yb, %yc, %yd : memref<?xi8>, memref<?xi32>, memref<?xi64>, memref<?xi16>)
      maps [#element, #element, #element, #row, #row, #row, #row] do {
  ^bb0(%i: i8, %j: i32, %k: i64):
    %0 = dietcode.reduce_row maxsi %i : i8
    %1 = dietcode.reduce_row add %j : i32
    %2 = dietcode.reduce_row add %k : i64
    %zero = arith.constant 0 : i8
    %positive = arith.cmpi sgt, %i, %zero : i8
    %any = dietcode.reduce_row and %positive : i1
    %3 = dietcode.reduce_row xor %k : i64
    %4 = arith.extui %any : i1 to i16
    %5 = arith.trunci %3 : i64 to i16
    %6 = arith.addi %4, %5 : i16
    dietcode.yield %0, %1, %2, %6 : i8, i32, i64, i16
  }
  return
}

func.func @doubles(%x: memref<?x?xf64>, %sum: memref<?xf64>, %min: memref<?xf64>) {
  dietcode.rowwise ins(%x : memref<?x?xf64>) outs(%sum, %min : memref<?xf64>, memref<?xf64>) maps [#element, #row, #row] do {
  ^bb0(%e: f64):
    %0 = dietcode.reduce_row add %e : f64
    %1 = dietcode.reduce_row minimumf %e : f64
    dietcode.yield %0, %1 : f64, f64
  }
  return
}
