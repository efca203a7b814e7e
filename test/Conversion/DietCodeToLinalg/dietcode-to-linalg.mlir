// RUN: dietcode-opt %s --convert-dietcode-to-linalg | FileCheck %s

// CHECK-DAG: #[[$MK:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$KM:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$KN:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$NK:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$OUT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$MN:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$N:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[A:.+]]: tensor<?x8xf32>, %[[B:.+]]: tensor<8x4xf32>, %[[INIT:.+]]: tensor<?x4xf32>)
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[C:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[INIT]] : tensor<?x4xf32>)
// CHECK-NEXT:    %[[D:.+]] = linalg.generic {indexing_maps = [#[[$MK]], #[[$KN]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[A]], %[[B]] : tensor<?x8xf32>, tensor<8x4xf32>) outs(%[[C]] : tensor<?x4xf32>) {
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[ACC:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[ACC]], %[[P]] : f32
// CHECK-NEXT:      linalg.yield %[[S]] : f32
// CHECK-NEXT:    } -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @plain(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                       outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// What is in the destination is where the sum starts.
// CHECK-LABEL: func.func @accumulate_transposed(
// CHECK-SAME:    %[[C:[^:]+]]: tensor<?x4xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[$KM]], #[[$NK]], #[[$OUT]]], {{.*}}} ins({{.*}}) outs(%[[C]] :
func.func @accumulate_transposed(%a: tensor<8x?xf32>, %b: tensor<4x8xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = dietcode.matmul transpose_a transpose_b accumulate
      ins(%a, %b : tensor<8x?xf32>, tensor<4x8xf32>)
      outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK:         arith.constant 0 : i32
// CHECK:         arith.muli
// CHECK-NEXT:    arith.addi
func.func @integers(%a: tensor<?x8xi32>, %b: tensor<8x4xi32>, %init: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xi32>, tensor<8x4xi32>)
                       outs(%init : tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// CHECK-LABEL: func.func @widening(
// CHECK:         ^bb0(%[[X:.+]]: f16, %[[Y:.+]]: f16, %[[ACC:.+]]: f32):
// CHECK-NEXT:      %[[WX:.+]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      %[[WY:.+]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT:      arith.mulf %[[WX]], %[[WY]] : f32
func.func @widening(%a: tensor<?x8xf16>, %b: tensor<8x4xf16>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x4xf16>)
                       outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME:    %[[BIAS:[^:]+]]: tensor<4xf32>, %[[SCALE:[^:]+]]: tensor<f16>)
// CHECK:         %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[$MK]], #[[$KN]], #[[$OUT]]]
// CHECK:         %[[D:.+]] = linalg.generic {indexing_maps = [#[[$N]], #[[$NONE]], #[[$MN]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME:      ins(%[[BIAS]], %[[SCALE]] : tensor<4xf32>, tensor<f16>) outs(%[[SUM]] : tensor<?x4xf32>) {
// CHECK-NEXT:    ^bb0(%[[B:.+]]: f32, %[[S:.+]]: f16, %[[X:.+]]: f32):
// CHECK-NEXT:      %[[WS:.+]] = arith.extf %[[S]] : f16 to f32
// CHECK-NEXT:      %[[Y:.+]] = arith.mulf %[[X]], %[[WS]] : f32
// CHECK-NEXT:      %[[Z:.+]] = arith.addf %[[Y]], %[[B]] : f32
// CHECK-NEXT:      linalg.yield %[[Z]] : f32
// CHECK-NEXT:    } -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @epilogue(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %init: tensor<?x4xf32>,
                    %bias: tensor<4xf32>, %scale: tensor<f16>) -> tensor<?x4xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
      outs(%init : tensor<?x4xf32>)
      epilogue(%bias, %scale : tensor<4xf32>, tensor<f16>)
      maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %x: f32, %y: f16):
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %sum, %1 : f32
    %3 = arith.addf %2, %x : f32
    dietcode.yield %3 : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The epilogue of an empty sum is that of zero.
// CHECK-LABEL: func.func @empty_sum(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<f32>)
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<?x0xf32>, tensor<0x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<f32>) outs(
// CHECK-NEXT:    ^bb0(%[[Y:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT:      arith.addf %[[SUM]], %[[Y]] : f32
func.func @empty_sum(%a: tensor<?x0xf32>, %b: tensor<0x4xf32>, %init: tensor<?x4xf32>,
                     %x: tensor<f32>) -> tensor<?x4xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x0xf32>, tensor<0x4xf32>)
      outs(%init : tensor<?x4xf32>)
      epilogue(%x : tensor<f32>) maps [affine_map<(m, n) -> ()>] do {
  ^bb0(%sum: f32, %y: f32):
    %1 = arith.addf %sum, %y : f32
    dietcode.yield %1 : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @buffers(
// CHECK-SAME:    %[[A:.+]]: memref<?x8xf32>, %[[B:.+]]: memref<4x8xf32>, %[[C:.+]]: memref<?x4xf32, strided<[?, 1], offset: ?>>, %[[BIAS:.+]]: memref<4xf32>)
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    linalg.fill ins(%[[ZERO]] : f32) outs(%[[C]] :
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[$MK]], #[[$NK]], #[[$OUT]]], {{.*}}} ins(%[[A]], %[[B]] : memref<?x8xf32>, memref<4x8xf32>) outs(%[[C]] :
// CHECK:         linalg.generic {indexing_maps = [#[[$N]], #[[$MN]]], {{.*}}} ins(%[[BIAS]] : memref<4xf32>) outs(%[[C]] :
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT:      arith.addf %[[SUM]], %[[X]]
// CHECK:         return
func.func @buffers(%a: memref<?x8xf32>, %b: memref<4x8xf32>,
                   %c: memref<?x4xf32, strided<[?, 1], offset: ?>>, %bias: memref<4xf32>) {
  dietcode.matmul transpose_b ins(%a, %b : memref<?x8xf32>, memref<4x8xf32>)
      outs(%c : memref<?x4xf32, strided<[?, 1], offset: ?>>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    dietcode.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @accumulate_into_buffer(
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @accumulate_into_buffer(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  dietcode.matmul accumulate ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>)
      outs(%c : memref<?x4xf32>)
  return
}

//===----------------------------------------------------------------------===//
// Left as they are
//===----------------------------------------------------------------------===//

// The sum would overwrite the residual before it is read.
// CHECK-LABEL: func.func @residual_in_place(
// CHECK-NEXT:    dietcode.matmul
func.func @residual_in_place(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>)
      outs(%c : memref<?x4xf32>)
      epilogue(%c : memref<?x4xf32>) maps [affine_map<(m, n) -> (m, n)>] do {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    dietcode.yield %0 : f32
  }
  return
}

// Integers are signed.
// CHECK-LABEL: func.func @widening_integers(
// CHECK:         ^bb0(%[[X:.+]]: i8, %[[Y:.+]]: i8, %{{.+}}: i32):
// CHECK-NEXT:      %[[WX:.+]] = arith.extsi %[[X]] : i8 to i32
// CHECK-NEXT:      %[[WY:.+]] = arith.extsi %[[Y]] : i8 to i32
// CHECK-NEXT:      arith.muli %[[WX]], %[[WY]] : i32
func.func @widening_integers(%a: tensor<?x8xi8>, %b: tensor<8x4xi8>, %init: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xi8>, tensor<8x4xi8>)
                       outs(%init : tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// Sums of another type than the destination have a place of their own.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME:    %{{.+}}: tensor<?x8xf16>, %{{.+}}: tensor<8x4xf16>, %[[INIT:[^:]+]]: tensor<?x4xf16>)
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%{{.+}}) : tensor<?x4xf32>
// CHECK:         %[[ZERO:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%[[EMPTY]] : tensor<?x4xf32>)
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} outs(%[[ZERO]] : tensor<?x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<?x4xf32>) outs(%[[INIT]] : tensor<?x4xf16>)
// CHECK:           arith.truncf %{{.+}} : f32 to f16
func.func @halves(%a: tensor<?x8xf16>, %b: tensor<8x4xf16>, %init: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x4xf16>)
                       outs(%init : tensor<?x4xf16>) -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}

// Unless it is stated that they have its type.
// CHECK-LABEL: func.func @half_sums(
// CHECK-NOT:     tensor.empty
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : f16
func.func @half_sums(%a: tensor<?x8xf16>, %b: tensor<8x4xf16>, %init: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = dietcode.matmul sums(f16) ins(%a, %b : tensor<?x8xf16>, tensor<8x4xf16>)
                       outs(%init : tensor<?x4xf16>) -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}

// CHECK-LABEL: func.func @accumulated_buffers(
// CHECK-SAME:    %{{.+}}: memref<?x8xf16>, %{{.+}}: memref<8x4xf16>, %[[OUT:[^:]+]]: memref<?x4xf16>)
// CHECK:         %[[SUM:.+]] = memref.alloc(%{{.+}}) : memref<?x4xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[OUT]] : memref<?x4xf16>) outs(%[[SUM]] : memref<?x4xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[SUM]] : memref<?x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : memref<?x4xf32>) outs(%[[OUT]] : memref<?x4xf16>)
// CHECK:         ^bb0(%[[X:.+]]: f32, %{{.+}}: f16):
// CHECK-NEXT:      %[[Y:.+]] = math.absf %[[X]] : f32
// CHECK-NEXT:      %[[Z:.+]] = arith.truncf %[[Y]] : f32 to f16
// CHECK:         memref.dealloc %[[SUM]]
func.func @accumulated_buffers(%a: memref<?x8xf16>, %b: memref<8x4xf16>, %c: memref<?x4xf16>) {
  dietcode.matmul accumulate ins(%a, %b : memref<?x8xf16>, memref<8x4xf16>) outs(%c : memref<?x4xf16>) do {
  ^bb0(%sum: f32):
    %0 = math.absf %sum : f32
    %1 = arith.truncf %0 : f32 to f16
    dietcode.yield %1 : f16
  }
  return
}
