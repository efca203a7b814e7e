// A program counts the shapes that nobody declared; the next tuning run serves them.

// RUN: rm -rf %t && mkdir %t
// RUN: dietcode-run %s --shape T=10 --shape T=300 --shape T=300 --shape T=37 --miss-log=%t/log.jsonl
// RUN: FileCheck %s --check-prefix=LOG < %t/log.jsonl
// LOG: {{^}}{"count":1,"function":"f","values":{"T":300}}
// LOG-NEXT: {{^}}{"count":1,"function":"f","values":{"T":300}}
// LOG-NOT: {{.}}

// Calls that fit no declaration are skipped, with the reason.
// RUN: echo '{"count":1,"function":"g","values":{"T":300}}' >> %t/log.jsonl
// RUN: echo '{"count":1,"function":"f","values":{"S":300}}' >> %t/log.jsonl
// RUN: echo '{"count":3,"function":"f","values":{"T":10}}' >> %t/log.jsonl
// RUN: echo '{"count":1,"function":"f","val' >> %t/log.jsonl
// RUN: dietcode-tune %s --model-only --misses=%t/log.jsonl -o %t/tuned.mlir 2>&1 | FileCheck %s --check-prefix=NOTES
// NOTES-DAG: note: {{.*}}log.jsonl: skipped the missed shape of @g at T=300: there is no such function
// NOTES-DAG: note: {{.*}}log.jsonl: skipped the missed shape of @f at S=300: there is no shape variable @S
// NOTES-DAG: note: {{.*}}log.jsonl: skipped 1 lines that tell of no call

// The declared instances weigh 1 + 3; so do the missed ones, by their calls.
// RUN: FileCheck %s --check-prefix=TUNED < %t/tuned.mlir
// TUNED-DAG: dietcode.shape_var @T range [1, 300]
// TUNED-DAG: dietcode.workload @w over [@T] instances {{\[\[10\], \[100\], \[300\]\]}} weights [3.4{{0*}}e+00, 3.0{{0*}}e+00, 1.6{{0*}}e+00]
// TUNED-DAG: dietcode.dispatch @f_matmul on (m in [1, 300])

// RUN: not dietcode-tune %s --model-only --misses=%t/none.jsonl -o - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}none.jsonl': No such file or directory
// RUN: not dietcode-run %s --shape T=1 --miss-log=%t/no/log.jsonl 2>&1 | FileCheck %s --check-prefix=NO-LOG
// NO-LOG: error: cannot open the miss log '{{.*}}log.jsonl': No such file or directory

dietcode.shape_var @T range [1, 128]
dietcode.workload @w over [@T] instances [[10], [100]] weights [1.0, 3.0]
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32>
    attributes {dietcode.workload = @w} {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
