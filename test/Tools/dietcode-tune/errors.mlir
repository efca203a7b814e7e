// One message, a non-zero exit, and nothing overwritten.

// RUN: rm -rf %t && split-file %s %t

//--- matmul.mlir
dietcode.shape_var @T range [1, 64]
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

//--- nothing.mlir
func.func @f(%a: tensor<?x64xf32>) -> tensor<?x64xf32> {
  return %a : tensor<?x64xf32>
}

//--- empty-instances.mlir
dietcode.shape_var @T range [0, 64]
dietcode.workload @w over [@T] instances [[0], [8]]
dietcode.workload @none over [@T] instances [[0]]
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> attributes {dietcode.workload = @w} {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func @g(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> attributes {dietcode.workload = @none} {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

//--- keep.mlir
// precious

// RUN: not dietcode-tune 2>&1 | FileCheck %s --check-prefix=NO-INPUT
// NO-INPUT: error: there is no input; give a file of MLIR, or - for the standard input
// RUN: not dietcode-tune %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.mlir{{.*}}No such file
// RUN: not dietcode-tune %t/nothing.mlir -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-OPERATOR
// NO-OPERATOR: nothing.mlir:{{.*}} error: there is no operator to tune
// RUN: not dietcode-tune %t/matmul.mlir --entry=g -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// NO-ENTRY: error: there is no function @g to tune
// RUN: not dietcode-tune %t/matmul.mlir --trials=0 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-TRIALS
// NO-TRIALS: error: --trials=0 leaves nothing to choose from; give a budget, or --model-only
// RUN: not dietcode-tune %t/matmul.mlir --seconds=-1 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: error: --seconds must not be negative
// RUN: not dietcode-tune %t/matmul.mlir --seconds=0.0001 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-TIME
// NO-TIME: error: nothing could be measured in the {{.*}} seconds of --seconds; allow more, or use --model-only
// RUN: not dietcode-tune %t/matmul.mlir --sample=4 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=SAMPLE
// SAMPLE: error: --sample is a positive number, and limits --exhaustive; give both
// RUN: not dietcode-tune %t/matmul.mlir --keep-jobs=%t -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=KEEP-JOBS
// KEEP-JOBS: error: --keep-jobs: '{{.*}}' is there already; give the name of a new folder
// RUN: not dietcode-tune %t/matmul.mlir --model-only --keep-jobs=%t/jobs -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-JOBS
// NO-JOBS: error: --keep-jobs has no meaning with --model-only, which makes no jobs
// RUN: not dietcode-tune %t/matmul.mlir --model-only --json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: --json prints the report to the standard output, so the tuned IR needs a file: give -o
// RUN: not dietcode-tune %t/matmul.mlir --device=virtual:t5 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: {{.*}}virtual:t5
// RUN: not env DIETCODE_LIBCUDA=/no/such/driver dietcode-tune %t/matmul.mlir --device=cuda:0 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: error: {{.*}}cuda:0: there is no CUDA driver: /no/such/driver
// RUN: not dietcode-tune %t/matmul.mlir --model-only --max-kernels=1 --max-regret=0 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=REGRET
// REGRET: matmul.mlir:5:8: error: 'dietcode.matmul' op predicted regret {{.*}} is above max-regret 0.0%
// RUN: FileCheck %s --check-prefix=KEPT < %t/keep.mlir
// KEPT: {{^}}// precious

// An output that cannot be written.
// RUN: not dietcode-tune %t/matmul.mlir --model-only -o %t/no/such/folder.mlir 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot write '{{.*}}folder.mlir'

// Model files.
// RUN: touch %t/empty.ubj && not dietcode-tune %t/matmul.mlir --model-only --model=%t/empty.ubj -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY-MODEL
// EMPTY-MODEL: error: {{.*}}empty.ubj
// RUN: not dietcode-tune %t/matmul.mlir --model-only --model=%t/matmul.mlir -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN-MODEL
// FOREIGN-MODEL: error: {{.*}}matmul.mlir

// Records.
// RUN: not dietcode-tune %t/matmul.mlir --trials=1 --records=%t -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: error: {{.*}}directory
// RUN: printf '{"v":1}\nnot json\n{"v":1,"oper' > %t/torn.jsonl
// RUN: dietcode-tune %t/matmul.mlir --model-only --records=%t/torn.jsonl -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=TORN
// TORN: note: {{.*}}torn.jsonl: 0 records{{.*}}torn{{.*}}line 3
// RUN: printf 'not json\n' > %t/foreign.jsonl
// RUN: not dietcode-tune %t/matmul.mlir --model-only --records=%t/foreign.jsonl -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN-RECORDS
// FOREIGN-RECORDS: error: '{{.*}}foreign.jsonl' is no file of records: its first line is no JSON object

// Instances without work are skipped, with a note; not all of them may be.
// RUN: dietcode-tune %t/empty-instances.mlir --model-only --entry=f -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: note: @f matmul: skipped the instance m = 0, n = 32, k = 64, which has nothing to compute
// RUN: not dietcode-tune %t/empty-instances.mlir --model-only --entry=g -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=ALL-EMPTY
// ALL-EMPTY: error: 'dietcode.matmul' op has no shape to tune for: every instance of its workload is empty
// RUN: FileCheck %s --check-prefix=KEPT < %t/keep.mlir
