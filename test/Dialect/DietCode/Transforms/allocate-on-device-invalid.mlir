// RUN: dietcode-opt %s --dietcode-allocate-on-device --split-input-file --verify-diagnostics

// A copy of a variable would lose what is written to it.
memref.global "private" @v : memref<4x4xf32> = dense<2.0>
func.func @variable(%a: memref<?x4xf32>, %c: memref<?x4xf32>) {
  // expected-error @below {{'memref.get_global' op gives a kernel the variable @v, which is memory of the host that kernels do not reach; make it constant, or pass the buffer as an argument}}
  %v = memref.get_global @v : memref<4x4xf32>
  dietcode.matmul ins(%a, %v : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// -----

// Also through a view.
memref.global "private" @v : memref<4x4xf32> = uninitialized
func.func @view(%a: memref<4x4xf32>, %b: memref<4x2xf32>) {
  // expected-error @below {{'memref.get_global' op gives a kernel the variable @v}}
  %v = memref.get_global @v : memref<4x4xf32>
  %0 = memref.subview %v[0, 0] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1]>>
  dietcode.matmul ins(%a, %b : memref<4x4xf32>, memref<4x2xf32>) outs(%0 : memref<4x2xf32, strided<[4, 1]>>)
  return
}
