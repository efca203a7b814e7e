// What moves data in a layer of BERT-base, on its own: 16 sentences of T tokens. The
// scores of 12 heads, the residual with its layer norm, and the transposition of
// heads.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

dietcode.shape_var @T range [1, 512]
dietcode.workload @tokens over [@T] instances [[1], [5], [24], [62], [128], [384], [512]]

func.func @softmax(%scores: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %scores [@T], affine_map<()[t] -> (192 * t, t)> : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %scores, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %scores, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%scores : tensor<?x?xf32>)
      outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @layer_norm(%x: tensor<?x768xf32>, %residual: tensor<?x768xf32>,
                      %scale: tensor<768xf32>, %shift: tensor<768xf32>) -> tensor<?x768xf32>
    attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-12 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%rows) : tensor<?x768xf32>
  %perRow = tensor.empty(%rows) : tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %residual : tensor<?x768xf32>, tensor<?x768xf32>) outs(%empty : tensor<?x768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%perRow : tensor<?xf32>) -> tensor<?xf32>
  %total = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?x768xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%sum, %total : tensor<?x768xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %mean = arith.divf %t, %size : f32
    %0 = arith.subf %a, %mean : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%sum, %total, %squares, %scale, %shift
          : tensor<?x768xf32>, tensor<?xf32>, tensor<?xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%empty : tensor<?x768xf32>) {
  ^bb0(%a: f32, %t: f32, %q: f32, %g: f32, %s: f32, %o: f32):
    %mean = arith.divf %t, %size : f32
    %0 = arith.subf %a, %mean : f32
    %variance = arith.divf %q, %size : f32
    %1 = arith.addf %variance, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %0, %2 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %s : f32
    linalg.yield %5 : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

func.func @gelu(%x: tensor<?x3072xf32>) -> tensor<?x3072xf32>
    attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 3072)> : tensor<?x3072xf32>
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x3072xf32>
  %empty = tensor.empty(%rows) : tensor<?x3072xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x3072xf32>) outs(%empty : tensor<?x3072xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %a, %half : f32
    %4 = arith.mulf %3, %2 : f32
    linalg.yield %4 : f32
  } -> tensor<?x3072xf32>
  return %y : tensor<?x3072xf32>
}

func.func @transpose(%x: tensor<?x768xf32>) -> tensor<768x?xf32>
    attributes {dietcode.workload = @tokens} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (16 * t, 768)> : tensor<?x768xf32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %empty = tensor.empty(%rows) : tensor<768x?xf32>
  %y = linalg.transpose ins(%x : tensor<?x768xf32>) outs(%empty : tensor<768x?xf32>)
      permutation = [1, 0]
  return %y : tensor<768x?xf32>
}
