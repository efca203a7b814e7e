// All decisions of a function as one JSON object.

// RUN: dietcode-explain %s --json --instances --curve --max-kernels=2 > %t.json
// RUN: %python %S/Inputs/overview.py %t.json | FileCheck %s
// CHECK: qkv virtual:t4 ['@qkv matmul']
// CHECK-NEXT: matmul f32 nt ['curve', 'dispatch', 'instances', 'operator', 'signature', 'source']
// CHECK-NEXT: table ['m'] {{\[}}[16, 2048]] otherwise large
// CHECK-NEXT: small 16x64x16_2x4
// CHECK-NEXT: large 128x128x8_8x8
// CHECK-NEXT: {{\[}}[16, 400]] small
// CHECK-NEXT: {{\[}}[401, 2048]] large
// CHECK-NEXT: {'T': 5} weight 3.0 small at m = 80, n = 2304, k = 768, not below its bound
// CHECK-NEXT: {'T': 128} weight 1.0 large at m = 2048, n = 2304, k = 768, not below its bound
// CHECK-NEXT: 1 kernels in 1 cases
// CHECK-NEXT: 2 kernels in {{[0-9]+}} cases

// The dispatch is always there, and nothing else that was not asked for.
// RUN: dietcode-explain %s --json --curve --max-kernels=1 > %t.curve.json
// RUN: %python %S/Inputs/overview.py %t.curve.json | FileCheck %s --check-prefix=PARTS
// PARTS: matmul f32 nt ['curve', 'dispatch', 'operator', 'signature', 'source']

// What the model says to a measurement of the whole grid; others are not
// compared, and two micro-kernels are too few to train on.
// RUN: %python %S/Inputs/records.py %t.json 2 > %t.jsonl
// RUN: dietcode-explain %s --accuracy --records %t.jsonl | FileCheck %s --check-prefix=FEW
// FEW: @qkv matmul
// FEW-NEXT: b m n k kernel measured us table us trained us
// FEW-NEXT: 1 80 2304 768 16x64x16_2x4 123.0 {{[0-9.]+}} -{{$}}
// FEW-NEXT: 1 80 2304 768 32x64x16_2x4 124.0 {{[0-9.]+}} -{{$}}
// FEW-NOT: {{.}}
// RUN: dietcode-explain %s --json --accuracy --records %t.jsonl | FileCheck %s --check-prefix=FEW-JSON
// FEW-JSON: "bound_seconds":
// FEW-JSON: "m": 80,
// FEW-JSON: "measured_seconds": 0.000123
// FEW-JSON-NEXT: "schedule": "16x64x16_2x4"
// FEW-JSON-NEXT: "table_seconds":
// FEW-JSON-NEXT: "trained_seconds": null

// RUN: not dietcode-explain %s --accuracy 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: error: --accuracy compares with measurements; give --records
// RUN: not dietcode-explain %s --json --instances --entry idle 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: overview.mlir:{{[0-9]+}}:{{[0-9]+}}: error: has no workload whose instances could be explained; give --shape

dietcode.shape_var @T range [1, 128]
dietcode.workload @calls over [@T] instances [[5], [128]] weights [3.0, 1.0]
dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
dietcode.dispatch @table on (m in [16, 2048]) {
  case m in [16, 400] -> @small
  case m in [401, 2048] -> @large
  otherwise -> @large
}

func.func @qkv(%x: tensor<?x768xf32>, %w: tensor<2304x768xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> attributes {dietcode.workload = @calls} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  dietcode.bind_shape %init [@T], affine_map<()[t] -> (16 * t, 2304)> : tensor<?x2304xf32>
  %y = dietcode.matmul transpose_b dispatch(@table)
      ins(%x, %w : tensor<?x768xf32>, tensor<2304x768xf32>)
      outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %y : tensor<?x2304xf32>
}

func.func private @idle() {
  return
}
