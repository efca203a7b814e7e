// The feed-forward layers of BERT-base: 16 sentences of T tokens through 768 to
// 3072 and back. The instances are those of the DietCode paper (MLSys 2022).

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

dietcode.shape_var @T range [1, 128]
dietcode.workload @bert over [@T] instances [[5], [24], [43], [62], [81], [100], [119], [128]]

func.func @up(%x: tensor<?x768xf32>, %w: tensor<3072x768xf32>, %bias: tensor<3072xf32>)
    -> tensor<?x3072xf32> attributes {dietcode.workload = @bert} {
  dietcode.bind_shape %x [@T], affine_map<()[v] -> (16 * v, 768)> : tensor<?x768xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%rows) : tensor<?x3072xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x768xf32>, tensor<3072x768xf32>)
      outs(%init : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x3072xf32>, tensor<3072xf32>)
      outs(%empty : tensor<?x3072xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x3072xf32>
  return %y : tensor<?x3072xf32>
}

func.func @down(%x: tensor<?x3072xf32>, %w: tensor<768x3072xf32>, %bias: tensor<768xf32>)
    -> tensor<?x768xf32> attributes {dietcode.workload = @bert} {
  dietcode.bind_shape %x [@T], affine_map<()[v] -> (16 * v, 3072)> : tensor<?x3072xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x3072xf32>
  %empty = tensor.empty(%rows) : tensor<?x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x768xf32>) -> tensor<?x768xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x3072xf32>, tensor<768x3072xf32>)
      outs(%init : tensor<?x768xf32>) -> tensor<?x768xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x768xf32>, tensor<768xf32>)
      outs(%empty : tensor<?x768xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}
