// RUN: dietcode-opt %s --convert-dietcode-to-gpu --split-input-file --verify-diagnostics

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @bf16(%a: memref<2x4x4xbf16>, %b: memref<2x4x4xbf16>, %c: memref<2x4x4xf32>) {
    // expected-error @below {{'dietcode.contract' op cannot be compiled for the GPU: 'lhs' has element type 'bf16'; supported is f32, f16 and i8}}
    dietcode.contract dispatch(@d) ins(%a, %b : memref<2x4x4xbf16>, memref<2x4x4xbf16>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
    return
  }
}

// -----

#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @i32(%x: memref<2x5x5x16xi32>, %w: memref<3x3x16x24xi32>, %y: memref<2x5x5x24xi32>) {
    // expected-error @below {{'dietcode.contract' op cannot be compiled for the GPU: 'lhs' has element type 'i32'; supported is f32, f16 and i8}}
    dietcode.contract dispatch(@d) ins(%x, %w : memref<2x5x5x16xi32>, memref<3x3x16x24xi32>) outs(%y : memref<2x5x5x24xi32>)
        maps [#image, #filter, #result]
    return
  }
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @no_dispatch(%a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'dietcode.contract' op cannot be compiled for the GPU without a dispatch; run dietcode-select-micro-kernels}}
  dietcode.contract ins(%a, %b : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%c : memref<2x4x4xf32>) maps [#a, #b, #c]
  return
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @tensors(%a: tensor<2x4x4xf32>, %b: tensor<2x4x4xf32>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  // expected-error @below {{'dietcode.contract' op cannot be compiled for the GPU on tensors; bufferize it first}}
  %0 = dietcode.contract ins(%a, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%c : tensor<2x4x4xf32>) maps [#a, #b, #c] -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}
