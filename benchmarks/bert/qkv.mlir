// The QKV projection of BERT-base, y = x w^T + bias, with a dynamic sequence
// length T: 16 sentences of T tokens are 16 T rows. The instances are those of
// the DietCode paper.

dietcode.shape_var @T range [1, 128]
dietcode.workload @bert over [@T] instances [[5], [24], [43], [62], [81], [100], [119], [128]]

func.func @qkv(%x: tensor<?x768xf32>, %w: tensor<2304x768xf32>, %bias: tensor<2304xf32>)
    -> tensor<?x2304xf32> attributes {dietcode.workload = @bert} {
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
