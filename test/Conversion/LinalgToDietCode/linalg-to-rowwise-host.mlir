// RUN: dietcode-opt %s --convert-linalg-to-rowwise --allow-unregistered-dialect --verify-diagnostics | FileCheck %s

// What is left to loops on the host is not left so in silence.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#diagonal = affine_map<(d0) -> (d0, d0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @left
// CHECK-NOT: dietcode.rowwise
func.func @left(%x: tensor<?x?xf32>, %s: tensor<f32>, %r: tensor<?xf32>, %i: tensor<?x?xi32>, %b: tensor<?x?xbf16>,
                %a: tensor<?x?xf32>, %c: tensor<?x?xf32>, %m: memref<?x?xf32>) -> tensor<?x?xf32> {
  // An index.
  // CHECK: linalg.generic
  // expected-warning @below {{'linalg.generic' op will run on the host: it has more than arithmetic on scalars in its body}}
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%i : tensor<?x?xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 1 : index
    %t = arith.index_cast %n : index to i32
    linalg.yield %t : i32
  } -> tensor<?x?xi32>
  // A diagonal.
  // CHECK: linalg.generic
  // expected-warning @below {{'linalg.generic' op will run on the host: it has an indexing map that is not of distinct loops}}
  %2 = linalg.generic {indexing_maps = [#diagonal, #one], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<?xf32>
  // No single combining operation.
  // CHECK: linalg.generic
  // expected-warning @below {{'linalg.generic' op will run on the host: it does not combine its elements by one operation}}
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %t = arith.mulf %acc, %e : f32
    %u = arith.addf %t, %e : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  // bf16.
  // CHECK: linalg.add
  // expected-warning @below {{'linalg.add' op will run on the host: it has elements of a type that kernels do not compute with}}
  %4 = linalg.add ins(%b, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%b : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  // A product of matrices, of which another pass warns.
  // CHECK: linalg.matmul
  %5 = linalg.matmul ins(%x, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  // Buffers.
  // CHECK: linalg.add
  linalg.add ins(%m, %m : memref<?x?xf32>, memref<?x?xf32>) outs(%m : memref<?x?xf32>)
  // A single element.
  // CHECK: linalg.add
  %6 = linalg.add ins(%s, %s : tensor<f32>, tensor<f32>) outs(%s : tensor<f32>) -> tensor<f32>
  "test.use"(%1, %2, %3, %4, %6) : (tensor<?x?xi32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xbf16>, tensor<f32>) -> ()
  return %5 : tensor<?x?xf32>
}
