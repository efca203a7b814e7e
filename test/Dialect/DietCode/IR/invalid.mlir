// RUN: dietcode-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Shape variables
//===----------------------------------------------------------------------===//

// The lower bound is above the upper bound.
// expected-error @below {{'dietcode.shape_var' op lower bound 9 is above the upper bound 8}}
dietcode.shape_var @T range [9, 8]

// -----

// expected-error @below {{'dietcode.shape_var' op lower bound must not be negative, got -1}}
dietcode.shape_var @T range [-1, 8]

// -----

// expected-error @below {{'dietcode.shape_var' op multiple_of must be positive, got 0}}
dietcode.shape_var @T range [1, 8] multiple_of 0

// -----

// expected-error @below {{'dietcode.shape_var' op multiple_of must be positive, got -16}}
dietcode.shape_var @T range [1, 8] multiple_of -16

// -----

// No value is left.
// expected-error @below {{'dietcode.shape_var' op range [9, 15] holds no multiple of 8}}
dietcode.shape_var @T range [9, 15] multiple_of 8

// -----

// A bound that does not fit 63 bits.
// expected-error @below {{'dietcode.shape_var' op lower bound 1 is above the upper bound -9223372036854775808}}
dietcode.shape_var @T range [1, 9223372036854775808]

// -----

// expected-note @below {{see existing symbol definition here}}
dietcode.shape_var @T range [1, 8]
// expected-error @below {{redefinition of symbol named 'T'}}
dietcode.shape_var @T range [1, 8]

// -----

//===----------------------------------------------------------------------===//
// Workloads
//===----------------------------------------------------------------------===//

dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op instance 1 has 2 values for 1 shape variables}}
dietcode.workload @w over [@T] instances [[5], [6, 7]]

// -----

dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op has 1 weights for 2 instances}}
dietcode.workload @w over [@T] instances [[5], [6]] weights [1.0]

// -----

dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op weights must be positive and finite, got 0.000000e+00}}
dietcode.workload @w over [@T] instances [[5], [6]] weights [1.0, 0.0]

// -----

dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op weights must be positive and finite, got -1.000000e+00}}
dietcode.workload @w over [@T] instances [[5]] weights [-1.0]

// -----

dietcode.shape_var @T range [1, 128]
// Not a number.
// expected-error-re @below {{'dietcode.workload' op weights must be positive and finite, got {{.*}}}}
dietcode.workload @w over [@T] instances [[5]] weights [0x7FF8000000000000]

// -----

dietcode.shape_var @T range [1, 128]
// Infinity.
// expected-error-re @below {{'dietcode.workload' op weights must be positive and finite, got {{.*}}}}
dietcode.workload @w over [@T] instances [[5]] weights [0x7FF0000000000000]

// -----

// expected-error @below {{'dietcode.workload' op there is no dietcode.shape_var @T}}
dietcode.workload @w over [@T] instances [[5]]

// -----

// The symbol is something else.
dietcode.workload @T over [] instances []
// expected-error @below {{'dietcode.workload' op there is no dietcode.shape_var @T}}
dietcode.workload @w over [@T] instances [[5]]

// -----

// expected-note @below {{declared here}}
dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op instance 0 gives @T the value 129, which its declaration excludes}}
dietcode.workload @w over [@T] instances [[129]]

// -----

// expected-note @below {{declared here}}
dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op instance 1 gives @T the value 0, which its declaration excludes}}
dietcode.workload @w over [@T] instances [[1], [0]]

// -----

// expected-note @below {{declared here}}
dietcode.shape_var @T range [1, 128] multiple_of 8
// expected-error @below {{'dietcode.workload' op instance 0 gives @T the value 12, which its declaration excludes}}
dietcode.workload @w over [@T] instances [[12]]

// -----

// One variable cannot have two values.
dietcode.shape_var @T range [1, 128]
// expected-error @below {{'dietcode.workload' op lists @T twice}}
dietcode.workload @w over [@T, @T] instances [[12, 13]]

// -----

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op there is no dietcode.shape_var @T}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // Variables are symbols of the map.
  // expected-error @below {{'dietcode.bind_shape' op map must have no dimensions and one symbol for each of the 1 shape variables, got affine_map<(d0) -> (d0, 768)>}}
  dietcode.bind_shape %x [@T], affine_map<(t) -> (t, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op map must have no dimensions and one symbol for each of the 1 shape variables, got affine_map<()[s0, s1] -> (s0, s1)>}}
  dietcode.bind_shape %x [@T], affine_map<()[t, h] -> (t, h)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op map has 1 results for a value of rank 2}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op binds dimension 1 to 767, but the type has 768}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, 767)> : tensor<?x768xf32>
  return
}

// -----

func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op binds dimension 0 to the negative size -3}}
  dietcode.bind_shape %x [], affine_map<() -> (-3, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op map affine_map<()[s0] -> (s0 floordiv 0, 768)> may divide by positive constants only}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t floordiv 0, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // expected-error @below {{'dietcode.bind_shape' op map affine_map<()[s0] -> (s0 mod 0, 768)> may divide by positive constants only}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t mod 0, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: tensor<?x768xf32>) {
  // A variable may be zero.
  // expected-error @below {{'dietcode.bind_shape' op map affine_map<()[s0] -> (1024 floordiv s0 + 1, 768)> may divide by positive constants only}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (1024 floordiv t + 1, 768)> : tensor<?x768xf32>
  return
}

// -----

dietcode.shape_var @T range [1, 128]
func.func @f(%x: f32) {
  // expected-error @below {{'dietcode.bind_shape' op operand #0 must be ranked tensor of any type values or memref of any type values, but got 'f32'}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t)> : f32
  return
}

// -----

//===----------------------------------------------------------------------===//
// Matmul: tensors and buffers
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<4x4xf32>, %b: memref<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op operands must be all tensors or all buffers, but 'rhs' is 'memref<4x4xf32>'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, memref<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: tensor<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op operands must be all tensors or all buffers, but 'epilogue operand 0' is 'tensor<4xf32>'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : tensor<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op on tensors must have one result}}
  dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op on buffers must have no result}}
  %0 = dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{'dietcode.matmul' op result type 'tensor<?x4xf32>' must be the type of 'out', 'tensor<4x4xf32>'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// The product must not overwrite what it still reads.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op 'out' must not be one of the multiplied buffers}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}

// -----

// Another element of the destination may have been overwritten already.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op 'out' may be read by the epilogue only at the element that is written, but its map is affine_map<(d0, d1) -> (d1, d0)>}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%c : memref<4x4xf32>) maps [affine_map<(m, n) -> (n, m)>] do {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Matmul: ranks, element types, sizes
//===----------------------------------------------------------------------===//

func.func @f(%a: tensor<4x4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op operand #0 must be 2D tensor of any type values or 2D memref of any type values, but got 'tensor<4x4x4xf32>'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%a: tensor<*xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op operand #0 must be 2D tensor of any type values or 2D memref of any type values, but got 'tensor<*xf32>'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<*xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%a: tensor<4x4xindex>, %b: tensor<4x4xindex>, %c: tensor<4x4xindex>) -> tensor<4x4xindex> {
  // expected-error @below {{'dietcode.matmul' op multiplies floats or integers, got 'index'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xindex>, tensor<4x4xindex>) outs(%c : tensor<4x4xindex>) -> tensor<4x4xindex>
  return %0 : tensor<4x4xindex>
}

// -----

func.func @f(%a: tensor<4x4xf16>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op element types of 'lhs' and 'rhs' must be equal, got 'f16' and 'f32'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Floats are not summed up in integers.
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // expected-error @below {{'dietcode.matmul' op multiplies 'f32', which cannot be summed up in 'i32'}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

// m, static against static.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<5x6xf32>) -> tensor<5x6xf32> {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension m differ: 'lhs' has 4 in dimension 0, but 'out' has 5 in dimension 0}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// -----

// n, where the rest is dynamic.
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x6xf32>, %c: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension n differ: 'rhs' has 6 in dimension 1, but 'out' has 7 in dimension 1}}
  %0 = dietcode.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x6xf32>) outs(%c : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

// k, where m and n are dynamic.
func.func @f(%a: tensor<?x8xf32>, %b: tensor<9x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension k differ: 'lhs' has 8 in dimension 1, but 'rhs' has 9 in dimension 0}}
  %0 = dietcode.matmul ins(%a, %b : tensor<?x8xf32>, tensor<9x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The same operands fit without the transpose.
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension m differ: 'lhs' has 8 in dimension 1, but 'out' has 4 in dimension 0}}
  %0 = dietcode.matmul transpose_a ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension n differ: 'rhs' has 8 in dimension 0, but 'out' has 6 in dimension 1}}
  %0 = dietcode.matmul transpose_b ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Matmul: epilogue
//===----------------------------------------------------------------------===//

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<5xf32>) {
  // expected-error @below {{'dietcode.matmul' op sizes of dimension n differ: 'rhs' has 4 in dimension 1, but 'epilogue operand 0' has 5 in dimension 0}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<5xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op operand 'epilogue operand 0' has rank 1, but its map affine_map<(d0, d1, d2) -> (d0, d1)> gives 2 dimensions}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (m, n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op has 2 epilogue maps for 1 operands}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

// Not a permutation.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<8xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue map affine_map<(d0, d1) -> (d0 + d1)> must be a projected permutation of the 2 dimensions of 'out'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<8xf32>) maps [affine_map<(m, n) -> (m + n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

// k is summed away before the epilogue.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue map affine_map<(d0, d1, d2) -> (d2)> must be a projected permutation of the 2 dimensions of 'out'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n, k) -> (k)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue operands need an epilogue region}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>]
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue must have 2 arguments, got 1}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf32>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32):
    dietcode.yield %sum : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue argument 0 must have the element type of 'out' or that of the sums, 'f32', got 'f16'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f16):
    %0 = arith.extf %sum : f16 to f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op multiplies 'f32', which cannot be summed up in 'f16'}}
  dietcode.matmul sums(f16) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @f(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf16>) {
  // expected-error @below {{'dietcode.matmul' op multiplies 'f16', which cannot be summed up in 'i32'}}
  dietcode.matmul sums(i32) ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf16>)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf16>) {
  // expected-error @below {{'dietcode.matmul' op epilogue argument 1 must have the element type of its operand, got 'f32'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      epilogue(%bias : memref<4xf16>) maps [affine_map<(m, n) -> (n)>] do {
  ^bb0(%sum: f32, %v: f32):
    dietcode.yield %v : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op epilogue must end in a dietcode.yield of the element type of 'out'}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f16
    dietcode.yield %0 : f16
  }
  return
}

// -----

// An epilogue is run for each element, in any order.
func.func private @print(f32)
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    // expected-error @below {{'func.call' op must be scalar arithmetic without side effects in an epilogue}}
    func.call @print(%sum) : (f32) -> ()
    dietcode.yield %sum : f32
  }
  return
}

// -----

// An operation with regions.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    %true = arith.constant true
    // expected-error @below {{'scf.if' op must be scalar arithmetic without side effects in an epilogue}}
    %0 = scf.if %true -> f32 {
      scf.yield %sum : f32
    } else {
      scf.yield %sum : f32
    }
    dietcode.yield %0 : f32
  }
  return
}

// -----

// Pure, but not scalar.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    // expected-error @below {{'tensor.from_elements' op must be scalar arithmetic without side effects in an epilogue}}
    %0 = tensor.from_elements %sum : tensor<1xf32>
    dietcode.yield %sum : f32
  }
  return
}

// -----

// A kernel sees nothing of the function that calls it.
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %alpha: f32) {
  // expected-note @below {{required by region isolation constraints}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) do {
  ^bb0(%sum: f32):
    // expected-error @below {{'arith.mulf' op using value defined outside the region}}
    %0 = arith.mulf %sum, %alpha : f32
    dietcode.yield %0 : f32
  }
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{'dietcode.yield' op expects parent op to be one of 'dietcode.matmul, dietcode.contract, dietcode.rowwise'}}
  dietcode.yield %x : f32
}

// -----

//===----------------------------------------------------------------------===//
// Matmul: dispatch
//===----------------------------------------------------------------------===//

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op there is no dietcode.dispatch @d}}
  dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (rows in [1, 4]) {
  case rows in [1, 4] -> @k
  otherwise -> @k
}
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op has no dimension 'rows', on which @d dispatches}}
  dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

// expected-error @below {{block tile must have 3 sizes, got 2}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8], thread = [1, 1]>

// -----

// expected-error @below {{thread tile must have 2 sizes, got 3}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1, 1]>

// -----

// expected-error @below {{block tile sizes must be positive, got 0}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 0], thread = [1, 1]>

// -----

// expected-error @below {{block tile sizes must be positive, got -8}}
dietcode.micro_kernel @k #dietcode.schedule<block = [-8, 8, 8], thread = [1, 1]>

// -----

// expected-error @below {{thread tile sizes must be positive, got 0}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 0]>

// -----

// expected-error @below {{thread tile sizes must be positive, got -1}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [-1, 1]>

// -----

// expected-error @below {{thread tile 3 must divide block tile 8 in dimension m}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [3, 1]>

// -----

// expected-error @below {{thread tile 16 must divide block tile 8 in dimension n}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 16]>

// -----

// expected-error @below {{stages must be 1 or 2, got 3; registers hold one k tile on its way to shared memory, so that more buffers stay empty}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], stages = 3>

// -----

// expected-error @below {{split must be between 1 and 32, got 0}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], split = 0>

// -----

// expected-error @below {{split must be between 1 and 32, got 33}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], split = 33>

// -----

// expected-error @below {{vector must be 1, 2 or 4, got 3}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], vector = 3>

// -----

// expected-error @below {{vector must be 1, 2 or 4, got -1}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], vector = -1>

// -----

// expected-error @below {{order must be [m, n], [n, m] or [m, n, m], got [m, k]}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], order = [m, k]>

// -----

// expected-error @below {{order must be [m, n], [n, m] or [m, n, m], got [n]}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], order = [n]>

// -----

// expected-error @below {{split is given twice}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], split = 2, split = 2>

// -----

// expected-error @below {{there is no instruction wmma; a schedule has one of fma, mma_f16, mma_f16_f16, mma_i8, rows, elements}}
dietcode.micro_kernel @k #dietcode.schedule<block = [64, 64, 32], thread = [32, 32], instruction = wmma>

// -----

// expected-error @below {{a schedule has no parameter warps; after block and thread come stages, split, vector, order and instruction}}
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1], warps = 4>

// -----

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown device 'b999'; known devices: t4, rtx2080ti, v100, a100, l4, h100}}
module attributes {dietcode.device = #dietcode.device<"b999", chip = "sm_80">} {}

// -----

// expected-error @below {{unknown chip 'sm_74'; known chips: sm_20, sm_21,}}
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_74">} {}

// -----

// expected-error @below {{chip 'sm_60' is too old; kernels need sm_70 or newer}}
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_60">} {}

// -----

// expected-error @below {{attribute "dietcode.device" must be a #dietcode.device}}
module attributes {dietcode.device = "t4"} {}

// -----

//===----------------------------------------------------------------------===//
// Attributes of other operations
//===----------------------------------------------------------------------===//

// expected-error @below {{there is no dietcode.workload @w}}
func.func @f() attributes {dietcode.workload = @w} {
  return
}

// -----

// expected-error @below {{attribute "dietcode.workload" must be the symbol of a workload on a function}}
func.func @f() attributes {dietcode.workload = "w"} {
  return
}

// -----

dietcode.workload @w over [] instances []
// expected-error @below {{attribute "dietcode.workload" must be the symbol of a workload on a function}}
module attributes {dietcode.workload = @w} {}

// -----

// A name that is misspelt is not ignored.
// expected-error @below {{the dietcode dialect has no attribute "dietcode.workloads"}}
func.func @f() attributes {dietcode.workloads = @w} {
  return
}

// -----

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

// expected-error @below {{'dietcode.dispatch' op there is no dietcode.micro_kernel @k}}
dietcode.dispatch @d on (m in [1, 4]) {
  case m in [1, 4] -> @k
  otherwise -> @k
}

// -----

// Only the general kernel is unknown.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op there is no dietcode.micro_kernel @general}}
dietcode.dispatch @d on (m in [1, 4]) {
  case m in [1, 4] -> @k
  otherwise -> @general
}

// -----

// A gap in the middle is named.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op no case covers m in [5, 6]}}
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 4] -> @k
  case m in [7, 9] -> @k
  otherwise -> @k
}

// -----

// A gap at the end.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op no case covers m in [5, 9]}}
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 4] -> @k
  otherwise -> @k
}

// -----

// No cases at all, over no dimensions.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op no case covers the static shape; add one that does}}
dietcode.dispatch @d on () {
  otherwise -> @k
}

// -----

// A corner of a rectangle.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op no case covers m in [5, 9], n in [3, 9]}}
dietcode.dispatch @d on (m in [1, 9], n in [1, 9]) {
  case m in [1, 4], n in [1, 9] -> @k
  case m in [5, 9], n in [1, 2] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op cases 0 (m in [1, 5]) and 1 (m in [5, 9]) overlap}}
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 5] -> @k
  case m in [5, 9] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op cases 0 (the static shape) and 1 (the static shape) overlap}}
dietcode.dispatch @d on () {
  case -> @k
  case -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op case 0 (m in [1, 10]) reaches outside of the domain}}
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 10] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op domain has the empty interval [9, 1]}}
dietcode.dispatch @d on (m in [9, 1]) {
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op case has the empty interval [5, 4]}}
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 9] -> @k
  case m in [5, 4] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op has dimension 'm' twice}}
dietcode.dispatch @d on (m in [1, 9], m in [1, 9]) {
  case m in [1, 9], m in [1, 9] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (m in [1, 9], n in [1, 9]) {
  // expected-error @below {{expected dimension 'm', got 'n'}}
  case n in [1, 9], m in [1, 9] -> @k
  otherwise -> @k
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 9] -> @k
// The general kernel is not optional.
// expected-error @below {{expected 'otherwise'}}
}

// -----

// A table that no text can give.
dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
// expected-error @below {{'dietcode.dispatch' op domain and cases must have one interval for each of the 1 dimensions}}
"dietcode.dispatch"() <{sym_name = "d", dims = ["m"], domain = array<i64: 1, 9>, boxes = array<i64: 1>, kernels = [@k], otherwise = @k}> : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Selects
//===----------------------------------------------------------------------===//

func.func @f(%m: index) -> index {
  // expected-error @below {{'dietcode.select' op there is no dietcode.dispatch @d}}
  %0 = dietcode.select @d(%m)
  return %0 : index
}

// -----

dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [1, 1]>
dietcode.dispatch @d on (m in [1, 9]) {
  case m in [1, 9] -> @k
  otherwise -> @k
}
func.func @f(%m: index) -> index {
  // expected-error @below {{'dietcode.select' op gives 2 sizes for the 1 dimensions of @d}}
  %0 = dietcode.select @d(%m, %m)
  return %0 : index
}

// -----

dietcode.shape_var @T range [1, 8]
func.func @bind_shape_never_fits(%x: tensor<50x768xf32>) {
  // expected-error @below {{binds dimension 0 of size 50 to an expression, affine_map<()[s0] -> (s0 * 16)>, that is never equal to it}}
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<50x768xf32>
  return
}

// -----

// One error, at the number.
// expected-error @below {{integer value too large}}
dietcode.micro_kernel @k #dietcode.schedule<block = [99999999999999999999, 64, 16], thread = [2, 4]>

// -----

// expected-error @below {{integer value too large}}
dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], stages = 99999999999999999999>

// -----

// expected-error @below {{expected '['}}
dietcode.micro_kernel @k #dietcode.schedule<block = 16, thread = [2, 4]>
