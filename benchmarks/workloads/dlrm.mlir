// The multi-layer perceptrons of DLRM in its Terabyte configuration (bottom
// 13-512-256-64, top 415-512-512-256-1; facebookresearch/dlrm,
// bench/dlrm_s_criteo_terabyte.sh), with a dynamic batch.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

dietcode.shape_var @B range [1, 2048]
dietcode.workload @requests over [@B] instances [[1], [7], [128], [512], [2047], [2048]]

func.func @bottom0(%x: tensor<?x13xf32>, %w: tensor<512x13xf32>, %bias: tensor<512xf32>)
    -> tensor<?x512xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 13)> : tensor<?x13xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x13xf32>
  %empty = tensor.empty(%rows) : tensor<?x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x512xf32>) -> tensor<?x512xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x13xf32>, tensor<512x13xf32>)
      outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x512xf32>, tensor<512xf32>)
      outs(%empty : tensor<?x512xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

func.func @bottom1(%x: tensor<?x512xf32>, %w: tensor<256x512xf32>, %bias: tensor<256xf32>)
    -> tensor<?x256xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 512)> : tensor<?x512xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x512xf32>
  %empty = tensor.empty(%rows) : tensor<?x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x256xf32>) -> tensor<?x256xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x512xf32>, tensor<256x512xf32>)
      outs(%init : tensor<?x256xf32>) -> tensor<?x256xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x256xf32>, tensor<256xf32>)
      outs(%empty : tensor<?x256xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @bottom2(%x: tensor<?x256xf32>, %w: tensor<64x256xf32>, %bias: tensor<64xf32>)
    -> tensor<?x64xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 256)> : tensor<?x256xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x256xf32>
  %empty = tensor.empty(%rows) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x256xf32>, tensor<64x256xf32>)
      outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x64xf32>, tensor<64xf32>)
      outs(%empty : tensor<?x64xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @top0(%x: tensor<?x415xf32>, %w: tensor<512x415xf32>, %bias: tensor<512xf32>)
    -> tensor<?x512xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 415)> : tensor<?x415xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x415xf32>
  %empty = tensor.empty(%rows) : tensor<?x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x512xf32>) -> tensor<?x512xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x415xf32>, tensor<512x415xf32>)
      outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x512xf32>, tensor<512xf32>)
      outs(%empty : tensor<?x512xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

func.func @top1(%x: tensor<?x512xf32>, %w: tensor<512x512xf32>, %bias: tensor<512xf32>)
    -> tensor<?x512xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 512)> : tensor<?x512xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x512xf32>
  %empty = tensor.empty(%rows) : tensor<?x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x512xf32>) -> tensor<?x512xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x512xf32>, tensor<512x512xf32>)
      outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x512xf32>, tensor<512xf32>)
      outs(%empty : tensor<?x512xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

func.func @top2(%x: tensor<?x512xf32>, %w: tensor<256x512xf32>, %bias: tensor<256xf32>)
    -> tensor<?x256xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 512)> : tensor<?x512xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x512xf32>
  %empty = tensor.empty(%rows) : tensor<?x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x256xf32>) -> tensor<?x256xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x512xf32>, tensor<256x512xf32>)
      outs(%init : tensor<?x256xf32>) -> tensor<?x256xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x256xf32>, tensor<256xf32>)
      outs(%empty : tensor<?x256xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @top3(%x: tensor<?x256xf32>, %w: tensor<1x256xf32>, %bias: tensor<1xf32>)
    -> tensor<?x1xf32> attributes {dietcode.workload = @requests} {
  dietcode.bind_shape %x [@B], affine_map<()[v] -> (v, 256)> : tensor<?x256xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x256xf32>
  %empty = tensor.empty(%rows) : tensor<?x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x256xf32>, tensor<1x256xf32>)
      outs(%init : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x1xf32>, tensor<1xf32>)
      outs(%empty : tensor<?x1xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
