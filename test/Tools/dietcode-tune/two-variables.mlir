// Several shape variables at once, and weights.

// The decisions depend on both dimensions.
// RUN: dietcode-tune %s --model-only -o %t.mlir
// RUN: FileCheck %s --check-prefix=BOTH < %t.mlir
// BOTH: dietcode.dispatch @dense_matmul on (m in [16, 2048], n in [64, 3072]) {
// BOTH: case m in {{.*}}, n in [64,
// RUN: dietcode-explain %t.mlir --shape T=3,H=64 | FileCheck %s --check-prefix=PATH
// PATH: @dense matmul: m = 48, n = 64, k = 768
// PATH-DAG: {{^  m <= }}
// PATH-DAG: {{^  n <= }}
// PATH: case m in

// With one kernel allowed, the weights decide whom it is good for.
// RUN: dietcode-tune %s --model-only --max-kernels=1 -o %t.small.mlir
// RUN: sed 's/weights \[100.0, 1.0\]/weights [1.0, 100.0]/' %s > %t.input.mlir
// RUN: dietcode-tune %t.input.mlir --model-only --max-kernels=1 -o %t.large.mlir
// RUN: grep otherwise %t.small.mlir > %t.small.txt
// RUN: grep otherwise %t.large.mlir > %t.large.txt
// RUN: not cmp %t.small.txt %t.large.txt

dietcode.shape_var @T range [1, 128]
dietcode.shape_var @H range [64, 3072] multiple_of 64
dietcode.workload @calls over [@T, @H] instances [[1, 64], [128, 3072]] weights [100.0, 1.0]

func.func @dense(%x: tensor<?x768xf32>, %w: tensor<?x768xf32>, %init: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {dietcode.workload = @calls} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  dietcode.bind_shape %w [@H], affine_map<()[h] -> (h, 768)> : tensor<?x768xf32>
  dietcode.bind_shape %init [@T, @H], affine_map<()[t, h] -> (16 * t, h)> : tensor<?x?xf32>
  %y = dietcode.matmul transpose_b
      ins(%x, %w : tensor<?x768xf32>, tensor<?x768xf32>)
      outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
