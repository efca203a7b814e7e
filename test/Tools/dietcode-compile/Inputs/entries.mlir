// Tensors, and each type of scalar.
func.func @scale(%x: tensor<?xf32>, %factor: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic
      {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %factor : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @scalars(%a: i1, %b: i8, %c: i16, %d: i32, %e: index, %f: f16, %g: f64)
    -> (i1, i8, i16, i32, index, f16, f64) {
  return %a, %b, %c, %d, %e, %f, %g : i1, i8, i16, i32, index, f16, f64
}

// A scalar goes to a kernel in a buffer, which the host writes; tensors do not.
func.func @square(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.mulf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func private @hidden(%a: i1) -> i1 {
  return %a : i1
}
