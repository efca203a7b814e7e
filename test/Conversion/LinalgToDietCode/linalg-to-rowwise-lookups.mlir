// RUN: dietcode-opt %s --convert-linalg-to-rowwise --split-input-file --verify-diagnostics | FileCheck %s

// An embedding as torch-mlir has it. Assertions about the index go: it is kept
// within the table.
#ids = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-DAG: #[[$IDS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$LOOKUP:.*]] = affine_map<(d0, d1, d2)[s0] -> (s0, d2)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @embedding
// CHECK-SAME: (%[[IDS:.*]]: tensor<?x?xi64>, %[[TABLE:.*]]: tensor<30522x768xf32>, %[[INIT:.*]]: tensor<?x?x768xf32>)
func.func @embedding(%ids: tensor<?x?xi64>, %table: tensor<30522x768xf32>, %init: tensor<?x?x768xf32>) -> tensor<?x?x768xf32> {
  %c30522 = arith.constant 30522 : index
  %zero = arith.constant 0 : i64
  // CHECK: dietcode.rowwise ins(%[[IDS]], %[[TABLE]] : tensor<?x?xi64>, tensor<30522x768xf32>) outs(%[[INIT]] : tensor<?x?x768xf32>) maps [#[[$IDS]], #[[$LOOKUP]], #[[$ID]]] do {
  // CHECK-NEXT: ^bb0(%{{.*}}: i64, %[[E:.*]]: f32):
  // CHECK-NEXT: dietcode.yield %[[E]] : f32
  %0 = linalg.generic {indexing_maps = [#ids, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<?x?xi64>) outs(%init : tensor<?x?x768xf32>) {
  ^bb0(%in: i64, %out: f32):
    %1 = arith.index_cast %in : i64 to index
    %2 = linalg.index 2 : index
    %3 = arith.cmpi slt, %1, %c30522 : index
    cf.assert %3, "index must be smaller than dim size"
    %4 = arith.cmpi sge, %in, %zero : i64
    cf.assert %4, "index must be larger or equal to 0"
    %extracted = tensor.extract %table[%1, %2] : tensor<30522x768xf32>
    linalg.yield %extracted : f32
  } -> tensor<?x?x768xf32>
  return %0 : tensor<?x?x768xf32>
}

// -----

// Of a table that is longer than its loop the first part is read: of one for
// positions, and of one that is not known to be as long. What is read at a
// constant index is one row. The result has as many columns as the table if its
// size is the table's.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[IDS:.*]]: tensor<?xi32>, %[[TABLE:.*]]: tensor<?x?xf16>, %[[POSITIONS:.*]]: tensor<512x768xf16>, %[[INIT:.*]]: tensor<?x768xf16>)
func.func @slices(%ids: tensor<?xi32>, %table: tensor<?x?xf16>, %positions: tensor<512x768xf16>, %init: tensor<?x768xf16>) -> (tensor<?x768xf16>, tensor<?x?xf16>) {
  %zero = arith.constant dense<1> : tensor<8xi32>
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[TABLE]][0, 0] [%{{.*}}, 768] [1, 1] : tensor<?x?xf16> to tensor<?x768xf16>
  // CHECK: %[[T:.*]] = tensor.dim %[[IDS]]
  // CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[POSITIONS]][0, 0] [%[[T]], 768] [1, 1] : tensor<512x768xf16> to tensor<?x768xf16>
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %[[POSITIONS]][7, 0] [1, 768] [1, 1] : tensor<512x768xf16> to tensor<1x768xf16>
  // CHECK: %[[ONE:.*]] = tensor.collapse_shape %[[ROW]] {{\[}}[0, 1]] : tensor<1x768xf16> into tensor<768xf16>
  // CHECK: dietcode.rowwise ins(%[[IDS]], %[[PART]], %[[FIRST]], %[[ONE]] :
  // CHECK: arith.addf
  // CHECK: arith.addf
  %c7 = arith.constant 7 : index
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?xi32>) outs(%init : tensor<?x768xf16>) {
  ^bb0(%in: i32, %out: f16):
    %wide = arith.extsi %in : i32 to i64
    %i = arith.index_cast %wide : i64 to index
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %p = tensor.extract %positions[%r, %c] : tensor<512x768xf16>
    %e = tensor.extract %table[%i, %c] : tensor<?x?xf16>
    %f = tensor.extract %positions[%c7, %c] : tensor<512x768xf16>
    %2 = arith.addf %e, %p : f16
    %3 = arith.addf %2, %f : f16
    linalg.yield %3 : f16
  } -> tensor<?x768xf16>
  // CHECK-NOT: tensor.extract_slice
  // CHECK: dietcode.rowwise ins(%[[IDS]], %[[TABLE]] :
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %ids, %c0 : tensor<?xi32>
  %d = tensor.dim %table, %c1 : tensor<?x?xf16>
  %new = tensor.empty(%t, %d) : tensor<?x?xf16>
  %1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?xi32>) outs(%new : tensor<?x?xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = arith.index_cast %in : i32 to index
    %c = linalg.index 1 : index
    %e = tensor.extract %table[%i, %c] : tensor<?x?xf16>
    linalg.yield %e : f16
  } -> tensor<?x?xf16>
  return %0, %1 : tensor<?x768xf16>, tensor<?x?xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Types of tokens that are all the same are one row; every element may have an
// index of its own.
// CHECK: #[[$LAST:.*]] = affine_map<(d0, d1)[s0] -> (d0, s0)>
// CHECK-LABEL: func.func @elements
func.func @elements(%x: tensor<4x16xf32>, %ids: tensor<4x9xi64>, %init: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xf32>) {
  // CHECK: dietcode.rowwise ins(%{{.*}}, %{{.*}} : tensor<4x9xi64>, tensor<4x16xf32>) outs(%{{.*}}) maps [#{{.*}}, #[[$LAST]], #{{.*}}]
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<4x9xi64>) outs(%init : tensor<4x9xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = linalg.index 0 : index
    %i = arith.index_cast %in : i64 to index
    %e = tensor.extract %x[%r, %i] : tensor<4x16xf32>
    linalg.yield %e : f32
  } -> tensor<4x9xf32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 3] [4, 1] [1, 1] : tensor<4x16xf32> to tensor<4x1xf32>
  // CHECK: dietcode.rowwise
  %threes = arith.constant dense<3> : tensor<4x9xi64>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%threes : tensor<4x9xi64>) outs(%init : tensor<4x9xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = linalg.index 0 : index
    %i = arith.index_cast %in : i64 to index
    %e = tensor.extract %x[%r, %i] : tensor<4x16xf32>
    linalg.yield %e : f32
  } -> tensor<4x9xf32>
  return %0, %1 : tensor<4x9xf32>, tensor<4x9xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Left to the host.
// CHECK-LABEL: func.func @left
// CHECK-NOT: dietcode.rowwise
func.func @left(%x: tensor<4x4xf32>, %b: tensor<4x4xbf16>, %ids: tensor<4x9xi64>, %init: tensor<4x9xf32>, %square: tensor<4x4xf32>, %bs: tensor<4x9xbf16>, %d: tensor<?x?xf32>)
    -> (tensor<4x9xf32>, tensor<4x4xf32>, tensor<4x9xf32>, tensor<4x9xf32>) {
  %c4 = arith.constant 4 : index
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up at an index that it computes}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<4x9xi64>) outs(%init : tensor<4x9xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = linalg.index 0 : index
    %j = arith.addi %in, %in : i64
    %i = arith.index_cast %j : i64 to index
    %e = tensor.extract %x[%r, %i] : tensor<4x4xf32>
    linalg.yield %e : f32
  } -> tensor<4x9xf32>
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up along a diagonal}}
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%square : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %e = tensor.extract %x[%r, %r] : tensor<4x4xf32>
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up outside of the table}}
  %2 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%init : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %s = linalg.index 1 : index
    %e = tensor.extract %x[%r, %s] : tensor<4x4xf32>
    linalg.yield %e : f32
  } -> tensor<4x9xf32>
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up elements of a type that kernels do not compute with}}
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<4x9xi64>) outs(%init : tensor<4x9xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = linalg.index 0 : index
    %i = arith.index_cast %in : i64 to index
    %e = tensor.extract %b[%r, %i] : tensor<4x4xbf16>
    %f = arith.extf %e : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<4x9xf32>
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up at a constant that may be outside of the table}}
  %4 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%3 : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %r = linalg.index 1 : index
    %e = tensor.extract %d[%c4, %r] : tensor<?x?xf32>
    linalg.yield %e : f32
  } -> tensor<4x9xf32>
  return %0, %1, %2, %4 : tensor<4x9xf32>, tensor<4x4xf32>, tensor<4x9xf32>, tensor<4x9xf32>
}

// -----

// A broadcast that is decided at run time, as torch-mlir writes one of a mean over
// columns: what is read has as many rows as the loop, or one, which is the same then.
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<?x64xf32>, %sums: tensor<?x1xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n64 = arith.constant 6.4e+01 : f32
  %rows = tensor.dim %x, %zero : tensor<?x64xf32>
  %column = tensor.empty(%rows) : tensor<?x1xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>)
  %means = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<?x1xf32>) outs(%column : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %mean = arith.divf %in, %n64 : f32
    linalg.yield %mean : f32
  } -> tensor<?x1xf32>
  %init = tensor.empty(%rows) : tensor<?x64xf32>
  // CHECK: dietcode.rowwise ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?x64xf32>) maps [#[[$ROW]], #[[$ID]]]
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%init : tensor<?x64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %isOne = arith.cmpi eq, %rows, %one : index
    %j = arith.select %isOne, %zero, %i : index
    %e = tensor.extract %means[%j, %zero] : tensor<?x1xf32>
    linalg.yield %e : f32
  } -> tensor<?x64xf32>
  // Nothing says that there are as many sums as rows.
  // expected-warning @below {{'linalg.generic' op will run on the host: it looks up at an index that it computes}}
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%init : tensor<?x64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %isOne = arith.cmpi eq, %rows, %one : index
    %j = arith.select %isOne, %zero, %i : index
    %e = tensor.extract %sums[%j, %zero] : tensor<?x1xf32>
    linalg.yield %e : f32
  } -> tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}
