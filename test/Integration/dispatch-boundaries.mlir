// RUN: %python %S/Inputs/check-boundaries.py %s rows "{m}x24,24x40,{m}x40" m | FileCheck %s --check-prefix=ROWS
// RUN: %python %S/Inputs/check-boundaries.py %s plane "{m}x24,24x{n},{m}x{n}" m n | FileCheck %s --check-prefix=PLANE
// RUN: %python %S/Inputs/check-boundaries.py %S/dynamic-rows.mlir qkv "{m}x768,768x2304,{m}x2304" m | FileCheck %s --check-prefix=ROWS

// The results on each dispatch boundary b, at b - 1 and at b + 1 are right, also
// just outside of the declared range, which the general kernel serves.

// ROWS: {{[0-9]+}} cases, {{[0-9]+}} shapes
// ROWS: m in [1,
// ROWS: outside the declared range
// PLANE: {{[0-9]+}} cases, {{[0-9]+}} shapes
// PLANE: outside the declared range

dietcode.shape_var @M range [1, 600]
dietcode.shape_var @N range [1, 200]

func.func @rows(%a: tensor<?x24xf32>, %b: tensor<24x40xf32>, %c: tensor<?x40xf32>) -> tensor<?x40xf32> {
  dietcode.bind_shape %a [@M], affine_map<()[m] -> (m, 24)> : tensor<?x24xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x24xf32>, tensor<24x40xf32>)
                     outs(%c : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

func.func @plane(%a: tensor<?x24xf32>, %b: tensor<24x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  dietcode.bind_shape %a [@M], affine_map<()[m] -> (m, 24)> : tensor<?x24xf32>
  dietcode.bind_shape %b [@N], affine_map<()[n] -> (24, n)> : tensor<24x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x24xf32>, tensor<24x?xf32>)
                     outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
