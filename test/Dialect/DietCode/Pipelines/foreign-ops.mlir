// RUN: dietcode-opt %s --dietcode-select | FileCheck %s
// RUN: dietcode-opt %s --dietcode-to-llvm | FileCheck %s --check-prefix=LLVM

// Operations of other dialects around operators are left as they are by
// selection, and compiled.

// The private function and a function without operators are untouched.
// CHECK-LABEL: func.func private @log(f32)
// CHECK-LABEL: func.func @untouched
// CHECK-NEXT: %[[S:.*]] = math.powf
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]]
// CHECK-NEXT: return %[[T]]
// LLVM-DAG: llvm.func @log(f32)
// LLVM-DAG: llvm.func @untouched(%{{.*}}: f32, %{{.*}}: f32) -> f32
func.func private @log(f32)
func.func @untouched(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  %1 = arith.addf %0, %y : f32
  return %1 : f32
}

// tensor, arith, math, scf and func around one product.
// CHECK-LABEL: func.func @around
// CHECK: arith.divf
// CHECK: math.sqrt
// CHECK: tensor.generate
// CHECK:   tensor.yield
// CHECK: scf.if
// CHECK:   tensor.extract_slice
// CHECK:   tensor.insert_slice
// CHECK: dietcode.matmul dispatch(@around_matmul)
// CHECK: scf.for
// CHECK:   tensor.extract
// CHECK:   func.call @untouched
// CHECK:   scf.yield
// CHECK: call @log
// CHECK: tensor.collapse_shape
// LLVM: llvm.func @around(
// LLVM: gpu.launch_func @dietcode_kernels
// LLVM: llvm.call @untouched
// LLVM: llvm.call @log
func.func @around(%x: tensor<?x64xf32>, %w: tensor<64x32xf32>, %n: index, %p: i1) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %size = arith.index_cast %n : index to i32
  %number = arith.sitofp %size : i32 to f32
  %half = arith.divf %number, %two : f32
  %root = math.sqrt %half : f32
  %generated = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %sum = arith.addi %i, %j : index
    %int = arith.index_cast %sum : index to i32
    %float = arith.sitofp %int : i32 to f32
    tensor.yield %float : f32
  } : tensor<?x64xf32>
  %chosen = scf.if %p -> tensor<?x64xf32> {
    %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
    %m = arith.minsi %rows, %n : index
    %slice = tensor.extract_slice %x[0, 0] [%m, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %inserted = tensor.insert_slice %slice into %generated[0, 0] [%m, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
    scf.yield %inserted : tensor<?x64xf32>
  } else {
    scf.yield %generated : tensor<?x64xf32>
  }
  %empty = tensor.empty(%n) : tensor<?x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.matmul ins(%chosen, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%fill : tensor<?x32xf32>) -> tensor<?x32xf32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %root) -> f32 {
    %element = tensor.extract %product[%i, %c2] : tensor<?x32xf32>
    %power = func.call @untouched(%element, %two) : (f32, f32) -> f32
    %next = arith.addf %sum, %power : f32
    scf.yield %next : f32
  }
  func.call @log(%total) : (f32) -> ()
  %flat = tensor.collapse_shape %product [[0, 1]] : tensor<?x32xf32> into tensor<?xf32>
  return %flat, %total : tensor<?xf32>, f32
}

// A reduction of a product is an operator of its own.
// CHECK-LABEL: func.func @elementwise
// CHECK: dietcode.matmul
// CHECK: dietcode.rowwise
// LLVM: llvm.func @elementwise(
func.func @elementwise(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>, %r: tensor<32xf32>) -> tensor<32xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  %1 = linalg.reduce ins(%0 : tensor<?x32xf32>) outs(%r : tensor<32xf32>) dimensions = [0]
    (%x: f32, %y: f32) {
      %2 = arith.maximumf %x, %y : f32
      linalg.yield %2 : f32
    }
  return %1 : tensor<32xf32>
}

// A product in a loop, whose result is the next one's input.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: dietcode.matmul
// LLVM: llvm.func @loop(
func.func @loop(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?x64xf32> {
    %m = tensor.dim %y, %c0 : tensor<?x64xf32>
    %empty = tensor.empty(%m) : tensor<?x64xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
    %1 = linalg.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}
