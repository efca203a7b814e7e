// RUN: dietcode-opt %s --pass-pipeline="builtin.module(func.func(dietcode-lower-reshapes))" | FileCheck %s
// RUN: dietcode-opt %s --dietcode-to-llvm -o /dev/null

// CHECK-LABEL: func @two(
// CHECK-SAME:      %[[A:.*]]: memref<?x24xf32>, %[[B:.*]]: index, %[[T:.*]]: index
// CHECK:         %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[STRIDE:.*]] = arith.muli %{{.*}}, %[[T]]
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[T]], 24], strides: [%[[STRIDE]], 24, 1]
func.func @two(%a: memref<?x24xf32>, %b: index, %t: index) -> f32 {
  %c1 = arith.constant 1 : index
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 24] : memref<?x24xf32> into memref<?x?x24xf32>
  %x = memref.load %e[%c1, %c1, %c1] : memref<?x?x24xf32>
  return %x : f32
}

// Strides and offset of the source are kept.
// CHECK-LABEL: func @strided(
// CHECK:         %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
// CHECK:         %[[OUTER:.*]] = arith.muli %[[STRIDES]]#0, %{{.*}}
// CHECK:         reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%{{.*}}, %{{.*}}, 8], strides: [%[[OUTER]], %[[STRIDES]]#0, 2]
func.func @strided(%a: memref<?x8xf32, strided<[?, 2], offset: ?>>, %b: index, %t: index) -> f32 {
  %c1 = arith.constant 1 : index
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 8]
      : memref<?x8xf32, strided<[?, 2], offset: ?>> into memref<?x?x8xf32, strided<[?, ?, 2], offset: ?>>
  %x = memref.load %e[%c1, %c1, %c1] : memref<?x?x8xf32, strided<[?, ?, 2], offset: ?>>
  return %x : f32
}

// One dynamic size in a group is MLIR's business.
// CHECK-LABEL: func @one(
// CHECK:         memref.expand_shape
func.func @one(%a: memref<?x24xf32>, %b: index) -> f32 {
  %c1 = arith.constant 1 : index
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, 4, 24] : memref<?x24xf32> into memref<?x4x24xf32>
  %x = memref.load %e[%c1, %c1, %c1] : memref<?x4x24xf32>
  return %x : f32
}
