// What the compile-time benchmark compiles: a product with any number of rows,
// and nothing else said about it.
func.func @qkv(%x: tensor<?x768xf32>, %w: tensor<768x2304xf32>, %init: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x768xf32>, tensor<768x2304xf32>)
                     outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %y : tensor<?x2304xf32>
}
