// RUN: dietcode-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op has 2 maps; there is one for each of 'lhs', 'rhs' and 'out'}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b]
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op has 0 maps; there is one for each of 'lhs', 'rhs' and 'out'}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps []
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op maps must be from the same dimensions and without symbols}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(m, n, k)[s] -> (m, k + s)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op maps must be from the same dimensions and without symbols}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// A window is read, not written.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m * 2, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<8x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d0 * 2, d1)> of 'out' must be a projected permutation}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<8x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// Each element would be written several times.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, m)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d0, d0)> of 'out' must be a projected permutation}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, 4 - k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d0, -d2 + 4)> of 'lhs' must give sums of dimensions with positive factors, and a constant}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k floordiv 2, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<2x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d2 floordiv 2, d1)> of 'rhs' must give sums of dimensions with positive factors, and a constant}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<2x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(m, n, k) -> (k, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d2, d2)> of 'lhs' uses dimension 2 twice}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// In a window and alone.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n + k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x7xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op map affine_map<(d0, d1, d2) -> (d2, d1 + d2)> of 'rhs' uses dimension 2 twice}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x7xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// The sum of a row of one factor, times the other.
#a = affine_map<(m, n, k, l) -> (m, k, l)>
#b = affine_map<(m, n, k, l) -> (k, n)>
#c = affine_map<(m, n, k, l) -> (m, n)>
func.func @f(%a: memref<4x4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op dimension 3 must be in two of the maps, or in all: what is reduced depends on both factors, and what is written on one of them}}
  dietcode.contract ins(%a, %b : memref<4x4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// The same for all n.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op dimension 1 must be in two of the maps, or in all}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// In no map at all.
#a = affine_map<(m, n, k, l) -> (m, k)>
#b = affine_map<(m, n, k, l) -> (k, n)>
#c = affine_map<(m, n, k, l) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op dimension 3 must be in two of the maps, or in all}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// A convolution of two images.
#a = affine_map<(m, n, k, l) -> (m, k + l)>
#b = affine_map<(m, n, k, l) -> (k * 2 + l, n)>
#c = affine_map<(m, n, k, l) -> (m, n)>
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op dimension 2 is in windows only, so that nothing tells its extent}}
  dietcode.contract ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tensors and buffers
//===----------------------------------------------------------------------===//

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: tensor<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  // expected-error @below {{'dietcode.contract' op operands must be all tensors or all buffers, but 'rhs' is 'memref<2x4x4xf32>'}}
  %0 = dietcode.contract ins(%a, %b : tensor<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>)
      maps [#a, #b, #c] -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: tensor<2x4x4xf32>, %b: tensor<2x4x4xf32>, %c: tensor<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op on tensors must have one result}}
  dietcode.contract ins(%a, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op on buffers must have no result}}
  %0 = dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>)
      maps [#a, #b, #c] -> tensor<2x4x4xf32>
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: tensor<2x4x4xf32>, %b: tensor<2x4x4xf32>, %c: tensor<2x4x4xf32>) -> tensor<?x4x4xf32> {
  // expected-error @below {{'dietcode.contract' op result type 'tensor<?x4x4xf32>' must be the type of 'out', 'tensor<2x4x4xf32>'}}
  %0 = dietcode.contract ins(%a, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>)
      maps [#a, #b, #c] -> tensor<?x4x4xf32>
  return %0 : tensor<?x4x4xf32>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op 'out' must not be one of the multiplied buffers}}
  dietcode.contract ins(%a, %c : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

//===----------------------------------------------------------------------===//
// Ranks, element types and sizes
//===----------------------------------------------------------------------===//

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op operand 'rhs' has rank 2, but its map affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)> gives 3 dimensions}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: tensor<*xf32>, %b: tensor<2x4x4xf32>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  // expected-error @below {{'dietcode.contract' op operand #0 must be ranked tensor of any type values or memref of any type values, but got 'tensor<*xf32>'}}
  %0 = dietcode.contract ins(%a, %b : tensor<*xf32>, tensor<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>)
      maps [#a, #b, #c] -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xindex>, %b: memref<2x4x4xindex>, %c: memref<2x4x4xindex>) {
  // expected-error @below {{'dietcode.contract' op multiplies floats or integers, got 'index'}}
  dietcode.contract ins(%a, %b : memref<2x4x4xindex>, memref<2x4x4xindex>) outs(%c : memref<2x4x4xindex>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf16>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op element types of 'lhs' and 'rhs' must be equal, got 'f16' and 'f32'}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf16>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xi8>, %b: memref<2x4x4xi8>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op multiplies 'i8', which cannot be summed up in 'f32'}}
  dietcode.contract ins(%a, %b : memref<2x4x4xi8>, memref<2x4x4xi8>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// A dimension that is alone of its kind is called by its letter.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x?x4xf32>, %b: memref<?x4x4xf32>, %c: memref<3x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op sizes of dimension b differ: 'lhs' has 2 in dimension 0, but 'out' has 3 in dimension 0}}
  dietcode.contract ins(%a, %b : memref<2x?x4xf32>, memref<?x4x4xf32>) outs(%c : memref<3x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// Several of a kind are numbered.
#q = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#k = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#s = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
func.func @f(%q: memref<?x?x12x64xf32>, %k: memref<?x?x16x64xf32>, %s: memref<?x?x?x?xf32>) {
  // expected-error @below {{'dietcode.contract' op sizes of dimension b1 differ: 'lhs' has 12 in dimension 2, but 'rhs' has 16 in dimension 2}}
  dietcode.contract ins(%q, %k : memref<?x?x12x64xf32>, memref<?x?x16x64xf32>) outs(%s : memref<?x?x?x?xf32>) maps [#q, #k, #s]
  return
}

// -----

// Along a window any extent fits, along what is none it must agree.
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @f(%x: memref<2x1x999x16xf32>, %w: memref<3x3x8x24xf32>, %y: memref<2x5x5x24xf32>) {
  // expected-error @below {{'dietcode.contract' op sizes of dimension k2 differ: 'lhs' has 16 in dimension 3, but 'rhs' has 8 in dimension 2}}
  dietcode.contract ins(%x, %w : memref<2x1x999x16xf32>, memref<3x3x8x24xf32>) outs(%y : memref<2x5x5x24xf32>)
      maps [#image, #filter, #result]
  return
}

// -----

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

// What all contractions share is in invalid.mlir; here with more dimensions.

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.contract' op epilogue map affine_map<(d0, d1) -> (d1)> must be a projected permutation of the 3 dimensions of 'out'}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.contract' op has 0 epilogue maps for 1 operands}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
      epilogue(%bias : memref<4xf32>) maps [] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

// The bias is for channels, which the result has last.
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy, x + fx, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @f(%x: memref<2x7x7x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<2x5x5x24xf32>, %bias: memref<24xf32>) {
  // expected-error @below {{'dietcode.contract' op sizes of dimension m2 differ: 'out' has 5 in dimension 2, but 'epilogue operand 0' has 24 in dimension 0}}
  dietcode.contract ins(%x, %w : memref<2x7x7x16xf32>, memref<3x3x16x24xf32>) outs(%y : memref<2x5x5x24xf32>)
      maps [#image, #filter, #result]
      epilogue(%bias : memref<24xf32>) maps [affine_map<(i, y, x, f) -> (x)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op 'out' may be read by the epilogue only at the element that is written, but its map is affine_map<(d0, d1, d2) -> (d0, d2, d1)>}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
      epilogue(%c : memref<2x4x4xf32>) maps [affine_map<(b, m, n) -> (b, n, m)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op epilogue must end in a dietcode.yield of the element type of 'out'}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c] do {
  ^bb0(%sum: f32):
    %0 = arith.fptosi %sum : f32 to i32
    dietcode.yield %0 : i32
  }
  return
}

// -----

func.func private @print(f32)
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c] do {
  ^bb0(%sum: f32):
    // expected-error @below {{'func.call' op must be scalar arithmetic without side effects in an epilogue}}
    func.call @print(%sum) : (f32) -> ()
    dietcode.yield %sum : f32
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op there is no dietcode.dispatch @d}}
  dietcode.contract dispatch(@d) ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

// What is dispatched on are groups, not single dimensions.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (b1 in [1, 4]) {
  case b1 in [1, 4] -> @k
  otherwise -> @k
}
#q = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#k = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#s = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
func.func @f(%q: memref<?x?x?x64xf32>, %k: memref<?x?x?x64xf32>, %s: memref<?x?x?x?xf32>) {
  // expected-error @below {{'dietcode.contract' op has no dimension 'b1', on which @d dispatches}}
  dietcode.contract dispatch(@d) ins(%q, %k : memref<?x?x?x64xf32>, memref<?x?x?x64xf32>) outs(%s : memref<?x?x?x?xf32>) maps [#q, #k, #s]
  return
}

// -----

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
func.func @f(%x: memref<2x5x5x16xf32>, %w: memref<3x3x16x24xf32>, %y: memref<2x5x5x24xf32>) {
  // expected-error @below {{'dietcode.contract' op padding has 1 numbers for 2 windows}}
  dietcode.contract ins(%x, %w : memref<2x5x5x16xf32>, memref<3x3x16x24xf32>) outs(%y : memref<2x5x5x24xf32>)
      maps [#image, #filter, #result] padding [1]
  return
}
