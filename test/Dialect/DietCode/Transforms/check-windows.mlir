// RUN: dietcode-opt %s --dietcode-insert-shape-checks --split-input-file | FileCheck %s

// What is read through a window, 2 * (rows - 1) + (filter rows - 1) - 1, must be
// less than the rows and the padding behind them, if anything is read.
// CHECK: llvm.mlir.global internal constant @dietcode_shape_message("{{.*}}check-windows.mlir:{{[0-9:]+}} dimension 1 of argument 0 of @dynamic is smaller than what is read of it\00")
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:.*]]: memref<?x?x9x16xf32>, %[[W:.*]]: memref<?x3x16x24xf32>, %[[Y:.*]]: memref<?x?x7x24xf32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[Y]], %c1
// CHECK:         %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
// CHECK:         %[[START:.*]] = arith.muli %[[LAST]], %c2
// CHECK:         %[[BASE:.*]] = arith.addi %[[START]], %c-1
// CHECK:         %[[ANY_ROW:.*]] = arith.cmpi sge, %[[ROWS]], %c1
// CHECK:         %[[FILTER:.*]] = memref.dim %[[W]], %c0
// CHECK:         %[[TAP:.*]] = arith.subi %[[FILTER]], %c1
// CHECK:         %[[NEEDED:.*]] = arith.addi %[[BASE]], %[[TAP]]
// CHECK:         %[[ANY_TAP:.*]] = arith.cmpi sge, %[[FILTER]], %c1
// CHECK:         %[[ANY:.*]] = arith.andi %[[ANY_ROW]], %[[ANY_TAP]]
// CHECK:         %[[HEIGHT:.*]] = memref.dim %[[X]], %c1
// CHECK:         %[[SMALL:.*]] = arith.cmpi slt, %[[HEIGHT]], %[[NEEDED]]
// CHECK:         %[[WRONG:.*]] = arith.andi %[[ANY]], %[[SMALL]]
// CHECK:         scf.if %[[WRONG]] {
// CHECK:           llvm.call @dietcodeShapeMismatch
// CHECK-NOT:     llvm.call
// CHECK:         dietcode.contract
// CHECK-NOT:     padding [
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y * 2 + fy - 1, x + fx, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @dynamic(%x: memref<?x?x9x16xf32>, %w: memref<?x3x16x24xf32>, %y: memref<?x?x7x24xf32>) {
  dietcode.contract ins(%x, %w : memref<?x?x9x16xf32>, memref<?x3x16x24xf32>) outs(%y : memref<?x?x7x24xf32>)
      maps [#image, #filter, #result] padding [1, 0]
  return
}

// -----

// An operator of which nothing is said reads zeros as far as it likes.
// CHECK-LABEL: func.func @unlimited(
// CHECK-NEXT:    dietcode.contract
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y * 2 + fy - 1, x + fx, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @unlimited(%x: memref<?x?x9x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<?x?x7x24xf32>) {
  dietcode.contract ins(%x, %w : memref<?x?x9x16xf32>, memref<3x3x16x24xf32>) outs(%y : memref<?x?x7x24xf32>)
      maps [#image, #filter, #result]
  return
}

// -----

// A static image that is too small, and one that nothing is read of.
// CHECK-LABEL: func.func @static(
// CHECK:         scf.if %true
// CHECK:           llvm.call @dietcodeShapeMismatch
// CHECK-NOT:     scf.if
#a = affine_map<(m, n, k) -> (m + k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @static(%x: tensor<9xf32>, %w: tensor<3x4xf32>, %y: tensor<8x4xf32>, %z: tensor<0x4xf32>, %v: tensor<99x4xf32>) -> (tensor<8x4xf32>, tensor<99x4xf32>) {
  %0 = dietcode.contract ins(%x, %w : tensor<9xf32>, tensor<3x4xf32>) outs(%y : tensor<8x4xf32>)
      maps [#a, #b, #c] padding [0] -> tensor<8x4xf32>
  %1 = dietcode.contract ins(%x, %z : tensor<9xf32>, tensor<0x4xf32>) outs(%v : tensor<99x4xf32>)
      maps [#a, #b, #c] padding [0] -> tensor<99x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<99x4xf32>
}
