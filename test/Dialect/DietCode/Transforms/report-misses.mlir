// RUN: dietcode-opt %s --dietcode-insert-shape-checks=report-misses --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-insert-shape-checks --split-input-file | FileCheck %s --check-prefix=OFF

// OFF-NOT: dietcodeShapeMiss(

// All variables of the entry block are known before the call is counted; a
// variable that must be a multiple may also miss by that.

// CHECK-DAG: llvm.func @dietcodeShapeMiss(!llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.mlir.global internal constant @[[$WHAT:.*]]("two:H,T\00")
dietcode.shape_var @T range [1, 128]
dietcode.shape_var @H range [64, 1024] multiple_of 64
// CHECK-LABEL: func @two(
func.func @two(%x: tensor<?x?xf32>) {
  // CHECK-DAG:  arith.cmpi slt, %{{.*}}, %c64
  // CHECK-DAG:  arith.cmpi sgt, %{{.*}}, %c1024
  // CHECK-DAG:  arith.remsi %{{.*}}, %c64
  // CHECK-DAG:  arith.cmpi slt, %{{.*}}, %c1
  // CHECK-DAG:  arith.cmpi sgt, %{{.*}}, %c128
  // CHECK:      scf.if
  // CHECK:        llvm.mlir.addressof @[[$WHAT]]
  // CHECK:        llvm.call @dietcodeShapeMiss
  dietcode.bind_shape %x [@T, @H], affine_map<()[t, h] -> (16 * t, h)> : tensor<?x?xf32>
  return
}

// -----

// What is static can be told to be in range.

// CHECK-NOT: dietcodeShapeMiss
dietcode.shape_var @T range [1, 128]
func.func @static(%x: tensor<32xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t)> : tensor<32xf32>
  return
}
