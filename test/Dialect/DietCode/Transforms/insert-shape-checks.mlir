// RUN: dietcode-opt %s --dietcode-insert-shape-checks --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-insert-shape-checks --canonicalize --split-input-file | FileCheck %s --check-prefix=FOLDED

// A single dimension defines its variable; there is nothing to compare.
// CHECK-NOT: dietcodeShapeMismatch
// CHECK-LABEL: func.func @one_dimension
// CHECK-NOT: bind_shape
// CHECK-NOT: scf.if
// CHECK: return
dietcode.shape_var @T range [1, 128]
func.func @one_dimension(%x: tensor<?x768xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, 768)> : tensor<?x768xf32>
  return
}

// -----

// The second dimension must agree with the first one. The runtime is declared
// once and called with the sizes and a message for the user.
// CHECK-DAG: llvm.func @dietcodeShapeMismatch(!llvm.ptr, i64, i64)
// CHECK-DAG: llvm.mlir.global internal constant @[[$MESSAGE:dietcode_shape_message.*]]("{{.*}}insert-shape-checks.mlir:{{[0-9]+:[0-9]+}}: dimension 0 of argument 1 of @two_operands does not fit the other operands\00")
// CHECK-LABEL: func.func @two_operands
// CHECK-SAME: (%[[X:.*]]: tensor<?x768xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK: %[[T:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[ACTUAL:.*]] = tensor.dim %[[Y]], %{{.*}}
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[ACTUAL]], %[[T]] : index
// CHECK: scf.if %[[DIFFERS]] {
// CHECK-DAG: %[[TEXT:.*]] = llvm.mlir.addressof @[[$MESSAGE]]
// CHECK-DAG: %[[ACTUAL_64:.*]] = arith.index_cast %[[ACTUAL]] : index to i64
// CHECK-DAG: %[[EXPECTED_64:.*]] = arith.index_cast %[[T]] : index to i64
// CHECK: llvm.call @dietcodeShapeMismatch(%[[TEXT]], %[[ACTUAL_64]], %[[EXPECTED_64]])
// CHECK-NOT: llvm.call
dietcode.shape_var @T range [1, 128]
func.func @two_operands(%x: tensor<?x768xf32>, %y: tensor<?xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, 768)> : tensor<?x768xf32>
  dietcode.bind_shape %y [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  return
}

// -----

// A multiple: the variable is the quotient, and the remainder must be zero.
// CHECK-LABEL: func.func @multiple
// CHECK: %[[DIM:.*]] = memref.dim
// CHECK: %[[EXPECTED:.*]] = arith.muli %{{.*}}, %c16
// CHECK: arith.cmpi ne, %{{.*}}, %[[EXPECTED]]
// CHECK: scf.if
// CHECK: llvm.call @dietcodeShapeMismatch
dietcode.shape_var @T range [1, 128]
func.func @multiple(%x: memref<?x768xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : memref<?x768xf32>
  return
}

// -----

// A dynamic dimension that is bound to a constant.
// CHECK-LABEL: func.func @constant
// CHECK: %[[DIM:.*]] = tensor.dim
// CHECK: arith.cmpi ne, %[[DIM]], %c768
// CHECK: llvm.call @dietcodeShapeMismatch
func.func @constant(%x: tensor<4x?xf32>) {
  dietcode.bind_shape %x [], affine_map<() -> (4, 768)> : tensor<4x?xf32>
  return
}

// -----

// A static dimension gives the variable: 48 = 16 * 3. What types prove folds.
// FOLDED-LABEL: func.func @static
// FOLDED-SAME: (%[[X:.*]]: tensor<48x4xf32>, %[[Y:.*]]: tensor<?xf32>)
// FOLDED: %[[DIM:.*]] = tensor.dim %[[Y]]
// FOLDED: arith.cmpi ne, %[[DIM]], %c3
// FOLDED: llvm.call
// FOLDED-NOT: llvm.call
// FOLDED: return
dietcode.shape_var @T range [1, 128]
func.func @static(%x: tensor<48x4xf32>, %y: tensor<?xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 4)> : tensor<48x4xf32>
  dietcode.bind_shape %y [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  return
}

// -----

// Two dimensions of one value that must be equal.
// CHECK: dimension 1 of argument 0 of @square
// CHECK-LABEL: func.func @square
// CHECK: llvm.call @dietcodeShapeMismatch
// CHECK-NOT: llvm.call
dietcode.shape_var @T range [1, 128]
func.func @square(%x: tensor<?x?xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, t)> : tensor<?x?xf32>
  return
}

// -----

// A variable that no dimension gives alone cannot be checked.
// CHECK-NOT: dietcodeShapeMismatch
// CHECK-LABEL: func.func @not_readable
// CHECK-NOT: scf.if
// CHECK: return
dietcode.shape_var @S range [1, 128]
dietcode.shape_var @T range [1, 128]
func.func @not_readable(%x: tensor<?xf32>) {
  dietcode.bind_shape %x [@S, @T], affine_map<()[s, t] -> (s * t)> : tensor<?xf32>
  return
}

// -----

// A value that is read in one branch is not known in the other one.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK-NOT: llvm.call
// CHECK: } else {
// CHECK-NOT: llvm.call
// CHECK: return
dietcode.shape_var @T range [1, 128]
func.func @branches(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) {
  scf.if %c {
    dietcode.bind_shape %x [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  } else {
    dietcode.bind_shape %y [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  }
  return
}

// -----

// The result of an operation is named by it.
// CHECK: dimension 0 of the result of func.call does not fit
// CHECK-LABEL: func.func @result
dietcode.shape_var @T range [1, 128]
func.func private @extern() -> tensor<?xf32>
func.func @result(%x: tensor<?xf32>) {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  %y = func.call @extern() : () -> tensor<?xf32>
  dietcode.bind_shape %y [@T], affine_map<()[t] -> (t)> : tensor<?xf32>
  return
}

// -----

// What a cast makes static is checked; what was static, or stays dynamic, is not.
// CHECK: dimension 0 of argument 0 of @cast is not what it is cast to
// CHECK-LABEL: func.func @cast
// CHECK-SAME: (%[[X:.+]]: tensor<?x?x4xf32>)
// CHECK: %[[ACTUAL:.+]] = tensor.dim %[[X]], %c0
// CHECK: %[[EXPECTED:.+]] = arith.constant 8 : index
// CHECK: %[[DIFFERS:.+]] = arith.cmpi ne, %[[ACTUAL]], %[[EXPECTED]] : index
// CHECK: scf.if %[[DIFFERS]]
// CHECK-NOT: scf.if
// CHECK: return
func.func @cast(%x: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %0 = tensor.cast %x : tensor<?x?x4xf32> to tensor<8x?x4xf32>
  %1 = tensor.cast %0 : tensor<8x?x4xf32> to tensor<?x?x4xf32>
  return %1 : tensor<?x?x4xf32>
}

// -----

// A slice must end within what it is of: offset + (size - 1) * stride + 1, if there
// is anything in it. All of a dimension needs no check.
// CHECK-DAG: dimension 0 of argument 0 of @slices is too small for the slice
// CHECK-DAG: dimension 1 of argument 1 of @slices is too small for the slice
// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<4x16xf32>, %[[N:.+]]: index)
// CHECK: %[[LAST:.+]] = arith.subi %[[N]], %{{.+}} : index
// CHECK: %[[STRIDED:.+]] = arith.muli %[[LAST]], %c3{{.*}} : index
// CHECK: %[[SHIFTED:.+]] = arith.addi %[[STRIDED]], %c2{{.*}} : index
// CHECK: %[[EXPECTED:.+]] = arith.addi %[[SHIFTED]], %c1{{.*}} : index
// CHECK: %[[ACTUAL:.+]] = tensor.dim %[[X]], %c0
// CHECK: %[[TAKEN:.+]] = arith.cmpi sge, %[[N]], %c1{{.*}} : index
// CHECK: %[[BEYOND:.+]] = arith.cmpi slt, %[[ACTUAL]], %[[EXPECTED]] : index
// CHECK: %[[BAD:.+]] = arith.andi %[[TAKEN]], %[[BEYOND]] : i1
// CHECK: scf.if %[[BAD]]
// CHECK: tensor.extract_slice
// CHECK: scf.if
// CHECK: tensor.insert_slice
// CHECK-NOT: scf.if
// CHECK: return
func.func @slices(%x: tensor<?x?xf32>, %y: tensor<4x16xf32>, %n: index) -> (tensor<?x?xf32>, tensor<4x16xf32>) {
  %c1 = arith.constant 1 : index
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = tensor.extract_slice %x[2, 0] [%n, %k] [3, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.extract_slice %y[0, 0] [2, 3] [1, 1] : tensor<4x16xf32> to tensor<2x3xf32>
  %2 = tensor.insert_slice %1 into %y[0, %n] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x16xf32>
  return %0, %2 : tensor<?x?xf32>, tensor<4x16xf32>
}

// -----

// Side by side, all dimensions but one are those of the first operand.
// CHECK: dimension 0 of argument 1 of @concat does not fit the other operands
// CHECK-LABEL: func.func @concat
// CHECK-SAME: (%[[X:.+]]: tensor<?x8x2xf32>, %[[Y:.+]]: tensor<?x?x2xf32>)
// CHECK: %[[ACTUAL:.+]] = tensor.dim %[[Y]], %c0
// CHECK: %[[EXPECTED:.+]] = tensor.dim %[[X]], %c0
// CHECK: arith.cmpi ne, %[[ACTUAL]], %[[EXPECTED]] : index
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: tensor.concat
func.func @concat(%x: tensor<?x8x2xf32>, %y: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<?x8x2xf32>, tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  return %0 : tensor<?x?x2xf32>
}

// -----

// Nor may it begin before what it is of, or have a negative size.
// CHECK-LABEL: func.func @begins
// CHECK-SAME: (%[[X:.+]]: tensor<?x8xf32>, %[[OFFSET:.+]]: index, %[[SIZE:.+]]: index)
// CHECK: %[[DIM:.+]] = tensor.dim %[[X]]
// CHECK: scf.if
// CHECK: %[[BEFORE:.+]] = arith.cmpi slt, %[[OFFSET]], %{{.+}} : index
// CHECK: %[[TOO_SMALL:.+]] = arith.subi %[[DIM]], %[[OFFSET]] : index
// CHECK: scf.if %[[BEFORE]]
// CHECK: arith.index_cast %[[TOO_SMALL]]
// CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt, %[[SIZE]], %{{.+}} : index
// CHECK: scf.if %[[NEGATIVE]]
// CHECK: tensor.extract_slice
func.func @begins(%x: tensor<?x8xf32>, %offset: index, %size: index) -> tensor<?x8xf32> {
  %0 = tensor.extract_slice %x[%offset, 0] [%size, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
