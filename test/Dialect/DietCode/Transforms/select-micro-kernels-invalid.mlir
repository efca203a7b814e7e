// RUN: dietcode-opt %s --dietcode-select-micro-kernels=max-regret=0.0001 --split-input-file --verify-diagnostics
// RUN: not dietcode-opt %s --dietcode-select-micro-kernels=max-kernels=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dietcode-opt %s --dietcode-select-micro-kernels=max-regret=nan 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not dietcode-opt %s --dietcode-select-micro-kernels=max-kernels=-1 2>&1 | FileCheck %s --check-prefix=SIGN
// RUN: not dietcode-opt %s --dietcode-select-micro-kernels=max-regret=abc 2>&1 | FileCheck %s --check-prefix=WORD

// NONE: error: max-kernels must be at least 1
// NAN: error: max-regret must be a number, got nan
// SIGN: '-1' value invalid for uint argument
// WORD: 'abc' value invalid for floating point argument

// More regret than is accepted.
#device = #dietcode.device<"t4", chip = "sm_75">
module attributes {dietcode.device = #device} {
  dietcode.shape_var @T range [1, 4096]
  func.func @regret(%a: memref<?x768xf32>, %b: memref<768x2304xf32>, %c: memref<?x2304xf32>) {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 768)> : memref<?x768xf32>
    dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 2304)> : memref<?x2304xf32>
    // expected-error-re @below {{'dietcode.matmul' op predicted regret {{.*}}% at m = {{[0-9]+}}, n = 2304, k = 768 is above max-regret 0.0%; allow more micro-kernels or more regret}}
    dietcode.matmul ins(%a, %b : memref<?x768xf32>, memref<768x2304xf32>) outs(%c : memref<?x2304xf32>)
    return
  }
}

// -----

// Nothing says how large m is.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  func.func @unbound(%a: memref<?x768xf32>, %b: memref<768x2304xf32>, %c: memref<?x2304xf32>) {
    // expected-error @below {{'dietcode.matmul' op dimension m is not bound to shape variables; run dietcode-bind-shapes}}
    dietcode.matmul ins(%a, %b : memref<?x768xf32>, memref<768x2304xf32>) outs(%c : memref<?x2304xf32>)
    return
  }
}

// -----

// Nothing says what the module is for.
// expected-error @below {{the module does not say which device it is for; run dietcode-attach-device}}
func.func @no_device(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  dietcode.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  return
}

// -----

// A range that no kernel can serve: the grid has at most 2^31 - 1 blocks.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [1, 9223372036854775807]
  func.func @huge(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 64)> : memref<?x64xf32>
    dietcode.bind_shape %c [@T], affine_map<()[t] -> (t, 64)> : memref<?x64xf32>
    // expected-error-re @below {{'dietcode.matmul' op has no dispatch: no candidate can serve the shape ({{[0-9]+}})}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

// A size that 64 bits do not hold, though they hold the variable.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [1, 4611686018427387904]
  func.func @overflow(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (2 * t - 1, 64)> : memref<?x64xf32>
    // expected-error @below {{'dietcode.matmul' op dimension m is affine_map<()[s0] -> (s0 * 2 - 1)> of [@T], which 64 bits do not hold in the declared range; change the range}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @S range [0, 9223372036854775807]
  dietcode.shape_var @T range [0, 9223372036854775807]
  func.func @sum(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) {
    dietcode.bind_shape %a [@S, @T], affine_map<()[s, t] -> (s + t, 64)> : memref<?x64xf32>
    // expected-error @below {{dimension m is affine_map<()[s0, s1] -> (s0 + s1)> of [@S, @T], which 64 bits do not hold in the declared range}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

// No value of T makes it a size.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [11, 128]
  func.func @negative(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (10 - t, 64)> : memref<?x64xf32>
    // expected-error @below {{'dietcode.matmul' op dimension m is affine_map<()[s0] -> (-s0 + 10)> of [@T], which is negative in the whole declared range; change the range}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

// Some do for m, and some for k, but none for both.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [1, 128]
  func.func @disjoint(%a: memref<?x?xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>) {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (10 - t, t - 20)> : memref<?x?xf32>
    // expected-error @below {{'dietcode.matmul' op has a negative dimension at every sample of the declared range; change the range}}
    dietcode.matmul ins(%a, %b : memref<?x?xf32>, memref<?x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}

// -----

// An instance is a shape.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.shape_var @T range [1, 128]
  dietcode.workload @w over [@T] instances [[5], [11]]
  func.func @instance(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>) attributes {dietcode.workload = @w} {
    dietcode.bind_shape %a [@T], affine_map<()[t] -> (10 - t, 64)> : memref<?x64xf32>
    // expected-error @below {{'dietcode.matmul' op has a negative dimension in instance 1 of workload @w; change the instance}}
    dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%c : memref<?x64xf32>)
    return
  }
}
