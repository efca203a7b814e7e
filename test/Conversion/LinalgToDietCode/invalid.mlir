// RUN: dietcode-opt %s --convert-linalg-to-dietcode --split-input-file --verify-diagnostics

// The verifier of linalg stops comparing static sizes once any one is dynamic.

func.func @contracted_sizes(%a: tensor<?x768xf32>, %b: tensor<512x2304xf32>,
                            %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  // expected-error @below {{'linalg.matmul' op sizes of loop 2 differ: operand 0 has 768 in dimension 1, but operand 1 has 512 in dimension 0}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<512x2304xf32>)
                     outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @bias_size(%x: tensor<?x16xf32>, %bias: tensor<8xf32>,
                     %out: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-error @below {{'linalg.generic' op sizes of loop 1 differ: operand 0 has 16 in dimension 1, but operand 1 has 8 in dimension 0}}
  %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x16xf32>, tensor<8xf32>) outs(%out : tensor<?x16xf32>) {
  ^bb0(%in: f32, %b: f32, %o: f32):
    %s = arith.addf %in, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
