// Tuning ends in IR that holds all decisions: it compiles without the records,
// and what it computes is right within the declared range and outside of it.

// RUN: rm -rf %t && mkdir %t
// RUN: dietcode-tune %s --trials=6 --batch=3 --workers=2 --records=%t/r.jsonl -o %t/tuned.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TABLE
// RUN: FileCheck %s --check-prefix=IR < %t/tuned.mlir
// RUN: dietcode-run %t/tuned.mlir --check --shape T=1
// RUN: dietcode-run %t/tuned.mlir --check --shape T=37
// RUN: dietcode-run %t/tuned.mlir --check --shape T=90

// TABLE: @dense matmul (matmul f32 nt e1): 6 of {{[0-9]+}} candidates measured, 0 failed; {{[1-6]}} kernels
// TABLE: m        n        k  kernel
// TABLE: 16       96       64  {{[0-9x_]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %}}
// TABLE: 1024       96       64  {{[0-9x_]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %}}
// TABLE: 6 trials on virtual:t4 in {{.*}} s; processor seconds: build {{.*}}, ptxas {{.*}}, measure {{.*}}, model

// IR: dietcode.micro_kernel @simt_{{.*}} #dietcode.schedule<{{.*}}> measured
// IR: dietcode.dispatch @dense_matmul on (m in [16, 1024]) {
// IR: case m in
// IR: otherwise ->
// IR: dietcode.matmul transpose_b dispatch(@dense_matmul)

// The same seed gives the same bytes, whatever the number of workers.
// RUN: dietcode-tune %s --trials=6 --batch=3 --workers=1 --records=%t/r1.jsonl -o %t/tuned1.mlir
// RUN: cmp %t/tuned.mlir %t/tuned1.mlir
// RUN: cmp %t/r.jsonl %t/r1.jsonl

// What was measured is not measured again: with records, the budget goes to
// other candidates, and without any the records alone decide.
// RUN: dietcode-tune %s --trials=2 --batch=2 --records=%t/r.jsonl -o %t/more.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESUMED
// RESUMED: note: {{.*}}r.jsonl: 6 records
// RESUMED: 8 of {{[0-9]+}} candidates measured
// RUN: dietcode-tune %s --model-only --records=%t/r1.jsonl -o - | diff - %t/tuned1.mlir

// An enumeration of some candidates can be continued, too, and another seed draws
// others.
// RUN: dietcode-tune %s --exhaustive --sample=3 --records=%t/some.jsonl -o %t/some.mlir 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: 3 of {{[0-9]+}} candidates measured
// SOME: {{^}}3 trials
// RUN: dietcode-tune %s --exhaustive --sample=3 --records=%t/some.jsonl -o %t/some.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: {{^}}0 trials
// RUN: dietcode-tune %s --exhaustive --sample=2 --seed=1 --records=%t/some.jsonl -o %t/some.mlir 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: {{^}}2 trials

// A tuned file can be tuned again: what is in it is replaced.
// RUN: dietcode-tune %t/tuned.mlir --model-only --records=%t/r1.jsonl -o - | diff - %t/tuned1.mlir

// For machines.
// RUN: dietcode-tune %s --model-only --json -o %t/json.mlir \
// RUN:   | %python -c "import json,sys; r=json.load(sys.stdin); t=r['tasks'][0]; print(r['device'], t['name'], [i['m'] for i in t['instances']], t['instances'][0]['measured_seconds'])" \
// RUN:   | FileCheck %s --check-prefix=JSON
// JSON: virtual:t4 @dense matmul [16, 1024] None

dietcode.shape_var @T range [1, 64]
dietcode.workload @calls over [@T] instances [[1], [64]] weights [1.0, 3.0]

func.func @dense(%x: tensor<?x64xf32>, %w: tensor<96x64xf32>, %bias: tensor<96xf32>, %init: tensor<?x96xf32>)
    -> tensor<?x96xf32> attributes {dietcode.workload = @calls} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %init [@T], affine_map<()[t] -> (16 * t, 96)> : tensor<?x96xf32>
  %y = dietcode.matmul transpose_b
      ins(%x, %w : tensor<?x64xf32>, tensor<96x64xf32>)
      outs(%init : tensor<?x96xf32>)
      epilogue(%bias : tensor<96xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    dietcode.yield %0 : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
