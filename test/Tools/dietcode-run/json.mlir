// The same report for programs.

// RUN: dietcode-run %s --shape T=3 --check --json | FileCheck %s

// CHECK:      "device": "virtual:t4 (model, not a measurement)"
// CHECK-NEXT: "entry": "f"
// CHECK-NEXT: "runs": [
// CHECK:        "allocations": {{[0-9]}},
// CHECK:        "kernels": [
// CHECK:          "block":
// CHECK:          "grid":
// CHECK:          "microKernel": "simt_
// CHECK-NEXT:     "name": "{{.*}}simt_
// CHECK-NEXT:     "seconds": {{.*}}e-06
// CHECK-NEXT:     "sharedBytes":
// CHECK-NEXT:     "timing": {
// CHECK:            "kind": "estimate"
// CHECK:            "stalls": {
// CHECK-NEXT:         "barrier":
// CHECK:            "valid": true
// CHECK-NEXT:     },
// CHECK-NEXT:     "why": "m in [16, {{.*}}blocks
// CHECK:        "maxError": {{.*}}e-07
// CHECK-NEXT:   "ok": true
// CHECK-NEXT:   "peakBytes": {{[0-9]+}},
// CHECK-NEXT:   "seconds":
// CHECK-NEXT:   "shapes": "T=3"
// CHECK:      "tolerance": 1{{.*}}e-05

// A shape outside the range that was declared is served as well.
// RUN: dietcode-run %s --shape T=129 --check | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: T=129 {{.*}} outside the declared range: {{[0-9]+}} blocks

// A tolerance that no float meets.
// RUN: not dietcode-run %s --shape T=1 --check --tolerance 1e-9 --json > %t.json 2> %t.err
// RUN: FileCheck %s --check-prefix=WRONG < %t.err
// RUN: FileCheck %s --check-prefix=WRONG-JSON < %t.json
// WRONG: json.mlir:[[@LINE+4]]:1: error: T=1: element [{{.*}}] of result 0 is {{.*}}, but should be {{.*}}: the error is {{.*}} of its magnitude {{.*}}, more than 1e-09
// WRONG-JSON: "ok": false

dietcode.shape_var @T range [1, 128]
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
