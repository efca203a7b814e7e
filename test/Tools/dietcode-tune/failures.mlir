// Candidates that fail are dropped with their reason and change nothing else.

// RUN: rm -rf %t && mkdir -p %t/alone
// RUN: dietcode-tune %s --trials=4 --batch=4 --records=%t/all.jsonl -o %t/all.mlir

// One of the four, in every way; the records of the others are the same, and
// the result is what they alone give.
// RUN: %python -c "import json; print(json.loads(open('%t/all.jsonl').readline())['schedule'], end='')" > %t/victim
// RUN: %python %S/Inputs/inject.py %s %t crash "crash: .*killed by SIGSEGV before it had a result"
// RUN: %python %S/Inputs/inject.py %s %t exit "crash: .*exit status 3 before it had a result"
// RUN: %python %S/Inputs/inject.py %s %t half "crash: .*exit status 0 in the middle of"
// RUN: %python %S/Inputs/inject.py %s %t hang "timeout: no result after 2 s"
// RUN: %python %S/Inputs/inject.py %s %t memory "crash: out of memory"
// RUN: %python %S/Inputs/inject.py %s %t wrong "wrong-result: element .* but should be"
// RUN: %python %S/Inputs/inject.py %s %t partial "wrong-result: .*it was not written"
// RUN: %python %S/Inputs/inject.py %s %t ptxas "compile-error: ptxas fatal   : not this one"

// All of them: one error with the first reason.
// RUN: echo "// precious" > %t/keep.mlir
// RUN: not env DIETCODE_MEASURE_INJECT=crash:_ dietcode-tune %s --trials=3 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: error:
// NONE: error: 'dietcode.matmul' op has no candidate that could be measured; the first of 3 failures, of {{[0-9a-z_]+}}: crash: the measuring process was killed by SIGSEGV
// NONE-NOT: {{error|note}}:

// Nothing to measure with: missing, or ending at once.
// RUN: cp -L %dietcode_tune %t/alone
// RUN: not env PATH=%t %t/alone/dietcode-tune %s --trials=3 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot start 'dietcode-measure': No such file or directory
// MISSING-NOT: error:
// RUN: cp %S/Inputs/ends.sh %t/alone/dietcode-measure
// RUN: not env PATH=%t %t/alone/dietcode-tune %s --trials=3 -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=ENDS
// ENDS: error: the measuring process ended before its jobs were done
// ENDS-NOT: error:
// RUN: FileCheck %s --check-prefix=KEPT < %t/keep.mlir
// KEPT: {{^}}// precious

func.func @f(%a: tensor<128x64xf32>, %b: tensor<64x96xf32>, %c: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}
