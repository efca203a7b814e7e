// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

// Products of narrow factors are raised with sums of 32 bits, which is what the
// operator computes with in any case, and with sums of their own type.

#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @f16_f32(
// CHECK:         dietcode.matmul ins(%{{.+}}, %{{.+}} : tensor<?x?xf16>, tensor<?x?xf16>) outs(%{{.+}} : tensor<?x?xf32>)
func.func @f16_f32(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Sums in f32, although the body adds in f16.
// CHECK-LABEL: func.func @f16_f16(
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%{{.+}} : tensor<?x?xf16>)
func.func @f16_f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @i8(
// CHECK:         dietcode.matmul accumulate ins(%{{.+}}, %{{.+}} : memref<?x?xi8>, memref<?x?xi8>) outs(%{{.+}} : memref<?x?xi32>)
func.func @i8(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  linalg.matmul ins(%a, %b : memref<?x?xi8>, memref<?x?xi8>) outs(%c : memref<?x?xi32>)
  return
}

// A bias, in f32, and a rounding to what is written.
// CHECK-LABEL: func.func @dense(
// CHECK-SAME:    %[[INIT:[^:]+]]: tensor<?x?xf16>)
// CHECK-NEXT:    %[[Y:.+]] = dietcode.matmul ins({{.*}}) outs(%[[INIT]] : tensor<?x?xf16>) epilogue(%{{.+}} : tensor<?xf16>) maps {{.*}} do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[BIAS:.+]]: f16):
// CHECK-NEXT:      %[[B:.+]] = arith.extf %[[BIAS]] : f16 to f32
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[SUM]], %[[B]] : f32
// CHECK-NEXT:      %[[R:.+]] = arith.truncf %[[S]] : f32 to f16
// CHECK-NEXT:      dietcode.yield %[[R]] : f16
// CHECK-NEXT:    } -> tensor<?x?xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @dense(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>, %c: tensor<?x?xf32>,
                 %init: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias : tensor<?x?xf32>, tensor<?xf16>) outs(%init : tensor<?x?xf16>) {
  ^bb0(%x: f32, %y: f16, %out: f16):
    %3 = arith.extf %y : f16 to f32
    %4 = arith.addf %x, %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<?x?xf16>
  return %2 : tensor<?x?xf16>
}
