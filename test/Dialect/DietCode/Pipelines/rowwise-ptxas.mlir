// REQUIRES: ptxas
// RUN: dietcode-opt %s --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"

// ptxas accepts every kernel of these operators, one for each schedule that is
// selected and twin, and spills no register.
// CHECK-DAG: Compiling entry function 'rowwise_simt_{{.*}}_rows_aligned{{.*}}' for 'sm_75'
// CHECK-DAG: Compiling entry function 'rowwise_simt_{{.*}}_rows_general{{.*}}' for 'sm_75'
// CHECK-DAG: Compiling entry function 'rowwise_simt_{{.*}}_elements_{{.*}}' for 'sm_75'
// CHECK: 0 bytes spill stores, 0 bytes spill loads

#element = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#any = strided<[?, ?], offset: ?>

// Any strides and offsets.
func.func @softmax(%x: memref<?x?xf32, #any>, %mask: memref<?x?xf32, #any>, %y: memref<?x?xf32, #any>) {
  dietcode.rowwise ins(%x, %mask : memref<?x?xf32, #any>, memref<?x?xf32, #any>) outs(%y : memref<?x?xf32, #any>) maps [#element, #element, #element] do {
  ^bb0(%e: f32, %m: f32):
    %scale = arith.constant 0.125 : f32
    %0 = arith.mulf %e, %scale : f32
    %1 = arith.addf %0, %m : f32
    %max = dietcode.reduce_row maxnumf %1 : f32
    %2 = arith.subf %1, %max : f32
    %3 = math.exp %2 : f32
    %sum = dietcode.reduce_row add %3 : f32
    %4 = arith.divf %3, %sum : f32
    dietcode.yield %4 : f32
  }
  return
}

func.func @layer_norm(%x: memref<?x?xf32>, %scale: memref<?xf32>, %shift: memref<?xf32>, %n: memref<f32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%x, %scale, %shift, %n : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<f32>) outs(%y : memref<?x?xf32>)
      maps [#element, #column, #column, affine_map<(d0, d1) -> ()>, #element] do {
  ^bb0(%e: f32, %g: f32, %h: f32, %count: f32):
    %eps = arith.constant 1.0e-5 : f32
    %sum = dietcode.reduce_row add %e : f32
    %mean = arith.divf %sum, %count : f32
    %d = arith.subf %e, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %squares = dietcode.reduce_row add %d2 : f32
    %var = arith.divf %squares, %count : f32
    %v = arith.addf %var, %eps : f32
    %r = math.rsqrt %v : f32
    %0 = arith.mulf %d, %r : f32
    %1 = arith.mulf %0, %g : f32
    %2 = arith.addf %1, %h : f32
    dietcode.yield %2 : f32
  }
  return
}

// Halves would go eight at a time, but for the addresses of all that have a stride
// of their own.
func.func @layer_norm_half(%x: memref<?x?xf16, #any>, %scale: memref<?xf16, strided<[1], offset: ?>>, %shift: memref<?xf16, strided<[1], offset: ?>>,
                           %n: memref<f32>, %y: memref<?x?xf16, #any>) {
  dietcode.rowwise ins(%x, %scale, %shift, %n : memref<?x?xf16, #any>, memref<?xf16, strided<[1], offset: ?>>, memref<?xf16, strided<[1], offset: ?>>, memref<f32>)
      outs(%y : memref<?x?xf16, #any>) maps [#element, #column, #column, affine_map<(d0, d1) -> ()>, #element] do {
  ^bb0(%h: f16, %g: f16, %s: f16, %count: f32):
    %e = arith.extf %h : f16 to f32
    %sum = dietcode.reduce_row add %e : f32
    %mean = arith.divf %sum, %count : f32
    %d = arith.subf %e, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %squares = dietcode.reduce_row add %d2 : f32
    %var = arith.divf %squares, %count : f32
    %eps = arith.constant 1.0e-5 : f32
    %v = arith.addf %var, %eps : f32
    %r = math.rsqrt %v : f32
    %0 = arith.mulf %d, %r : f32
    %1 = arith.extf %g : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.extf %s : f16 to f32
    %4 = arith.addf %2, %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    dietcode.yield %5 : f16
  }
  return
}

// Lanes along rows, doubles, and many values that pass from one pass to the next.
func.func @columns(%x: memref<?x?xf64>, %y: memref<?xf64>) {
  dietcode.rowwise ins(%x : memref<?x?xf64>) outs(%y : memref<?xf64>) maps [#swapped, #row] do {
  ^bb0(%e: f64):
    %0 = dietcode.reduce_row add %e : f64
    dietcode.yield %0 : f64
  }
  return
}
func.func @many(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %d: memref<?x?xf32>, %e: memref<?x?xf32>, %f: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  dietcode.rowwise ins(%a, %b, %c, %d, %e, %f : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>)
      outs(%y, %z : memref<?x?xf32>, memref<?x?xf32>) maps [#element, #element, #element, #element, #element, #element, #element, #element] do {
  ^bb0(%i: f32, %j: f32, %k: f32, %l: f32, %m: f32, %n: f32):
    %0 = dietcode.reduce_row add %i : f32
    %1 = dietcode.reduce_row maximumf %j : f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.mulf %k, %2 : f32
    %4 = arith.mulf %l, %3 : f32
    %5 = dietcode.reduce_row add %4 : f32
    %6 = arith.divf %m, %5 : f32
    %7 = arith.addf %6, %n : f32
    %8 = arith.addf %7, %i : f32
    %9 = arith.mulf %8, %j : f32
    %10 = arith.addf %3, %9 : f32
    %11 = arith.mulf %4, %9 : f32
    dietcode.yield %10, %11 : f32, f32
  }
  return
}
func.func @transpose(%x: memref<?x?xi8>, %y: memref<?x?xi8>) {
  dietcode.rowwise ins(%x : memref<?x?xi8>) outs(%y : memref<?x?xi8>) maps [#swapped, #element] do {
  ^bb0(%e: i8):
    dietcode.yield %e : i8
  }
  return
}
