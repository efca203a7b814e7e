// RUN: dietcode-opt %s --convert-dietcode-to-gpu --split-input-file --verify-diagnostics

// expected-error @below {{'dietcode.micro_kernel' op cannot be generated: the module does not say which device it is for; run dietcode-attach-device}}
dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = elements>
dietcode.dispatch @d on () {
  case -> @rows
  otherwise -> @rows
}
#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_device(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @tensors(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU on tensors; bufferize it first}}
  %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = elements>
dietcode.dispatch @d on () {
  case -> @rows
  otherwise -> @rows
}
#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @element_type(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU: 'input 0' has element type 'bf16'; supported are f16, f32, f64, i1, i8, i16, i32 and i64}}
  dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) maps [#element, #element] do {
  ^bb0(%e: bf16):
    dietcode.yield %e : bf16
  }
  return
}

// -----

dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = elements>
dietcode.dispatch @d on () {
  case -> @rows
  otherwise -> @rows
}
#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @value_type(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    // expected-error @below {{'arith.truncf' op cannot be compiled for the GPU: its type is 'bf16'; supported are f16, f32, f64, i1, i8, i16, i32 and i64}}
    %0 = arith.truncf %e : f32 to bf16
    %1 = arith.extf %0 : bf16 to f32
    dietcode.yield %1 : f32
  }
  return
}

// -----

dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = elements>
dietcode.dispatch @d on () {
  case -> @rows
  otherwise -> @rows
}
#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @memory_space(%x: memref<?x?xf32, 3>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU: 'input 0' must be in the default memory space, got 'memref<?x?xf32, 3>'}}
  dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xf32, 3>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = elements>
dietcode.dispatch @d on () {
  case -> @rows
  otherwise -> @rows
}
#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @layout(%x: memref<4x4xf32, affine_map<(i, j) -> (i mod 2, j)>>, %y: memref<4x4xf32>) {
  // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU: 'input 0' has a layout that is not strided}}
  dietcode.rowwise dispatch(@d) ins(%x : memref<4x4xf32, affine_map<(i, j) -> (i mod 2, j)>>) outs(%y : memref<4x4xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}
// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_dispatch(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU without a dispatch; run dietcode-select-micro-kernels}}
  dietcode.rowwise ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
  ^bb0(%e: f32):
    dietcode.yield %e : f32
  }
  return
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @product #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @product
    otherwise -> @product
  }
  func.func @instruction(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    // expected-error @below {{'dietcode.rowwise' op cannot be compiled for the GPU: it is computed in tiles of elements, but @product is built from fma}}
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#element, #element] do {
    ^bb0(%e: f32):
      dietcode.yield %e : f32
    }
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  // expected-error @below {{'dietcode.micro_kernel' op cannot be generated: a tile of rows has one element along k and one row per thread, not 8 and 1}}
  dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 8], thread = [1, 32], instruction = elements>
  dietcode.dispatch @d on () {
    case -> @rows
    otherwise -> @rows
  }
  func.func @tile(%x: memref<?xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] do {
    ^bb0(%e: f32):
      dietcode.yield %e : f32
    }
    return
  }
}
