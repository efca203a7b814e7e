// RUN: dietcode-opt %s --dietcode-bind-shapes --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-bind-shapes --dietcode-bind-shapes --split-input-file | FileCheck %s

// One variable for each dimension of the problem, called by kind and number.
// CHECK-DAG: dietcode.shape_var @attention_b0 range [1, 4096]
// CHECK-DAG: dietcode.shape_var @attention_b1 range [1, 4096]
// CHECK-DAG: dietcode.shape_var @attention_m range [1, 4096]
// CHECK-DAG: dietcode.shape_var @attention_n range [1, 4096]
// CHECK-DAG: dietcode.shape_var @attention_k range [1, 4096]
// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<?x?x?x?xf32>, %[[K:.*]]: tensor<?x?x?x?xf32>, %[[S:.*]]: tensor<?x?x?x?xf32>)
// CHECK-DAG: dietcode.bind_shape %[[Q]] [@attention_b0, @attention_b1, @attention_m, @attention_k]
// CHECK-DAG: dietcode.bind_shape %[[K]] [@attention_b0, @attention_b1, @attention_n, @attention_k]
// CHECK-DAG: dietcode.bind_shape %[[S]] [@attention_b0, @attention_b1, @attention_m, @attention_n]
#q = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#k = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#s = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
func.func @attention(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %s: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = dietcode.contract ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<?x?x?x?xf32>)
      maps [#q, #k, #s] -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// -----

// The extent of a window is what it is, a variable of its own: nothing asks that
// it fits the result.
// CHECK: #[[$IMAGE:.*]] = affine_map<()[s0, s1] -> (s0, s1, 9, 16)>
// CHECK: #[[$RESULT:.*]] = affine_map<()[s0, s1] -> (s0, s1, 7, 24)>
// CHECK-DAG: dietcode.shape_var @window_lhs1 range [1, 4096]
// CHECK-DAG: dietcode.shape_var @window_m0 range [1, 4096]
// CHECK-DAG: dietcode.shape_var @window_m1 range [1, 4096]
// CHECK-LABEL: func.func @window
// CHECK-SAME: (%[[X:.*]]: memref<?x?x9x16xf32>, %{{.*}}: memref<3x3x16x24xf32>, %[[Y:.*]]: memref<?x?x7x24xf32>)
// CHECK-NEXT: dietcode.bind_shape %[[X]] [@window_m0, @window_lhs1], #[[$IMAGE]]
// CHECK-NEXT: dietcode.bind_shape %[[Y]] [@window_m0, @window_m1], #[[$RESULT]]
// CHECK-NOT: dietcode.bind_shape
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y * 2 + fy - 1, x + fx, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @window(%x: memref<?x?x9x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<?x?x7x24xf32>) {
  dietcode.contract ins(%x, %w : memref<?x?x9x16xf32>, memref<3x3x16x24xf32>) outs(%y : memref<?x?x7x24xf32>)
      maps [#image, #filter, #result]
  return
}

// -----

// What is declared of a window is kept, and of a result follows what it is made
// from: a padded image is as large as its result.
// CHECK: dietcode.shape_var @N
// CHECK: dietcode.shape_var @H
// CHECK-NOT: dietcode.shape_var
// CHECK-LABEL: func.func @declared
// CHECK: dietcode.bind_shape %{{.*}} [@N, @H]
// CHECK-NOT: dietcode.bind_shape
// CHECK: return
dietcode.shape_var @N range [1, 8]
dietcode.shape_var @H range [7, 224]
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @declared(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x24xf32>) -> tensor<?x?x?x24xf32> {
  dietcode.bind_shape %x [@N, @H], affine_map<()[n, h] -> (n, h, h, 16)> : tensor<?x?x?x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x16xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x16xf32>
  %v = tensor.dim %x, %c2 : tensor<?x?x?x16xf32>
  %y = tensor.empty(%n, %h, %v) : tensor<?x?x?x24xf32>
  %0 = dietcode.contract ins(%x, %w : tensor<?x?x?x16xf32>, tensor<3x3x16x24xf32>) outs(%y : tensor<?x?x?x24xf32>)
      maps [#image, #filter, #result] -> tensor<?x?x?x24xf32>
  return %0 : tensor<?x?x?x24xf32>
}
