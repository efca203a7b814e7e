// Buffers, layouts, sizes and surroundings of all kinds: what is tuned is right
// within the declared range, outside of it, and where there is nothing to sum up.

// RUN: rm -rf %t && split-file %s %t

//--- buffers.mlir
// RUN: dietcode-tune %t/buffers.mlir --trials=3 -o %t/buffers.tuned.mlir
// RUN: dietcode-run %t/buffers.tuned.mlir --check --shape T=1
// RUN: dietcode-run %t/buffers.tuned.mlir --check --shape T=70
dietcode.shape_var @T range [1, 64]
func.func @f(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : memref<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 32)> : memref<?x32xf32>
  dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>)
  return
}

//--- transposed.mlir
// RUN: dietcode-tune %t/transposed.mlir --trials=3 -o %t/transposed.tuned.mlir 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: @f matmul (matmul f32 tt acc): 3 of {{[0-9]+}} candidates measured, 0 failed
// RUN: dietcode-run %t/transposed.tuned.mlir --check --shape T=3
// RUN: dietcode-run %t/transposed.tuned.mlir --check --shape T=70
dietcode.shape_var @T range [1, 64]
func.func @f(%a: tensor<64x?xf32>, %b: tensor<32x64xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (64, 16 * t)> : tensor<64x?xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul transpose_a transpose_b accumulate ins(%a, %b : tensor<64x?xf32>, tensor<32x64xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

//--- zeros.mlir
// Dynamic in all dimensions, with ranges that include 0. A range without any
// workload is tuned for where there is something to compute.
// RUN: dietcode-tune %t/zeros.mlir --trials=3 -o %t/zeros.tuned.mlir
// RUN: dietcode-run %t/zeros.tuned.mlir --check --shape M=1,N=1,K=1
// RUN: dietcode-run %t/zeros.tuned.mlir --check --shape M=7,N=33,K=0
// RUN: dietcode-run %t/zeros.tuned.mlir --check --shape M=9,N=0,K=5
// RUN: dietcode-run %t/zeros.tuned.mlir --check --shape M=91,N=71,K=51
dietcode.shape_var @M range [1, 90]
dietcode.shape_var @N range [0, 70]
dietcode.shape_var @K range [0, 50]
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  dietcode.bind_shape %a [@M, @K], affine_map<()[m, k] -> (m, k)> : tensor<?x?xf32>
  dietcode.bind_shape %b [@K, @N], affine_map<()[k, n] -> (k, n)> : tensor<?x?xf32>
  dietcode.bind_shape %c [@M, @N], affine_map<()[m, n] -> (m, n)> : tensor<?x?xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- small.mlir
// No grid of so few elements fills the device, or has aligned rows.
// RUN: dietcode-tune %t/small.mlir --trials=3 --records=%t/small.jsonl -o %t/small.tuned.mlir
// RUN: FileCheck %s --check-prefix=SMALL < %t/small.jsonl
// SMALL: "schedule":"{{[0-9x_]+}}","twin":"general",{{.*}}"status":"ok"
// RUN: dietcode-run %t/small.tuned.mlir --check
// RUN: dietcode-explain %t/small.tuned.mlir --shape= --records=%t/small.jsonl | FileCheck %s --check-prefix=SMALL-EXPLAINED
// SMALL-EXPLAINED: @f matmul: m = 5, n = 1, k = 13
// SMALL-EXPLAINED-NEXT: case the static shape
// SMALL-EXPLAINED-NEXT: chosen simt_{{.*}} us from measurements
func.func @f(%a: tensor<5x13xf32>, %b: tensor<13x1xf32>, %c: tensor<5x1xf32>) -> tensor<5x1xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<5x13xf32>, tensor<13x1xf32>) outs(%c : tensor<5x1xf32>) -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}

//--- several.mlir
// Equal operators are one task, other functions keep the dispatch they have, and
// each operator gets its share of the trials.
// RUN: not dietcode-tune %t/several.mlir --trials=1 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: error: there are 2 operators to tune, but 1 trials
// RUN: dietcode-tune %t/several.mlir --entry=f --trials=4 --batch=64 --workers=1 --records=%t/1.jsonl -o %t/f.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: @f matmul (matmul f32 nn): {{[2-4]}} of {{[0-9]+}} candidates measured
// SEVERAL: @f matmul (matmul f32 nn e1): 2 of {{[0-9]+}} candidates measured
// RUN: dietcode-tune %t/several.mlir --entry=f --trials=4 --batch=64 --workers=4 --records=%t/4.jsonl -o %t/f4.mlir
// RUN: cmp %t/f.mlir %t/f4.mlir
// RUN: cmp %t/1.jsonl %t/4.jsonl
// RUN: dietcode-tune %t/several.mlir --entry=f --model-only --records=%t/1.jsonl -o - | cmp - %t/f.mlir
// RUN: dietcode-tune %t/f.mlir --entry=g --trials=2 -o %t/both.mlir
// RUN: FileCheck %s --check-prefix=BOTH < %t/both.mlir
// BOTH-DAG: dietcode.dispatch @f_matmul on
// BOTH-DAG: dietcode.dispatch @f_matmul_0 on
// BOTH-DAG: dietcode.dispatch @g_matmul on
// BOTH-LABEL: func.func @f
// BOTH: dispatch(@f_matmul)
// BOTH-LABEL: func.func @g
// BOTH: dispatch(@g_matmul)
// RUN: dietcode-run %t/both.mlir --entry=f --check --shape T=3
// RUN: dietcode-run %t/both.mlir --entry=g --check --shape T=3
dietcode.shape_var @T range [1, 64]
#row = affine_map<(m, n) -> (n)>
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %bias: tensor<48xf32>, %w: tensor<64x48xf32>, %c: tensor<?x64xf32>, %d: tensor<?x48xf32>)
    -> tensor<?x48xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %d [@T], affine_map<()[t] -> (16 * t, 48)> : tensor<?x48xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %r = scf.for %i = %zero to %two step %one iter_args(%x = %a) -> tensor<?x64xf32> {
    %y = dietcode.matmul ins(%x, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  %0 = dietcode.matmul ins(%r, %w : tensor<?x64xf32>, tensor<64x48xf32>) outs(%d : tensor<?x48xf32>)
      epilogue(%bias : tensor<48xf32>) maps [#row] do {
  ^bb0(%sum: f32, %v: f32):
    %s = arith.addf %sum, %v : f32
    dietcode.yield %s : f32
  } -> tensor<?x48xf32>
  return %0 : tensor<?x48xf32>
}
func.func @g(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

//--- empty.mlir
// An operator without a sum is left to the compiler.
// RUN: dietcode-tune %t/empty.mlir --trials=1 -o %t/empty.tuned.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: note: @f matmul: skipped, since it has nothing to compute
// EMPTY: @g matmul (matmul f32 nn): 1 of {{[0-9]+}} candidates measured
// RUN: dietcode-run %t/empty.tuned.mlir --entry=f --check
func.func @f(%a: tensor<16x0xf32>, %b: tensor<0x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<16x0xf32>, tensor<0x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @g(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

//--- a100.mlir
// Another device, whose records are of no use here.
// RUN: dietcode-tune %t/a100.mlir --device=virtual:a100 --trials=2 --records=%t/a100.jsonl -o %t/a100.tuned.mlir
// RUN: env DIETCODE_DEVICE=virtual:a100 dietcode-run %t/a100.tuned.mlir --check --arg-shapes 37x16,16x16,37x16
// RUN: dietcode-tune %t/a100.mlir --model-only --records=%t/a100.jsonl -o %t/t4.mlir 2>&1 | FileCheck %s --check-prefix=A100
// A100: note: {{.*}}a100.jsonl: 0 records; skipped {{[0-9]+}} of other devices
// RUN: not dietcode-tune %t/a100.tuned.mlir --trials=1 -o %t/t4.mlir 2>&1 | FileCheck %s --check-prefix=OTHER-DEVICE
// OTHER-DEVICE: error: the module is for #dietcode.device<"a100"{{.*}} drop its attribute dietcode.device
func.func @f(%a: tensor<?x16xf32>, %b: tensor<16x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x16xf32>) outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}

//--- f64.mlir
// What cannot be compiled is an error before anything is measured.
// RUN: not dietcode-tune %t/f64.mlir -o %t/f64.tuned.mlir 2>&1 | FileCheck %s --check-prefix=F64
// F64-NOT: {{error|note}}:
// F64: f64.mlir:[[#]]:8: error: 'dietcode.matmul' op cannot be compiled for the GPU: 'lhs' has element type 'f64'; supported is f32, f16 and i8
// F64-NOT: {{error|note}}:
// RUN: not ls %t/f64.tuned.mlir
func.func @f(%a: tensor<?x64xf64>, %b: tensor<64x32xf64>, %c: tensor<?x32xf64>) -> tensor<?x32xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf64>, tensor<64x32xf64>) outs(%c : tensor<?x32xf64>) -> tensor<?x32xf64>
  return %0 : tensor<?x32xf64>
}

//--- half.mlir
// Products of halves are searched among all that serves them, and verified up to
// the rounding of what is written.
// RUN: dietcode-tune %t/half.mlir --trials=4 --space=instruction=mma_f16 -o %t/half.tuned.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: @f matmul (matmul f16 nn acc): 4 of {{[0-9]+}} candidates measured, 0 failed
// HALF: {{[0-9x]+}}_mma{{.*}}_mnm
// RUN: dietcode-run %t/half.tuned.mlir --check --arg-shapes 40x64,64x32,40x32
func.func @f(%a: tensor<?x64xf16>, %b: tensor<64x32xf16>, %c: tensor<?x32xf16>) -> tensor<?x32xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x32xf16>) outs(%c : tensor<?x32xf16>) -> tensor<?x32xf16>
  return %0 : tensor<?x32xf16>
}
