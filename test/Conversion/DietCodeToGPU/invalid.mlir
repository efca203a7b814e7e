// RUN: dietcode-opt %s --convert-dietcode-to-gpu --split-input-file --verify-diagnostics


module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @f64(%a: memref<4x4xf64>, %b: memref<4x4xf64>, %c: memref<4x4xf64>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: 'lhs' has element type 'f64'; supported is f32, f16 and i8}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%c : memref<4x4xf64>)
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @f16_sums(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf16>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: factors of f16 are summed up in f16 by mma_f16_f16, but @k is built from fma}}
    dietcode.matmul sums(f16) dispatch(@d) ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf16>)
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @i32(%a: memref<4x4xi32>, %b: memref<4x4xi32>, %c: memref<4x4xi32>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: 'lhs' has element type 'i32'; supported is f32, f16 and i8}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xi32>, memref<4x4xi32>) outs(%c : memref<4x4xi32>)
    return
  }
}

// -----

// Only the operand of the epilogue is not supported.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @epilogue_f64(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %bias: memref<4xf64>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: 'epilogue operand 0' has element type 'f64'; supported is f32, f16, i8 and i32}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
        epilogue(%bias : memref<4xf64>) maps [affine_map<(m, n) -> (n)>] do {
    ^bb0(%sum: f32, %v: f64):
      %0 = arith.truncf %v : f64 to f32
      dietcode.yield %0 : f32
    }
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [64, 64, 32], thread = [32, 32], instruction = mma_f16>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @single(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: factors of f32 are summed up in f32 by fma, but @k is built from mma_f16}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

// The device has the instruction, the chip that code is for has not.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_70">} {
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: sm_70 has no mma.m16n8k8, which needs sm_75}}
  dietcode.micro_kernel @k #dietcode.schedule<block = [64, 64, 32], thread = [32, 32], instruction = mma_f16>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @volta(%a: memref<4x4xf16>, %b: memref<4x4xf16>, %c: memref<4x4xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

func.func @no_dispatch(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU without a dispatch; run dietcode-select-micro-kernels}}
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @tensors(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU on tensors; bufferize it first}}
  %0 = dietcode.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A layout that is no offset and strides.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @layout(%a: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: the layout of 'lhs' is not strided,}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @memory_space(%a: memref<4x4xf32>, %b: memref<4x4xf32, 3>, %c: memref<4x4xf32>) {
    // expected-error @below {{'dietcode.matmul' op cannot be compiled for the GPU: 'rhs' must be in the default memory space, got 'memref<4x4xf32, 3>'}}
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32, 3>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

// A tile over the shared memory of the device.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the 256x256x32 tile with 2 stages needs 133120 bytes of shared memory, the t4 allows 49152}}
  dietcode.micro_kernel @k #dietcode.schedule<block = [256, 256, 32], thread = [8, 8]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @shared_memory(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

// Only the general kernel is too large.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the 64x64x16 tile with 1x1 per thread needs 4096 threads, the t4 allows 1024 per block}}
  dietcode.micro_kernel @general #dietcode.schedule<block = [64, 64, 16], thread = [1, 1]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @general
  }
  func.func @threads(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

// A tile that is huge, and one whose threads are no whole warps.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the 9223372036854775807x8x8 tile has a block extent of 9223372036854775807, which is not a multiple of 4 between 4 and 1024}}
  dietcode.micro_kernel @k #dietcode.schedule<block = [9223372036854775807, 8, 8], thread = [1, 1]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @huge(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the 8x8x8 tile with 4x4 per thread needs 4 threads, which is not a multiple of the 32 of a warp}}
  dietcode.micro_kernel @k #dietcode.schedule<block = [8, 8, 8], thread = [4, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @warp(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}

// -----

// Nothing says whose limits rule.
// expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the module does not say which device it is for; run dietcode-attach-device}}
dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
dietcode.dispatch @d on () {
  case -> @k
  otherwise -> @k
}
func.func @no_device(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  dietcode.matmul dispatch(@d) ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
