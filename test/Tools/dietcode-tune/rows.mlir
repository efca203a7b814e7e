// Operators on rows are tuned by the same search: reductions, elementwise ones, and
// embeddings, whose indices are all over the table when they are timed. All results are
// verified, whatever their types, and the tuned file compiles as it is.

// RUN: rm -f %t.jsonl
// RUN: dietcode-tune %s --trials 24 --records %t.jsonl --max-kernels 2 -o %t.mlir 2>%t.log
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// LOG: @norms rowwise (rowwise f32 columns v4 {{.*}}): {{[1-9][0-9]*}} of {{[0-9]+}} candidates measured, 0 failed;
// LOG-NEXT: m n k kernel
// LOG-NEXT: 16 96 1 {{[0-9]+x[0-9]+x1_1x[0-9]+}}_rows
// LOG: @signs rowwise (rowwise i8 columns v{{.*}}): {{[1-9][0-9]*}} of {{[0-9]+}} candidates measured, 0 failed;
// LOG: 16 64 1 {{[0-9]+x[0-9]+x1_1x[0-9]+}}_elements
// LOG: @embed rowwise (rowwise f32 columns v4 {{.*}}): {{[1-9][0-9]*}} of {{[0-9]+}} candidates measured, 0 failed;

// RUN: not grep -v '"status":"ok"' %t.jsonl
// RUN: not grep -v '"verified":true' %t.jsonl
// RUN: FileCheck %s --check-prefix=RECORD < %t.jsonl
// RECORD: "operator":"rowwise f32 columns v4 {{[^"]*}}","source":"{{[0-9a-f]+}}","schedule":"{{[0-9x]+_1x[0-9]+}}_rows"
// RECORD-SAME: "shape":{"m":{{[0-9]+}},"n":96}

// RUN: FileCheck %s --check-prefix=TUNED < %t.mlir
// TUNED: dietcode.micro_kernel {{.*}} instruction = rows> measured
// TUNED: dietcode.rowwise dispatch(@norms_rowwise)
// RUN: dietcode-run %t.mlir --entry norms --check --arg-shapes 24x96,24x96 --arg-shapes 1000x96,1000x96 | FileCheck %s --check-prefix=CALL
// CALL: 24x96,24x96 {{ *}}simt_{{.*}}_rows
// Without a measurement, the same records give the same bytes.
// RUN: dietcode-tune %s --model-only --records %t.jsonl --max-kernels 2 -o %t.again.mlir 2>/dev/null
// RUN: diff %t.mlir %t.again.mlir

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

dietcode.shape_var @T range [1, 64]
dietcode.workload @tokens over [@T] instances [[2], [40]]

// The elements over the sums of the magnitudes of rows; and those sums.
func.func @norms(%x: tensor<?x96xf32>, %init: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?xf32>)
    attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (8 * t, 96)> : tensor<?x96xf32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x96xf32>
  %sums = tensor.empty(%rows) : tensor<?xf32>
  %y:2 = dietcode.rowwise ins(%x : tensor<?x96xf32>) outs(%init, %sums : tensor<?x96xf32>, tensor<?xf32>) maps [#id, #id, #row] do {
  ^bb0(%e: f32):
    %0 = math.absf %e : f32
    %1 = dietcode.reduce_row add %0 : f32
    %2 = arith.divf %e, %1 : f32
    dietcode.yield %2, %1 : f32, f32
  } -> tensor<?x96xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?x96xf32>, tensor<?xf32>
}

func.func @signs(%x: tensor<?x64xi8>) -> tensor<?x64xi8> attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (8 * t, 64)> : tensor<?x64xi8>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64xi8>
  %empty = tensor.empty(%rows) : tensor<?x64xi8>
  %y = dietcode.rowwise ins(%x : tensor<?x64xi8>) outs(%empty : tensor<?x64xi8>) maps [#id, #id] do {
  ^bb0(%e: i8):
    %zero = arith.constant 0 : i8
    %0 = arith.subi %zero, %e : i8
    dietcode.yield %0 : i8
  } -> tensor<?x64xi8>
  return %y : tensor<?x64xi8>
}

func.func @embed(%ids: tensor<?xi64>, %table: tensor<500x64xf32>) -> tensor<?x64xf32> attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %ids [@T], affine_map<()[t] -> (8 * t)> : tensor<?xi64>
  %c0 = arith.constant 0 : index
  %count = tensor.dim %ids, %c0 : tensor<?xi64>
  %empty = tensor.empty(%count) : tensor<?x64xf32>
  %y = dietcode.rowwise ins(%ids, %table : tensor<?xi64>, tensor<500x64xf32>) outs(%empty : tensor<?x64xf32>)
      maps [#row, affine_map<(m, n)[s0] -> (s0, n)>, #id] do {
  ^bb0(%id: i64, %e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
