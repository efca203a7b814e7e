// RUN: dietcode-opt %s --convert-linalg-to-dietcode --verify-diagnostics

// A product that is left to loops on the host is not left so in silence.

func.func @widening(%a: tensor<5x8xf16>, %b: tensor<8x4xf16>, %c: tensor<5x4xf64>) -> tensor<5x4xf64> {
  // expected-warning @below {{'linalg.matmul' op will run on the host: its factors and its sum are not of one element type}}
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf16>, tensor<8x4xf16>) outs(%c : tensor<5x4xf64>) -> tensor<5x4xf64>
  return %0 : tensor<5x4xf64>
}

func.func @widening_unsigned(%a: memref<5x8xi8>, %b: memref<8x4xi8>, %c: memref<5x4xi32>) {
  // expected-warning @below {{'linalg.matmul' op will run on the host: its body does not add the product of the inputs, at most extended}}
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<5x8xi8>, memref<8x4xi8>) outs(%c : memref<5x4xi32>)
  return
}

func.func @matvec(%a: tensor<5x8xbf16>, %b: tensor<8xbf16>, %c: tensor<5xbf16>) -> tensor<5xbf16> {
  // expected-warning @below {{'linalg.matvec' op will run on the host: it is not a product of two matrices}}
  %0 = linalg.matvec ins(%a, %b : tensor<5x8xbf16>, tensor<8xbf16>) outs(%c : tensor<5xbf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @broadcast(%a: tensor<8xbf16>, %b: tensor<8x4xbf16>, %c: tensor<5x4xbf16>) -> tensor<5x4xbf16> {
  // expected-warning @below {{'linalg.matmul' op will run on the host: its indexing maps are not those of a product}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
         ins(%a, %b : tensor<8xbf16>, tensor<8x4xbf16>) outs(%c : tensor<5x4xbf16>) -> tensor<5x4xbf16>
  return %0 : tensor<5x4xbf16>
}

func.func @complex(%a: tensor<5x8xcomplex<f32>>, %b: tensor<8x4xcomplex<f32>>, %c: tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>> {
  // expected-warning @below {{'linalg.matmul' op will run on the host: an operand is sparse, or not of floats or integers}}
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xcomplex<f32>>, tensor<8x4xcomplex<f32>>) outs(%c : tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
  return %0 : tensor<5x4xcomplex<f32>>
}

func.func @multiplied_destination(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  // expected-warning @below {{'linalg.matmul' op will run on the host: it multiplies its destination}}
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// Nothing to say about what an operator computes, now or once
// convert-linalg-to-rowwise has run, and about what is no product.
func.func @silent(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>, %v: tensor<4xf32>, %r: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<5x4xf32>) outs(%r : tensor<5xf32>) dimensions = [1]
  %3 = linalg.matvec ins(%1, %v : tensor<5x4xf32>, tensor<4xf32>) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
  return %3 : tensor<5xf32>
}
