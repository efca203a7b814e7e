// RUN: dietcode-opt %s --convert-linalg-to-rowwise --split-input-file --allow-unregistered-dialect | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Named operations of each kind.
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
func.func @add(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[Y:.*]] = dietcode.rowwise ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) maps [#[[$ID]], #[[$ID]], #[[$ID]]] do {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Z:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Z]] : f32
  // CHECK-NEXT: dietcode.yield %[[S]] : f32
  // CHECK: return %[[Y]]
  %0 = linalg.add ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<?x?xf32>, %v: tensor<?xf32>, %y: tensor<?x?xf32>, %r: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  // Rows are the columns of what is transposed.
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}}) maps [#[[$SWAP]], #[[$ID]]]
  %0 = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) permutation = [1, 0]
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}}) maps [#[[$COLUMN]], #[[$ID]]]
  %1 = linalg.broadcast ins(%v : tensor<?xf32>) outs(%y : tensor<?x?xf32>) dimensions = [0]
  // What it starts from is not known to be zero.
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?xf32>) outs(%{{.*}}) maps [#[[$ID]], #[[$ROW]], #[[$ROW]]]
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[INIT:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = dietcode.reduce_row add %[[E]]
  // CHECK-NEXT: arith.addf %[[INIT]], %[[SUM]]
  %2 = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%r : tensor<?xf32>) dimensions = [1]
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}}) maps [#[[$ID]], #[[$ID]]]
  %3 = linalg.map { math.absf } ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>)
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}}) maps [#[[$ID]], #[[$ID]]]
  %4 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-NOT: linalg.
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A fill is raised where its elements are asked for.
// CHECK-LABEL: func.func @fill
func.func @fill(%y: tensor<?x?xf32>, %v: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: dietcode.rowwise outs(%{{.*}} : tensor<?x?xf32>) maps [#[[$ID]]] do {
  // CHECK-NEXT: %[[C:.*]] = arith.constant 2.0
  // CHECK-NEXT: dietcode.yield %[[C]]
  %two = arith.constant 2.0 : f32
  %0 = linalg.fill ins(%two : f32) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: %[[S:.*]] = tensor.from_elements %{{.*}} : tensor<f32>
  // CHECK: dietcode.rowwise ins(%[[S]] : tensor<f32>) outs(
  %1 = linalg.fill ins(%v : f32) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// The neutral element goes; of a maximum, the least finite number is not it.
// CHECK-LABEL: func.func @inits
func.func @inits(%x: tensor<?x?xf32>, %r: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %minf = arith.constant 0xFF800000 : f32
  %0 = linalg.fill ins(%minf : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?xf32>) maps [#[[$ID]], #[[$ROW]]]
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: %[[MAX:.*]] = dietcode.reduce_row maximumf %[[E]]
  // CHECK-NEXT: dietcode.yield %[[MAX]]
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %m = arith.maximumf %acc, %e : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %least = arith.constant -3.40282347E+38 : f32
  %2 = linalg.fill ins(%least : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>)
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.constant -3.40282347E+38
  // CHECK-NEXT: %[[MAX:.*]] = dietcode.reduce_row maximumf %[[E]]
  // CHECK-NEXT: arith.maximumf %[[C]], %[[MAX]]
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %m = arith.maximumf %e, %acc : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %nan = arith.constant 0xFFC00000 : f32
  %4 = linalg.fill ins(%nan : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: dietcode.reduce_row maxnumf
  // CHECK-NEXT: dietcode.yield
  %5 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%4 : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %m = arith.maxnumf %e, %acc : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %1, %3, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// An output that is read is an input.
// CHECK-LABEL: func.func @updates
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x?xf32>)
func.func @updates(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: dietcode.rowwise ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[Y]] : tensor<?x?xf32>)
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A matrix by a vector, which nothing is reused of.
// CHECK-LABEL: func.func @matvec
func.func @matvec(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>) maps [#[[$ID]], #[[$COLUMN]], #[[$ROW]]]
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: dietcode.reduce_row add %[[P]]
  %1 = linalg.matvec ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// As torch-mlir emits a reduction that keeps its dimension, with size one.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#keep = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @torch_mean
func.func @torch_mean(%x: tensor<2x?x768xf32>, %init: tensor<2x?x1xf32>, %y: tensor<2x?x768xf32>) -> tensor<2x?x768xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
  // CHECK: %[[OUT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<2x?x1xf32> into tensor<2x?xf32>
  // CHECK: %[[SUM:.*]] = dietcode.rowwise ins(%{{.*}} : tensor<2x?x768xf32>) outs(%[[OUT]] : tensor<2x?xf32>) maps [#[[$ID]], #[[$ROW]]]
  // CHECK: %[[KEPT:.*]] = tensor.expand_shape %[[SUM]] {{\[}}[0], [1, 2]]
  %1 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x?x768xf32>) outs(%0 : tensor<2x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %in, %out : f32
    linalg.yield %3 : f32
  } -> tensor<2x?x1xf32>
  // CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[KEPT]] {{\[}}[0], [1, 2]]
  // CHECK: dietcode.rowwise ins(%{{.*}}, %[[ROW]] : tensor<2x?x768xf32>, tensor<2x?xf32>)
  %2 = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %1 : tensor<2x?x768xf32>, tensor<2x?x1xf32>) outs(%y : tensor<2x?x768xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %cst = arith.constant 7.680000e+02 : f32
    %3 = arith.divf %in_0, %cst : f32
    %4 = arith.subf %in, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x?x768xf32>
  return %2 : tensor<2x?x768xf32>
}

// -----

// The mean of the pixels of an image that keeps its dimensions, as torch-mlir has
// it, and the statistics of a batch: columns are in the order of memory, and rows
// that are neighbours come last.
#nhwc = affine_map<(n, h, w, c) -> (n, h, w, c)>
#keep = affine_map<(n, h, w, c) -> (n, 0, 0, c)>
#channel = affine_map<(w, c, h, n) -> (c)>
#swapped = affine_map<(w, c, h, n) -> (n, c, h, w)>

// CHECK-DAG: #[[$NHWC:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
// CHECK-DAG: #[[$PIXEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-DAG: #[[$NCHW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>
// CHECK-DAG: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-LABEL: func.func @several
func.func @several(%x: tensor<?x?x?x?xf32>, %init: tensor<?x1x1x?xf32>, %r: tensor<?xf32>) -> (tensor<?x1x1x?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<?x1x1x?xf32>) -> tensor<?x1x1x?xf32>
  // CHECK: %[[OUT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] : tensor<?x1x1x?xf32> into tensor<?x?xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?x?x?xf32>) outs(%[[OUT]] : tensor<?x?xf32>) columns(2) maps [#[[$NHWC]], #[[$PIXEL]]] do {
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = dietcode.reduce_row add %[[E]]
  // CHECK-NEXT: dietcode.yield %[[SUM]]
  %1 = linalg.generic {indexing_maps = [#nhwc, #keep], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%x : tensor<?x?x?x?xf32>) outs(%0 : tensor<?x1x1x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %in, %out : f32
    linalg.yield %3 : f32
  } -> tensor<?x1x1x?xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>) columns(3) maps [#[[$NCHW]], #[[$CHANNEL]], #[[$CHANNEL]]] do {
  %2 = linalg.generic {indexing_maps = [#swapped, #channel], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x : tensor<?x?x?x?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %in, %out : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  return %1, %2 : tensor<?x1x1x?xf32>, tensor<?xf32>
}

// -----

// As IREE's input has it: scalars captured from outside, results of several
// types, the reduced dimension first.
#first = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @iree
func.func @iree(%x: tensor<?x?xf16>, %scale: f32, %a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %minf = arith.constant 0xFF800000 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.fill ins(%minf : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[S:.*]] = tensor.from_elements
  // CHECK: dietcode.rowwise ins(%{{.*}}, %[[S]] : tensor<?x?xf16>, tensor<f32>) outs(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>) maps [#[[$SWAP]], #{{.*}}, #[[$ROW]], #[[$ROW]]]
  // CHECK: dietcode.reduce_row add
  // CHECK: dietcode.reduce_row maximumf
  %2:2 = linalg.generic {indexing_maps = [#first, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf16>) outs(%0, %1 : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%in: f16, %sum: f32, %max: f32):
    %3 = arith.extf %in : f16 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = arith.addf %sum, %4 : f32
    %6 = arith.maximumf %max, %3 : f32
    linalg.yield %5, %6 : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %2#0, %2#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The softmax of a tensor of rank 3 over its middle dimension.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<?x?x?xf32>, %init: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK-COUNT-4: dietcode.rowwise
  // CHECK-NOT: linalg.
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// The maximum as torch-mlir has it for a softmax, with an index nobody uses.
#id = affine_map<(d0, d1) -> (d0, d1)>
#keep = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @torch_max
func.func @torch_max(%x: tensor<?x?xf32>, %v: tensor<?x1xf32>, %i: tensor<?x1xi64>) -> tensor<?x1xf32> {
  %minf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %0 = linalg.fill ins(%minf : f32) outs(%v : tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = linalg.fill ins(%zero : i64) outs(%i : tensor<?x1xi64>) -> tensor<?x1xi64>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?xf32>)
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: %[[M:.*]] = dietcode.reduce_row maximumf %[[E]]
  // CHECK-NEXT: dietcode.yield %[[M]]
  // CHECK-NOT: linalg.
  %2:2 = linalg.generic {indexing_maps = [#id, #keep, #keep], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%0, %1 : tensor<?x1xf32>, tensor<?x1xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %3 = linalg.index 1 : index
    %4 = arith.index_cast %3 : index to i64
    %5 = arith.maximumf %in, %out : f32
    %6 = arith.cmpf ogt, %in, %out : f32
    %7 = arith.select %6, %4, %out_0 : i64
    linalg.yield %5, %7 : f32, i64
  } -> (tensor<?x1xf32>, tensor<?x1xi64>)
  return %2#0 : tensor<?x1xf32>
}

// -----

// To a single element in two steps, unless it is small: of the innermost
// dimension, and of what that gives, where the initial value comes in.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#none = affine_map<(d0, d1, d2) -> ()>

// CHECK-LABEL: func.func @all
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?xf32>, %[[Y:.*]]: tensor<8x8x8xf32>, %[[INIT:.*]]: tensor<f32>)
func.func @all(%x: tensor<?x?x?xf32>, %y: tensor<8x8x8xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[NEW:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
  // CHECK: %[[PARTS:.*]] = dietcode.rowwise ins(%[[X]] : tensor<?x?x?xf32>) outs(%[[NEW]] : tensor<?x?xf32>) maps [
  // CHECK: arith.mulf
  // CHECK: dietcode.reduce_row add
  // CHECK: dietcode.rowwise ins(%[[PARTS]], %[[INIT]] : tensor<?x?xf32>, tensor<f32>) outs(%[[INIT]] : tensor<f32>) columns(2) maps [
  // CHECK-NEXT: ^bb0(%[[PART:.*]]: f32, %[[START:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = dietcode.reduce_row add %[[PART]]
  // CHECK-NEXT: arith.addf %[[START]], %[[SUM]]
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction", "reduction"]} ins(%x : tensor<?x?x?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%e: f32, %acc: f32):
    %2 = arith.mulf %e, %e : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<f32>
  // CHECK: dietcode.rowwise ins(%[[Y]], %[[INIT]] : tensor<8x8x8xf32>, tensor<f32>) outs(%[[INIT]] : tensor<f32>) columns(3)
  // CHECK-NOT: dietcode.rowwise
  // CHECK-NOT: linalg.
  %1 = linalg.reduce { arith.addf } ins(%y : tensor<8x8x8xf32>) outs(%init : tensor<f32>) dimensions = [0, 1, 2]
  return %0, %1 : tensor<f32>, tensor<f32>
}
