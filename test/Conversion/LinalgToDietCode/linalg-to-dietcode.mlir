// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

// Raising is idempotent: what it leaves, it leaves.
// RUN: dietcode-opt %s --convert-linalg-to-dietcode > %t.once
// RUN: dietcode-opt %t.once --convert-linalg-to-dietcode | diff %t.once -

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[A:.+]]: tensor<?x768xf32>, %[[B:.+]]: tensor<768x2304xf32>, %[[C:.+]]: tensor<?x2304xf32>
// CHECK-NEXT:    %[[D:.+]] = dietcode.matmul accumulate ins(%[[A]], %[[B]] : tensor<?x768xf32>, tensor<768x2304xf32>)
// CHECK-SAME:      outs(%[[C]] : tensor<?x2304xf32>) -> tensor<?x2304xf32>
// CHECK-NEXT:    return %[[D]]
func.func @named(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>,
                 %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>)
                     outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}

// A named operation is what its maps say: this one is transposed.
// CHECK-LABEL: func.func @named_transpose_b(
// CHECK:         dietcode.matmul transpose_b accumulate ins(%{{.+}}, %{{.+}} : tensor<?x8xf32>, tensor<4x8xf32>)
func.func @named_transpose_b(%a: tensor<?x8xf32>, %b: tensor<4x8xf32>,
                             %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
         ins(%a, %b : tensor<?x8xf32>, tensor<4x8xf32>)
         outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @named_transpose_a(
// CHECK:         dietcode.matmul transpose_a accumulate ins(%{{.+}}, %{{.+}} : tensor<8x?xf32>, tensor<8x4xf32>)
func.func @named_transpose_a(%a: tensor<8x?xf32>, %b: tensor<8x4xf32>,
                             %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
         ins(%a, %b : tensor<8x?xf32>, tensor<8x4xf32>)
         outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @contract_transpose_both(
// CHECK:         dietcode.matmul transpose_a transpose_b accumulate ins(%{{.+}}, %{{.+}} : tensor<8x?xf32>, tensor<4x8xf32>)
func.func @contract_transpose_both(%a: tensor<8x?xf32>, %b: tensor<4x8xf32>,
                                   %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.contract indexing_maps = [#km, #nk, #mn]
         ins(%a, %b : tensor<8x?xf32>, tensor<4x8xf32>)
         outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The result is written transposed: the factors swap, C^T = B^T A^T.
// CHECK-LABEL: func.func @transposed_result(
// CHECK-SAME:    %[[A:.+]]: tensor<5x8xf32>, %[[B:.+]]: tensor<8x4xf32>, %[[C:.+]]: tensor<4x5xf32>
// CHECK:         dietcode.matmul transpose_a transpose_b accumulate ins(%[[B]], %[[A]] : tensor<8x4xf32>, tensor<5x8xf32>)
// CHECK-SAME:      outs(%[[C]] : tensor<4x5xf32>)
func.func @transposed_result(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                             %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.contract indexing_maps = [#mk, #kn, #nm]
         ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
         outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The same with both factors transposed, which undoes their transposition.
// CHECK-LABEL: func.func @transposed_everything(
// CHECK-SAME:    %[[A:.+]]: tensor<8x5xf32>, %[[B:.+]]: tensor<4x8xf32>
// CHECK:         dietcode.matmul accumulate ins(%[[B]], %[[A]] : tensor<4x8xf32>, tensor<8x5xf32>)
func.func @transposed_everything(%a: tensor<8x5xf32>, %b: tensor<4x8xf32>,
                                 %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.contract indexing_maps = [#km, #nk, #nm]
         ins(%a, %b : tensor<8x5xf32>, tensor<4x8xf32>)
         outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The second input has the rows of the result: it is the left factor.
// CHECK-LABEL: func.func @factors_in_other_order(
// CHECK-SAME:    %[[B:.+]]: tensor<8x4xf32>, %[[A:.+]]: tensor<5x8xf32>
// CHECK:         dietcode.matmul accumulate ins(%[[A]], %[[B]] : tensor<5x8xf32>, tensor<8x4xf32>)
func.func @factors_in_other_order(%b: tensor<8x4xf32>, %a: tensor<5x8xf32>,
                                  %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.contract indexing_maps = [#kn, #mk, #mn]
         ins(%b, %a : tensor<8x4xf32>, tensor<5x8xf32>)
         outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Loops in the order k, n, m and operands of the body swapped.
// CHECK-LABEL: func.func @generic_loop_order(
// CHECK:         dietcode.matmul transpose_b accumulate ins(%{{.+}}, %{{.+}} : tensor<5x8xf32>, tensor<4x8xf32>)
func.func @generic_loop_order(%a: tensor<5x8xf32>, %b: tensor<4x8xf32>,
                              %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(k, n, m) -> (m, k)>,
                       affine_map<(k, n, m) -> (n, k)>,
                       affine_map<(k, n, m) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<5x8xf32>, tensor<4x8xf32>)
      outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %y, %x : f32
    %2 = arith.addf %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// A transposition of a factor (torch-mlir's aten.linear) goes into its map.
// CHECK-LABEL: func.func @transposed_factor(
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>, %[[W:.+]]: tensor<4x8xf32>
// CHECK-NEXT:    dietcode.matmul transpose_b accumulate ins(%[[X]], %[[W]] : tensor<?x8xf32>, tensor<4x8xf32>)
func.func @transposed_factor(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>,
                             %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %empty = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%empty : tensor<8x4xf32>)
         permutation = [1, 0]
  %0 = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A factor that is a broadcast vector stays the matrix that it is.
// CHECK-LABEL: func.func @broadcast_factor(
// CHECK:         %[[T:.+]] = linalg.broadcast
// CHECK:         dietcode.matmul accumulate ins(%{{.+}}, %[[T]] :
func.func @broadcast_factor(%x: tensor<?x8xf32>, %w: tensor<4xf32>,
                            %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %empty = tensor.empty() : tensor<8x4xf32>
  %t = linalg.broadcast ins(%w : tensor<4xf32>) outs(%empty : tensor<8x4xf32>)
         dimensions = [0]
  %0 = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @f64(
// CHECK:         dietcode.matmul accumulate ins(%{{.+}}, %{{.+}} : tensor<?x?xf64>, tensor<?x?xf64>)
func.func @f64(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>,
               %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>)
                     outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @f16(
// CHECK:         dietcode.matmul accumulate ins(%{{.+}}, %{{.+}} : tensor<?x?xf16>, tensor<?x?xf16>)
func.func @f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>,
               %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
                     outs(%c : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @i32(
// CHECK:         dietcode.matmul ins(%{{.+}}, %{{.+}} : tensor<?x?xi32>, tensor<?x?xi32>)
func.func @i32(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>,
               %init: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %zero = arith.constant 0 : i32
  %c = linalg.fill ins(%zero : i32) outs(%init : tensor<?x?xi32>) -> tensor<?x?xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
                     outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

//===----------------------------------------------------------------------===//
// Destinations on tensors
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @zero_filled(
// CHECK-SAME:    %[[INIT:[^,]+]]: tensor<?x4xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         dietcode.matmul ins({{.*}}) outs(%[[INIT]] :
func.func @zero_filled(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                       %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Another user still needs the fill.
// CHECK-LABEL: func.func @zero_filled_twice_used(
// CHECK-SAME:    %[[INIT:[^,]+]]: tensor<?x4xf32>)
// CHECK:         %[[FILL:.+]] = linalg.fill
// CHECK:         %[[D:.+]] = dietcode.matmul ins({{.*}}) outs(%[[INIT]] :
// CHECK:         return %[[D]], %[[FILL]]
func.func @zero_filled_twice_used(
    %a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
    %init: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %c : tensor<?x4xf32>, tensor<?x4xf32>
}

// A fill that is spelled as a generic.
// CHECK-LABEL: func.func @zero_filled_by_generic(
// CHECK-NOT:     linalg.generic
// CHECK:         dietcode.matmul ins(
func.func @zero_filled_by_generic(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                                  %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%init : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A constant cannot be written to.
// CHECK-LABEL: func.func @zero_constant(
// CHECK:         %[[INIT:.+]] = tensor.empty() : tensor<5x4xf32>
// CHECK:         dietcode.matmul ins({{.*}}) outs(%[[INIT]] :
func.func @zero_constant(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>) -> tensor<5x4xf32> {
  %c = arith.constant dense<0.0> : tensor<5x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -0.0 + -0.0 is -0.0, but the sum of nothing and -0.0 is 0.0.
// CHECK-LABEL: func.func @negative_zero_filled(
// CHECK:         %[[FILL:.+]] = linalg.fill
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%[[FILL]] :
func.func @negative_zero_filled(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                                %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant -0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @one_filled(
// CHECK:         %[[FILL:.+]] = linalg.fill
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%[[FILL]] :
func.func @one_filled(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                      %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %one = arith.constant 1.0 : f32
  %c = linalg.fill ins(%one : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// What an empty tensor holds is undefined, but it is read.
// CHECK-LABEL: func.func @empty_destination(
// CHECK:         %[[C:.+]] = tensor.empty
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%[[C]] :
func.func @empty_destination(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>) -> tensor<5x4xf32> {
  %c = tensor.empty() : tensor<5x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
