// RUN: dietcode-opt %s --convert-dietcode-to-linalg | FileCheck %s

// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[$BATCH:.+]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$FILTER:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[$RESULT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y * 2 + fy - 1, x + fx, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>

//===----------------------------------------------------------------------===//
// Without windows
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[X:.+]]: tensor<?x5x8xf32>, %[[Y:.+]]: tensor<?x8x4xf32>, %[[INIT:.+]]: tensor<?x5x4xf32>, %[[BIAS:.+]]: tensor<?xf32>)
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[FILL:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[INIT]] : tensor<?x5x4xf32>)
// CHECK-NEXT:    %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[FILL]] :
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         %[[D:.+]] = linalg.generic {indexing_maps = [#[[$BATCH]], #[[$ALL]]], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[BIAS]] : tensor<?xf32>) outs(%[[SUM]] :
// CHECK:         return %[[D]]
func.func @batch(%a: tensor<?x5x8xf32>, %b: tensor<?x8x4xf32>, %init: tensor<?x5x4xf32>, %bias: tensor<?xf32>) -> tensor<?x5x4xf32> {
  %0 = dietcode.contract ins(%a, %b : tensor<?x5x8xf32>, tensor<?x8x4xf32>) outs(%init : tensor<?x5x4xf32>) maps [#a, #b, #c]
      epilogue(%bias : tensor<?xf32>) maps [affine_map<(b, m, n) -> (b)>] do {
  ^bb0(%sum: f32, %v: f32):
    %1 = arith.addf %sum, %v : f32
    dietcode.yield %1 : f32
  } -> tensor<?x5x4xf32>
  return %0 : tensor<?x5x4xf32>
}

// CHECK-LABEL: func.func @batch_buffers(
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : memref<?x5x8xf32>, memref<?x8x4xf32>) outs(%{{.*}} : memref<?x5x4xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @batch_buffers(%a: memref<?x5x8xf32>, %b: memref<?x8x4xf32>, %c: memref<?x5x4xf32>) {
  dietcode.contract accumulate ins(%a, %b : memref<?x5x8xf32>, memref<?x8x4xf32>) outs(%c : memref<?x5x4xf32>) maps [#a, #b, #c]
  return
}

// Half precision widens to the type of the sum.
// CHECK-LABEL: func.func @widening(
// CHECK:         ^bb0(%[[X:.+]]: f16, %[[Y:.+]]: f16, %{{.+}}: f32):
// CHECK-NEXT:      arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      arith.extf %[[Y]] : f16 to f32
func.func @widening(%a: memref<?x5x8xf16>, %b: memref<?x8x4xf16>, %c: memref<?x5x4xf32>) {
  dietcode.contract ins(%a, %b : memref<?x5x8xf16>, memref<?x8x4xf16>) outs(%c : memref<?x5x4xf32>) maps [#a, #b, #c]
  return
}

//===----------------------------------------------------------------------===//
// With windows
//===----------------------------------------------------------------------===//

// Linalg has no reads outside of an operand: what is read through a window is
// read in the body, where it is inside.
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x9x16xf32>, %[[W:.+]]: tensor<3x3x16x24xf32>, %[[Y:.+]]: tensor<?x?x7x24xf32>)
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[$FILTER]], #[[$RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK-SAME:      ins(%[[W]] : tensor<3x3x16x24xf32>) outs(%[[Y]] : tensor<?x?x7x24xf32>) {
// CHECK-NEXT:    ^bb0(%[[F:.+]]: f32, %[[ACC:.+]]: f32):
// CHECK-DAG:       %[[I0:.+]] = linalg.index 0
// CHECK-DAG:       %[[I1:.+]] = linalg.index 1
// CHECK-DAG:       %[[I2:.+]] = linalg.index 2
// CHECK-DAG:       %[[I4:.+]] = linalg.index 4
// CHECK-DAG:       %[[I5:.+]] = linalg.index 5
// CHECK-DAG:       %[[I6:.+]] = linalg.index 6
// CHECK-DAG:       %[[TWICE:.+]] = arith.muli %[[I1]], %c2
// CHECK-DAG:       %[[PLUS:.+]] = arith.addi %[[TWICE]], %[[I4]]
// CHECK-DAG:       %[[ROW:.+]] = arith.addi %[[PLUS]], %c-1
// CHECK-DAG:       %[[HEIGHT:.+]] = tensor.dim %[[X]], %c1
// CHECK-DAG:       %[[IN_ROW:.+]] = arith.cmpi ult, %[[ROW]], %[[HEIGHT]]
// CHECK-DAG:       %[[COLUMN:.+]] = arith.addi %[[I2]], %[[I5]]
// CHECK-DAG:       %[[IN_COLUMN:.+]] = arith.cmpi ult, %[[COLUMN]], %c9
// CHECK:           %[[INSIDE:.+]] = arith.andi %[[IN_ROW]], %[[IN_COLUMN]]
// CHECK-NEXT:      %[[E:.+]] = scf.if %[[INSIDE]] -> (f32) {
// CHECK-NEXT:        %[[READ:.+]] = tensor.extract %[[X]][%[[I0]], %[[ROW]], %[[COLUMN]], %[[I6]]]
// CHECK-NEXT:        scf.yield %[[READ]]
// CHECK-NEXT:      } else {
// CHECK:             scf.yield %{{.*}} : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[E]], %[[F]]
// CHECK-NEXT:      arith.addf %[[ACC]], %[[P]]
func.func @window(%x: tensor<?x?x9x16xf32>, %w: tensor<3x3x16x24xf32>, %y: tensor<?x?x7x24xf32>) -> tensor<?x?x7x24xf32> {
  %0 = dietcode.contract accumulate ins(%x, %w : tensor<?x?x9x16xf32>, tensor<3x3x16x24xf32>)
      outs(%y : tensor<?x?x7x24xf32>) maps [#image, #filter, #result] -> tensor<?x?x7x24xf32>
  return %0 : tensor<?x?x7x24xf32>
}

// The image as the second factor, on buffers.
// CHECK-LABEL: func.func @window_buffers(
// CHECK-SAME:    %[[X:.+]]: memref<?x?x9x16xf32>, %[[W:.+]]: memref<3x3x16x24xf32>, %[[Y:.+]]: memref<?x?x7x24xf32>)
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[Y]]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[W]] : memref<3x3x16x24xf32>) outs(%[[Y]] : memref<?x?x7x24xf32>) {
// CHECK-NEXT:    ^bb0(%[[F:.+]]: f32, %{{.+}}: f32):
// CHECK:           memref.dim %[[X]], %c1
// CHECK:           %[[E:.+]] = scf.if
// CHECK-NEXT:        memref.load %[[X]][
// CHECK:           arith.mulf %[[F]], %[[E]]
func.func @window_buffers(%x: memref<?x?x9x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<?x?x7x24xf32>) {
  dietcode.contract ins(%w, %x : memref<3x3x16x24xf32>, memref<?x?x9x16xf32>) outs(%y : memref<?x?x7x24xf32>)
      maps [#filter, #image, #result]
  return
}

// What linalg cannot say stays.
// CHECK-LABEL: func.func @destination_in_epilogue(
// CHECK-NEXT:    dietcode.contract
func.func @destination_in_epilogue(%a: memref<?x5x8xf32>, %b: memref<?x8x4xf32>, %c: memref<?x5x4xf32>) {
  dietcode.contract ins(%a, %b : memref<?x5x8xf32>, memref<?x8x4xf32>) outs(%c : memref<?x5x4xf32>) maps [#a, #b, #c]
      epilogue(%c : memref<?x5x4xf32>) maps [affine_map<(b, m, n) -> (b, m, n)>] do {
  ^bb0(%sum: f32, %v: f32):
    %1 = arith.mulf %sum, %v : f32
    dietcode.yield %1 : f32
  }
  return
}
