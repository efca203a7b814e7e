// Short sequences through BERT-base: 16 sentences of T tokens, T in [1, 8], are 16
// to 128 rows. The QKV projection has 2304 columns, enough tiles for every SM; the
// second feed-forward layer has 768, each a sum over 3072, so that few tiles are a
// lot of work each.

dietcode.shape_var @T range [1, 8]
dietcode.workload @short over [@T] instances [[1], [2], [5], [8]]

func.func @qkv(%x: tensor<?x768xf32>, %w: tensor<2304x768xf32>, %bias: tensor<2304xf32>)
    -> tensor<?x2304xf32> attributes {dietcode.workload = @short} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%rows) : tensor<?x2304xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  %product = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x768xf32>, tensor<2304x768xf32>)
      outs(%init : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  %y = linalg.generic
      {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x2304xf32>, tensor<2304xf32>)
      outs(%empty : tensor<?x2304xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x2304xf32>
  return %y : tensor<?x2304xf32>
}

func.func @down(%x: tensor<?x3072xf32>, %w: tensor<768x3072xf32>, %bias: tensor<768xf32>)
    -> tensor<?x768xf32> attributes {dietcode.workload = @short} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 3072)> : tensor<?x3072xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x3072xf32>
  %empty = tensor.empty(%rows) : tensor<?x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x768xf32>) -> tensor<?x768xf32>
  %product = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x3072xf32>, tensor<768x3072xf32>)
      outs(%init : tensor<?x768xf32>) -> tensor<?x768xf32>
  %y = linalg.generic
      {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x768xf32>, tensor<768xf32>)
      outs(%empty : tensor<?x768xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}
