// RUN: dietcode-opt %s --convert-linalg-to-dietcode --split-input-file --allow-unregistered-dialect | FileCheck %s

//===----------------------------------------------------------------------===//
// Left as they are: not a product of two matrices
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @matvec(
// One parallel loop.
// CHECK-NEXT:    linalg.matvec
func.func @matvec(%a: tensor<5x8xf32>, %b: tensor<8xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.matvec ins(%a, %b : tensor<5x8xf32>, tensor<8xf32>)
                     outs(%c : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_map(
// The left factor is a vector, the same for all m.
// CHECK-NEXT:    linalg.matmul
func.func @broadcast_map(%a: tensor<8xf32>, %b: tensor<8x4xf32>,
                         %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>,
                                      affine_map<(m, n, k) -> (k, n)>,
                                      affine_map<(m, n, k) -> (m, n)>]
         ins(%a, %b : tensor<8xf32>, tensor<8x4xf32>)
         outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

#maps = [affine_map<(m, n, k) -> (k, k)>, affine_map<(m, n, k) -> (k, n)>,
         affine_map<(m, n, k) -> (m, n)>]

// CHECK-LABEL: func.func @repeated_dim(
// The left factor is a diagonal.
// CHECK-NEXT:    linalg.generic
func.func @repeated_dim(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>,
                        %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = #maps,
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, k)>,
         affine_map<(m, n, k) -> (m, n)>]

// CHECK-LABEL: func.func @row_sums(
// No factor depends on n.
// CHECK-NEXT:    linalg.generic
func.func @row_sums(%a: tensor<5x8xf32>, %b: tensor<5x8xf32>,
                    %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = #maps,
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x8xf32>, tensor<5x8xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Left as they are: another body
//===----------------------------------------------------------------------===//

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
         affine_map<(m, n, k) -> (m, n)>]

// CHECK-LABEL: func.func @max_plus(
// A product of another semiring.
// CHECK-NEXT:    linalg.generic
func.func @max_plus(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                    %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = #maps,
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.maximumf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @squares(
// One factor twice, the other not at all.
// CHECK-NEXT:    linalg.generic
func.func @squares(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                   %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = #maps,
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %x : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @doubled_accumulator(
// The accumulator is added to itself.
// CHECK-NEXT:    linalg.generic
func.func @doubled_accumulator(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                               %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = #maps,
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.addf %acc, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @widening(
// Casts: the type of the sum is neither that of the factors nor of 32 bits.
// CHECK-NEXT:    linalg.matmul
func.func @widening(%a: tensor<5x8xf16>, %b: tensor<8x4xf16>,
                    %c: tensor<5x4xf64>) -> tensor<5x4xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf16>, tensor<8x4xf16>)
                     outs(%c : tensor<5x4xf64>) -> tensor<5x4xf64>
  return %0 : tensor<5x4xf64>
}

// CHECK-LABEL: func.func @complex_elements(
// Neither floats nor integers.
// CHECK-NEXT:    linalg.matmul
func.func @complex_elements(%a: tensor<5x8xcomplex<f32>>, %b: tensor<8x4xcomplex<f32>>,
                            %c: tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xcomplex<f32>>, tensor<8x4xcomplex<f32>>)
                     outs(%c : tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
  return %0 : tensor<5x4xcomplex<f32>>
}

// -----

//===----------------------------------------------------------------------===//
// Left as they are: other operands
//===----------------------------------------------------------------------===//

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: func.func @sparse(
// Not every element is there.
// CHECK-NEXT:    linalg.matmul
func.func @sparse(%a: tensor<5x8xf32, #csr>, %b: tensor<8x4xf32>,
                  %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32, #csr>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @multiplied_destination(
// What is read depends on what has been written.
// CHECK-NEXT:    linalg.matmul
func.func @multiplied_destination(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// Not part of an epilogue
//===----------------------------------------------------------------------===//

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (0, d1)>

// CHECK-LABEL: func.func @other_use(
// The product is needed for itself.
// CHECK:         %[[C:.+]] = dietcode.matmul
// CHECK-NEXT:    %[[D:.+]] = linalg.exp
// CHECK-NEXT:    return %[[C]], %[[D]]
func.func @other_use(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                     %c: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.exp ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
}

// CHECK-LABEL: func.func @late_extension(
// The product is rounded before it gets another type.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @late_extension(%a: tensor<5x8xf16>, %b: tensor<8x4xf16>, %c: tensor<5x4xf16>,
                          %init: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf16>, tensor<8x4xf16>)
                     outs(%c : tensor<5x4xf16>) -> tensor<5x4xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf16>) outs(%init : tensor<5x4xf32>) {
  ^bb0(%x: f16, %out: f32):
    %2 = arith.extf %x : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @quantization(
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @quantization(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                        %init: tensor<5x4xi32>) -> tensor<5x4xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%init : tensor<5x4xi32>) {
  ^bb0(%x: f32, %out: i32):
    %2 = arith.fptosi %x : f32 to i32
    linalg.yield %2 : i32
  } -> tensor<5x4xi32>
  return %1 : tensor<5x4xi32>
}

// CHECK-LABEL: func.func @transposed_product(
// The product is read at (n, m).
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @transposed_product(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                              %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = math.exp %x : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @product_read_both_ways(
// One of the reads is at (n, m).
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @product_read_both_ways(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>,
                                  %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #swap, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @constant_map(
// The map of the bias is not a projected permutation.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @constant_map(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                        %bias: tensor<1x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #first, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<5x4xf32>, tensor<1x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @causal_mask(
// The body knows where it is.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @causal_mask(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                       %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %2 = arith.cmpi ule, %j, %i : index
    %3 = arith.select %2, %x, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @gather(
// The body reads a tensor by itself.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @gather(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                  %table: tensor<16xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.fptoui %x : f32 to i4
    %3 = arith.index_castui %2 : i4 to index
    %4 = tensor.extract %table[%3] : tensor<16xf32>
    linalg.yield %4 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @branch(
// A region is more than scalar arithmetic.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func @branch(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                  %flag: i1) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = scf.if %flag -> f32 {
      %3 = math.exp %x : f32
      scf.yield %3 : f32
    } else {
      scf.yield %x : f32
    }
    linalg.yield %2 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @side_effect(
// The body does more than it yields.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.generic
func.func private @log(f32)
func.func @side_effect(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                       %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    func.call @log(%x) : (f32) -> ()
    linalg.yield %x : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @other_block(
// The product would be computed in each iteration.
// CHECK:         dietcode.matmul
// CHECK:         scf.for
// CHECK:           linalg.add
func.func @other_block(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                       %n: index) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<5x4xf32> {
    %2 = linalg.add ins(%0, %x : tensor<5x4xf32>, tensor<5x4xf32>)
                    outs(%x : tensor<5x4xf32>) -> tensor<5x4xf32>
    scf.yield %2 : tensor<5x4xf32>
  }
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @row_reduction(
// Not elementwise.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.reduce
func.func @row_reduction(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>, %c: tensor<5x4xf32>,
                         %init: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<5x4xf32>) outs(%init : tensor<5xf32>)
         dimensions = [1]
  return %1 : tensor<5xf32>
}

// CHECK-LABEL: func.func @accumulator_of_other_type(
// The destination cannot be both.
// CHECK:         dietcode.matmul
// CHECK-NEXT:    linalg.exp
func.func @accumulator_of_other_type(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                                     %c: tensor<?x4xf32>,
                                     %init: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.exp ins(%0 : tensor<?x4xf32>) outs(%init : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Not touched: everything else
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @foreign(
// Nothing is folded or merged, here the equal constants and x + 0.
// CHECK-NEXT:    %[[C0:.+]] = arith.constant 0 : index
// CHECK-NEXT:    %[[C0_AGAIN:.+]] = arith.constant 0 : index
// CHECK-NEXT:    arith.addi %{{.+}}, %[[C0]] : index
// CHECK-NEXT:    arith.addi %{{.+}}, %[[C0_AGAIN]] : index
// CHECK-NEXT:    tensor.dim
// CHECK-NEXT:    tensor.cast
// CHECK-NEXT:    linalg.softmax
// CHECK-NEXT:    "test.unknown"
func.func @foreign(%x: tensor<5x4xf32>, %i: index) -> (index, tensor<?x?xf32>, tensor<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c0_again = arith.constant 0 : index
  %0 = arith.addi %i, %c0 : index
  %1 = arith.addi %0, %c0_again : index
  %2 = tensor.dim %x, %1 : tensor<5x4xf32>
  %3 = tensor.cast %x : tensor<5x4xf32> to tensor<?x?xf32>
  %4 = linalg.softmax dimension(1) ins(%x : tensor<5x4xf32>) outs(%x : tensor<5x4xf32>) -> tensor<5x4xf32>
  "test.unknown"(%2) : (index) -> ()
  return %2, %3, %4 : index, tensor<?x?xf32>, tensor<5x4xf32>
}
