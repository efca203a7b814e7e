// RUN: dietcode-opt %s --convert-dietcode-dispatch-to-scf --canonicalize --split-input-file | FileCheck %s

// Inside of the domain, a tree of comparisons; outside, the general kernel. What
// nothing refers to any more is erased.
// CHECK-NOT: dietcode.
// CHECK-LABEL: func.func @tree
// CHECK-SAME: (%[[M:.*]]: index)
// CHECK-DAG: %[[SMALL:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[LARGE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[GENERAL:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C400:.*]] = arith.constant 400 : index
// CHECK-DAG: %[[C2048:.*]] = arith.constant 2048 : index
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge, %[[M]], %[[C16]]
// CHECK: %[[BELOW:.*]] = arith.cmpi sle, %[[M]], %[[C2048]]
// CHECK: %[[INSIDE:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK: %[[CHOICE:.*]] = scf.if %[[INSIDE]] -> (index) {
// CHECK:   %[[LEFT:.*]] = arith.cmpi sle, %[[M]], %[[C400]]
// CHECK:   %[[CASE:.*]] = arith.select %[[LEFT]], %[[SMALL]], %[[LARGE]]
// CHECK:   scf.yield %[[CASE]]
// CHECK: } else {
// CHECK:   scf.yield %[[GENERAL]]
// CHECK: return %[[CHOICE]]
dietcode.shape_var @T range [1, 128]
dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.micro_kernel @general #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.workload @w over [@T] instances [[5]]
dietcode.dispatch @d on (m in [16, 2048]) {
  case m in [16, 400] -> @small
  case m in [401, 2048] -> @large
  otherwise -> @general
}
func.func @tree(%m: index) -> index attributes {dietcode.workload = @w} {
  %0 = dietcode.select @d(%m)
  return %0 : index
}

// -----

// One kernel for everything: nothing is compared.
// CHECK-LABEL: func.func @one_kernel
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: return %[[ZERO]]
dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.dispatch @d on (m in [16, 2048]) {
  case m in [16, 2048] -> @k
  otherwise -> @k
}
func.func @one_kernel(%m: index) -> index {
  %0 = dietcode.select @d(%m)
  return %0 : index
}

// -----

// No dimensions: the case, not the general kernel.
// CHECK-LABEL: func.func @static
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: return %[[ZERO]]
dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @general #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on () {
  case -> @k
  otherwise -> @general
}
func.func @static() -> index {
  %0 = dietcode.select @d()
  return %0 : index
}

// -----

// Sizes that are constants fold, at the ends of cases and outside of the domain.
// CHECK-LABEL: func.func @constant_sizes
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: return %[[TWO]], %[[ZERO]], %[[ZERO]], %[[ONE]], %[[ONE]], %[[TWO]]
dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.micro_kernel @general #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (m in [16, 2048]) {
  case m in [16, 400] -> @small
  case m in [401, 2048] -> @large
  otherwise -> @general
}
func.func @constant_sizes() -> (index, index, index, index, index, index) {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c400 = arith.constant 400 : index
  %c401 = arith.constant 401 : index
  %c2048 = arith.constant 2048 : index
  %c2049 = arith.constant 2049 : index
  %0 = dietcode.select @d(%c15)
  %1 = dietcode.select @d(%c16)
  %2 = dietcode.select @d(%c400)
  %3 = dietcode.select @d(%c401)
  %4 = dietcode.select @d(%c2048)
  %5 = dietcode.select @d(%c2049)
  return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
}

// -----

// Two dimensions, with cases that no single comparison separates.
// CHECK-LABEL: func.func @two_dimensions
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: return %[[ZERO]], %[[ONE]], %[[TWO]], %[[ONE]], %[[ZERO]]
dietcode.micro_kernel @a #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @b #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.micro_kernel @c #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @pinwheel on (m in [0, 2], n in [0, 2]) {
  case m in [0, 1], n in [0, 0] -> @a
  case m in [2, 2], n in [0, 1] -> @b
  case m in [1, 1], n in [1, 1] -> @c
  case m in [0, 0], n in [1, 2] -> @b
  case m in [1, 2], n in [2, 2] -> @a
  otherwise -> @c
}
func.func @two_dimensions() -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = dietcode.select @pinwheel(%c1, %c0)
  %1 = dietcode.select @pinwheel(%c2, %c1)
  %2 = dietcode.select @pinwheel(%c1, %c1)
  %3 = dietcode.select @pinwheel(%c0, %c2)
  %4 = dietcode.select @pinwheel(%c1, %c2)
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}

// -----

// A dispatch that an operator still needs stays, with its micro-kernels, and so
// does a shape variable that is bound.
// CHECK-DAG: dietcode.shape_var @T
// CHECK-DAG: dietcode.micro_kernel @k
// CHECK-DAG: dietcode.dispatch @d
// CHECK-LABEL: func.func @still_needed
dietcode.shape_var @T range [1, 128]
dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.dispatch @d on () {
  case -> @k
  otherwise -> @k
}
func.func @still_needed(%a: memref<?x4xf32>, %b: memref<4x4xf32>, %c: memref<?x4xf32>) {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 4)> : memref<?x4xf32>
  dietcode.matmul dispatch(@d) ins(%a, %b : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}
