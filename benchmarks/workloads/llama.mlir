// The projections of Llama-7B with a dynamic number of tokens: attention 4096 to
// 4096, feed-forward 4096 to 11008 and back (sizes of transformers'
// configuration_llama.py).

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

dietcode.shape_var @S range [1, 2048]
dietcode.workload @prompts over [@S] instances [[1], [16], [127], [129], [512], [1024], [2047], [2048]]

func.func @attention(%x: tensor<?x4096xf32>, %w: tensor<4096x4096xf32>, %bias: tensor<4096xf32>)
    -> tensor<?x4096xf32> attributes {dietcode.workload = @prompts} {
  dietcode.bind_shape %x [@S], affine_map<()[v] -> (v, 4096)> : tensor<?x4096xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %empty = tensor.empty(%rows) : tensor<?x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x4096xf32>, tensor<4096x4096xf32>)
      outs(%init : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x4096xf32>, tensor<4096xf32>)
      outs(%empty : tensor<?x4096xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

func.func @gate(%x: tensor<?x4096xf32>, %w: tensor<11008x4096xf32>, %bias: tensor<11008xf32>)
    -> tensor<?x11008xf32> attributes {dietcode.workload = @prompts} {
  dietcode.bind_shape %x [@S], affine_map<()[v] -> (v, 4096)> : tensor<?x4096xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %empty = tensor.empty(%rows) : tensor<?x11008xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x11008xf32>) -> tensor<?x11008xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x4096xf32>, tensor<11008x4096xf32>)
      outs(%init : tensor<?x11008xf32>) -> tensor<?x11008xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x11008xf32>, tensor<11008xf32>)
      outs(%empty : tensor<?x11008xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x11008xf32>
  return %y : tensor<?x11008xf32>
}

func.func @down(%x: tensor<?x11008xf32>, %w: tensor<4096x11008xf32>, %bias: tensor<4096xf32>)
    -> tensor<?x4096xf32> attributes {dietcode.workload = @prompts} {
  dietcode.bind_shape %x [@S], affine_map<()[v] -> (v, 11008)> : tensor<?x11008xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x11008xf32>
  %empty = tensor.empty(%rows) : tensor<?x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x11008xf32>, tensor<4096x11008xf32>)
      outs(%init : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x4096xf32>, tensor<4096xf32>)
      outs(%empty : tensor<?x4096xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
