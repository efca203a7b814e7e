// RUN: dietcode-opt %s --dietcode-attach-device --dietcode-bind-shapes --dietcode-select-micro-kernels --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-attach-device --dietcode-bind-shapes --dietcode-select-micro-kernels --split-input-file \
// RUN:   --remarks-filter=dietcode --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Any of the four kinds of dimensions may be dynamic.
// CHECK: dietcode.dispatch @all_contract on (b in [1, 4096], m in [1, 4096], n in [1, 4096], k in [1, 4096]) {
// CHECK-NEXT: case b in [{{.*}}], m in [{{.*}}], n in [{{.*}}], k in [{{.*}}] -> @simt_
// CHECK: otherwise -> @simt_
// CHECK-LABEL: func.func @all
// CHECK: dietcode.contract dispatch(@all_contract) ins(
// REMARK: remark: [Passed] select-micro-kernels | Category:dietcode
// REMARK-SAME: at b = {{[0-9]+}}, m = {{[0-9]+}}, n = {{[0-9]+}}, k = {{[0-9]+}}
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @all(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  dietcode.contract ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>) maps [#a, #b, #c]
  return
}

// -----

// Only the batch is.
// CHECK: dietcode.dispatch @batch_contract on (b in [1, 32]) {
// REMARK: at b = {{[0-9]+}}, m = 5, n = 4, k = 8
dietcode.shape_var @B range [1, 32]
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch(%a: memref<?x5x8xf32>, %b: memref<?x8x4xf32>, %c: memref<?x5x4xf32>) {
  dietcode.bind_shape %a [@B], affine_map<()[b] -> (b, 5, 8)> : memref<?x5x8xf32>
  dietcode.contract ins(%a, %b : memref<?x5x8xf32>, memref<?x8x4xf32>) outs(%c : memref<?x5x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// A group of dimensions is one that is dispatched on, their product: pixels of
// all images, and heads of all sentences.
// CHECK-DAG: dietcode.dispatch @groups_contract on (m in [49, 401408]) {
// CHECK-DAG: dietcode.dispatch @groups_contract_0 on (b in [12, 96]) {
// REMARK: at b = 1, m = {{[0-9]+}}, n = 24, k = 144
// REMARK: at b = {{[0-9]+}}, m = 64, n = 64, k = 64
dietcode.shape_var @N range [1, 8]
dietcode.shape_var @H range [7, 224]
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
#q = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#k = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#s = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
func.func @groups(%x: memref<?x?x?x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<?x?x?x24xf32>,
                  %q: memref<?x64x12x64xf32>, %k: memref<?x64x12x64xf32>, %s: memref<?x12x64x64xf32>) {
  dietcode.bind_shape %y [@N, @H], affine_map<()[n, h] -> (n, h, h, 24)> : memref<?x?x?x24xf32>
  dietcode.bind_shape %q [@N], affine_map<()[n] -> (n, 64, 12, 64)> : memref<?x64x12x64xf32>
  dietcode.contract ins(%x, %w : memref<?x?x?x16xf32>, memref<3x3x16x24xf32>) outs(%y : memref<?x?x?x24xf32>)
      maps [#image, #filter, #result]
  dietcode.contract ins(%q, %k : memref<?x64x12x64xf32>, memref<?x64x12x64xf32>) outs(%s : memref<?x12x64x64xf32>)
      maps [#q, #k, #s]
  return
}

// -----

// Where nothing is known of many dimensions, the largest of all of them together
// need more blocks than a grid has, and more memory than there is. The rest of the
// range is served, and decides.
// CHECK: dietcode.dispatch @unknown_contract on (m in [1, 68719476736], n in [1, 4096], k in [1, 68719476736]) {
// REMARK: at b = 1, m = {{[0-9]+}}, n = {{[0-9]+}}, k = {{[0-9]+}}
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @unknown(%x: memref<?x?x?x?xf32>, %w: memref<?x?x?x?xf32>, %y: memref<?x?x?x?xf32>) {
  dietcode.contract ins(%x, %w : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%y : memref<?x?x?x?xf32>)
      maps [#image, #filter, #result]
  return
}

// -----

// Static shapes need no dispatch, empty ones included.
// CHECK-COUNT-2: dietcode.dispatch @static_contract{{.*}} on () {
// REMARK: at b = 2, m = 5, n = 4, k = 8
// REMARK: at b = 0, m = 5, n = 4, k = 8
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @static(%a: memref<2x5x8xf32>, %b: memref<2x8x4xf32>, %c: memref<2x5x4xf32>,
                  %d: memref<0x5x8xf32>, %e: memref<0x8x4xf32>, %f: memref<0x5x4xf32>) {
  dietcode.contract ins(%a, %b : memref<2x5x8xf32>, memref<2x8x4xf32>) outs(%c : memref<2x5x4xf32>) maps [#a, #b, #c]
  dietcode.contract ins(%d, %e : memref<0x5x8xf32>, memref<0x8x4xf32>) outs(%f : memref<0x5x4xf32>) maps [#a, #b, #c]
  return
}
