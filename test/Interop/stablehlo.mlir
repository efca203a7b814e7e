// Programs as StableHLO's lowering to linalg leaves them, with all checkers on and
// against a reference in double precision: named operations, linalg.map, reduce and
// broadcast, and tensors of no dimension as scalars.
//
// RUN: dietcode-run %s --entry dense --check --arg-shapes 5x24,24x40,40 --arg-shapes 0x24,24x40,40 --arg-shapes 130x24,24x40,40 | FileCheck %s --check-prefix=DENSE
// The bias and the maximum are the epilogue of the product.
// DENSE: 5x24,24x40,40 {{ *}}simt_{{.*}}{{ +}}aligned 1 
// DENSE: 0x24,24x40,40 none 0
// DENSE: 130x24,24x40,40 {{ *}}simt_{{.*}}{{ +}}aligned 1 
//
// RUN: dietcode-run %s --entry normalize --check --arg-shapes 3x7 --arg-shapes 1x1 --arg-shapes 33x1000 | FileCheck %s --check-prefix=NORMALIZE
// NORMALIZE: 3x7 {{ *}}simt_{{.*}} 1 
//
// RUN: dietcode-run %s --entry clamp --check --tolerance 0 --arg-shapes 9 --arg-shapes 1000 | FileCheck %s --check-prefix=CLAMP
// CLAMP: 9 {{ *}}simt_{{.*}} 1 

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// stablehlo.dot_general, broadcast_in_dim of the bias, add, maximum with a splat:
// names and attributes as stablehlo-legalize-to-linalg leaves them.
func.func @dense(%arg0: tensor<?x24xf32>, %arg1: tensor<24x40xf32>, %arg2: tensor<40xf32>) -> tensor<?x40xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x24xf32>
  %0 = tensor.empty(%dim) : tensor<?x40xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %2 = linalg.matmul ins(%arg0, %arg1 : tensor<?x24xf32>, tensor<24x40xf32>) outs(%1 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %3 = tensor.empty(%dim) : tensor<?x40xf32>
  %broadcasted = linalg.broadcast ins(%arg2 : tensor<40xf32>) outs(%3 : tensor<?x40xf32>) dimensions = [0]
  %4 = tensor.empty(%dim) : tensor<?x40xf32>
  %mapped = linalg.map { arith.addf } ins(%2, %broadcasted : tensor<?x40xf32>, tensor<?x40xf32>) outs(%4 : tensor<?x40xf32>)
  %5 = tensor.empty(%dim) : tensor<?x40xf32>
  %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %mapped_0 = linalg.map { arith.maximumf } ins(%mapped, %6 : tensor<?x40xf32>, tensor<?x40xf32>) outs(%4 : tensor<?x40xf32>)
  return %mapped_0 : tensor<?x40xf32>
}

// stablehlo.reduce over the last axis with linalg.reduce, and its broadcast back:
// x / sum(x).
func.func @normalize(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 4.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
  %dim_1 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%dim) : tensor<?xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.empty(%dim, %dim_1) : tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = math.exp %in : f32
    linalg.yield %5 : f32
  } -> tensor<?x?xf32>
  %reduced = linalg.reduce { arith.addf } ins(%3 : tensor<?x?xf32>) outs(%1 : tensor<?xf32>) dimensions = [1]
  %4 = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%3, %reduced : tensor<?x?xf32>, tensor<?xf32>) outs(%2 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %5 = arith.divf %in, %in_2 : f32
    linalg.yield %5 : f32
  } -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// Integers and comparisons, arith-heavy: select(x > 0 && x < limit, x * 3 - 1, 0).
func.func @clamp(%arg0: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %cst = arith.constant dense<6> : tensor<i32>
  %dim = tensor.dim %arg0, %c0 : tensor<?xi32>
  %0 = tensor.empty(%dim) : tensor<?xi32>
  %1 = tensor.empty(%dim) : tensor<?xi32>
  %2:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%arg0, %cst : tensor<?xi32>, tensor<i32>) outs(%0, %1 : tensor<?xi32>, tensor<?xi32>) {
  ^bb0(%in: i32, %limit: i32, %out: i32, %out_0: i32):
    %3 = arith.cmpi sgt, %in, %zero : i32
    %4 = arith.cmpi slt, %in, %limit : i32
    %5 = arith.andi %3, %4 : i1
    %6 = arith.muli %in, %three : i32
    %7 = arith.subi %6, %one : i32
    %8 = arith.select %5, %7, %zero : i32
    %9 = arith.extui %5 : i1 to i32
    linalg.yield %8, %9 : i32, i32
  } -> (tensor<?xi32>, tensor<?xi32>)
  return %2#0, %2#1 : tensor<?xi32>, tensor<?xi32>
}
