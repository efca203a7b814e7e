// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

// CHECK-DAG: #[[$N:.+]] = affine_map<(d0, d1) -> (d1)>

//===----------------------------------------------------------------------===//
// Maps and layouts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[A:.+]]: memref<?x8xf32>, %[[B:.+]]: memref<8x4xf32>, %[[C:.+]]: memref<?x4xf32>
// CHECK-NEXT:    dietcode.matmul accumulate ins(%[[A]], %[[B]] : memref<?x8xf32>, memref<8x4xf32>) outs(%[[C]] : memref<?x4xf32>)
// CHECK-NEXT:    return
func.func @named(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func.func @transpose_a(
// CHECK:         dietcode.matmul transpose_a accumulate ins(
func.func @transpose_a(%a: memref<8x?xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  linalg.matmul indexing_maps = [#km, #kn, #mn]
    ins(%a, %b : memref<8x?xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func.func @transpose_b(
// CHECK:         dietcode.matmul transpose_b accumulate ins(
func.func @transpose_b(%a: memref<?x8xf32>, %b: memref<4x8xf32>, %c: memref<?x4xf32>) {
  linalg.matmul indexing_maps = [#mk, #nk, #mn]
    ins(%a, %b : memref<?x8xf32>, memref<4x8xf32>) outs(%c : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func.func @transposed_result(
// CHECK-SAME:    %[[A:.+]]: memref<5x8xf32>, %[[B:.+]]: memref<8x4xf32>, %[[C:.+]]: memref<4x5xf32>
// CHECK:         dietcode.matmul transpose_a transpose_b accumulate ins(%[[B]], %[[A]] : {{.*}}) outs(%[[C]] :
func.func @transposed_result(%a: memref<5x8xf32>, %b: memref<8x4xf32>, %c: memref<4x5xf32>) {
  linalg.contract indexing_maps = [#mk, #kn, #nm]
    ins(%a, %b : memref<5x8xf32>, memref<8x4xf32>) outs(%c : memref<4x5xf32>)
  return
}

// Layouts and memory spaces are the buffer's own affair.
// CHECK-LABEL: func.func @strided(
// CHECK:         dietcode.matmul accumulate ins(%{{.+}}, %{{.+}} : memref<?x8xf32, strided<[?, 2], offset: ?>>, memref<8x4xf32, 1>)
func.func @strided(%a: memref<?x8xf32, strided<[?, 2], offset: ?>>,
                   %b: memref<8x4xf32, 1>, %c: memref<?x4xf32, strided<[?, 1]>>) {
  linalg.matmul ins(%a, %b : memref<?x8xf32, strided<[?, 2], offset: ?>>, memref<8x4xf32, 1>)
                outs(%c : memref<?x4xf32, strided<[?, 1]>>)
  return
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @zero_filled(
// CHECK-NOT:     linalg.fill
// CHECK:         dietcode.matmul ins(
func.func @zero_filled(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// What happens to another allocation in between does not matter.
// CHECK-LABEL: func.func @zero_filled_earlier(
// CHECK-NOT:     linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : memref<5x4xf32>)
// CHECK:         memref.store
// CHECK:         dietcode.matmul ins(
func.func @zero_filled_earlier(%b: memref<8x4xf32>, %c: memref<5x4xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<5x4xf32>)
  %a = memref.alloc() : memref<5x8xf32>
  memref.store %x, %a[%i, %i] : memref<5x8xf32>
  linalg.matmul ins(%a, %b : memref<5x8xf32>, memref<8x4xf32>) outs(%c : memref<5x4xf32>)
  return
}

// The store may be to the buffer that was filled.
// CHECK-LABEL: func.func @written_after_fill(
// CHECK:         linalg.fill
// CHECK:         dietcode.matmul accumulate ins(
func.func @written_after_fill(%a: memref<?x8xf32>, %b: memref<8x4xf32>,
                              %c: memref<?x4xf32>, %d: memref<?x4xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  memref.store %x, %d[%i, %i] : memref<?x4xf32>
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// Somebody reads the zeros first.
// CHECK-LABEL: func.func @read_after_fill(
// CHECK:         linalg.fill
// CHECK:         call @read
// CHECK:         dietcode.matmul accumulate ins(
func.func private @read(memref<?x4xf32>)
func.func @read_after_fill(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  call @read(%c) : (memref<?x4xf32>) -> ()
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// Only the first of the products finds zeros.
// CHECK-LABEL: func.func @filled_once(
// CHECK-NOT:     linalg.fill
// CHECK:         dietcode.matmul ins(
// CHECK:         dietcode.matmul accumulate ins(
func.func @filled_once(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// The fill is executed once, the product in each iteration.
// CHECK-LABEL: func.func @filled_outside_of_loop(
// CHECK:         linalg.fill
// CHECK:         scf.for
// CHECK:           dietcode.matmul accumulate ins(
func.func @filled_outside_of_loop(%a: memref<?x8xf32>, %b: memref<8x4xf32>,
                                  %c: memref<?x4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<?x4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  }
  return
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

// ReLU in place.
// CHECK-LABEL: func.func @relu_in_place(
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%{{.+}} : memref<?x4xf32>) do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK:           %[[Y:.+]] = arith.maximumf %[[SUM]], %{{.+}} : f32
// CHECK-NEXT:      dietcode.yield %[[Y]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @relu_in_place(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} outs(%c : memref<?x4xf32>) {
  ^bb0(%x: f32):
    %0 = arith.maximumf %x, %zero : f32
    linalg.yield %0 : f32
  }
  return
}

// The bias is an argument, the product an allocation: they do not overlap.
// CHECK-LABEL: func.func @bias_in_place(
// CHECK-SAME:    %[[BIAS:[^:]+]]: memref<4xf32>)
// CHECK:         %[[C:.+]] = memref.alloc
// CHECK-NEXT:    dietcode.matmul ins({{.*}}) outs(%[[C]] : memref<5x4xf32>) epilogue(%[[BIAS]] : memref<4xf32>) maps [#[[$N]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      arith.addf %[[B]], %[[SUM]]
func.func @bias_in_place(%a: memref<5x8xf32>, %b: memref<8x4xf32>,
                         %bias: memref<4xf32>) -> memref<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<5x4xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<5x4xf32>)
  linalg.matmul ins(%a, %b : memref<5x8xf32>, memref<8x4xf32>) outs(%c : memref<5x4xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<4xf32>) outs(%c : memref<5x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return %c : memref<5x4xf32>
}

// Two arguments may overlap.
// CHECK-LABEL: func.func @bias_may_overlap(
// CHECK:         dietcode.matmul
// CHECK-NOT:     epilogue
// CHECK:         linalg.generic
func.func @bias_may_overlap(%a: memref<5x8xf32>, %b: memref<8x4xf32>,
                            %bias: memref<4xf32>, %c: memref<5x4xf32>) {
  linalg.matmul ins(%a, %b : memref<5x8xf32>, memref<8x4xf32>) outs(%c : memref<5x4xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<4xf32>) outs(%c : memref<5x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// The product stays visible in %c.
// CHECK-LABEL: func.func @relu_elsewhere(
// CHECK:         dietcode.matmul
// CHECK:         linalg.exp
func.func @relu_elsewhere(%a: memref<?x8xf32>, %b: memref<8x4xf32>,
                          %c: memref<?x4xf32>, %d: memref<?x4xf32>) {
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.exp ins(%c : memref<?x4xf32>) outs(%d : memref<?x4xf32>)
  return
}

// The product is read before it is updated.
// CHECK-LABEL: func.func @read_in_between(
// CHECK:         dietcode.matmul
// CHECK:         memref.load
// CHECK:         linalg.exp
func.func @read_in_between(%a: memref<?x8xf32>, %b: memref<8x4xf32>,
                           %c: memref<?x4xf32>) -> f32 {
  %i = arith.constant 0 : index
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  %x = memref.load %c[%i, %i] : memref<?x4xf32>
  linalg.exp ins(%c : memref<?x4xf32>) outs(%c : memref<?x4xf32>)
  return %x : f32
}

// A run-time scalar would need a buffer of its own.
// CHECK-LABEL: func.func @scalar_in_place(
// CHECK:         dietcode.matmul
// CHECK:         linalg.generic
func.func @scalar_in_place(%a: memref<?x8xf32>, %b: memref<8x4xf32>,
                           %c: memref<?x4xf32>, %alpha: f32) {
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} outs(%c : memref<?x4xf32>) {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %alpha : f32
    linalg.yield %0 : f32
  }
  return
}
