// RUN: dietcode-opt %s --convert-linalg-to-dietcode | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>

// CHECK-DAG: #[[$N:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$M:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$NM:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$MN:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$BINDING:.+]] = affine_map<()[s0] -> (s0, 4)>

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// The destination of the consumer is that of the fused operator.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[A:.+]]: tensor<?x8xf32>, %[[B:.+]]: tensor<8x4xf32>, %[[BIAS:.+]]: tensor<4xf32>, %[[T:.+]]: tensor<?x4xf32>, %[[INIT:.+]]: tensor<?x4xf32>)
// CHECK-NEXT:    %[[D:.+]] = dietcode.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[INIT]] : tensor<?x4xf32>) epilogue(%[[BIAS]] : tensor<4xf32>) maps [#[[$N]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[X:.+]]: f32):
// CHECK-NEXT:      %[[Y:.+]] = arith.addf %[[SUM]], %[[X]] : f32
// CHECK-NEXT:      dietcode.yield %[[Y]] : f32
// CHECK-NEXT:    } -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @bias(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %bias: tensor<4xf32>,
                %t: tensor<?x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x4xf32>, tensor<4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// What is accumulated to stays the destination.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME:    %[[C:[^:]+]]: tensor<?x4xf32>, %[[INIT:[^:]+]]: tensor<?x4xf32>)
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%[[C]] : tensor<?x4xf32>) do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK-NEXT:      math.exp %[[SUM]]
func.func @accumulate(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                      %c: tensor<?x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.exp ins(%0 : tensor<?x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// A bias that is broadcast by an operation of its own (torch-mlir, IREE).
// CHECK-LABEL: func.func @broadcast_bias(
// CHECK-SAME:    %[[BIAS:[^:]+]]: tensor<4xf32>
// CHECK-NOT:     linalg
// CHECK:         dietcode.matmul {{.*}} epilogue(%[[BIAS]] : tensor<4xf32>) maps [#[[$N]]] do {
func.func @broadcast_bias(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>,
                          %bias: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%c : tensor<?x4xf32>) dimensions = [0]
  %2 = linalg.add ins(%0, %1 : tensor<?x4xf32>, tensor<?x4xf32>)
                  outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// One element for each row, in a consumer with its loops the other way round.
// CHECK-LABEL: func.func @column_with_swapped_loops(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?xf32>
// CHECK:         dietcode.matmul {{.*}} epilogue(%[[X]] : tensor<?xf32>) maps [#[[$M]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[E:.+]]: f32):
// CHECK-NEXT:      arith.mulf %[[SUM]], %[[E]]
func.func @column_with_swapped_loops(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>,
                                     %v: tensor<?xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #col, #swap],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %v : tensor<?x4xf32>, tensor<?xf32>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.mulf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// A residual, and one that is read transposed.
// CHECK-LABEL: func.func @residuals(
// CHECK-SAME:    %[[R:[^:]+]]: tensor<?x4xf32>, %[[RT:[^:]+]]: tensor<4x?xf32>
// CHECK:         dietcode.matmul {{.*}} epilogue(%[[R]], %[[RT]] : tensor<?x4xf32>, tensor<4x?xf32>) maps [#[[$MN]], #[[$NM]]] do {
func.func @residuals(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>,
                     %r: tensor<?x4xf32>, %rt: tensor<4x?xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #swap, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %r, %rt : tensor<?x4xf32>, tensor<?x4xf32>, tensor<4x?xf32>)
      outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    %3 = arith.addf %2, %z : f32
    linalg.yield %3 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// The residual is the destination: one more operand.
// CHECK-LABEL: func.func @residual_in_destination(
// CHECK-SAME:    %[[T:[^:]+]]: tensor<?x4xf32>, %[[R:[^:]+]]: tensor<?x4xf32>)
// CHECK:         dietcode.matmul ins({{.*}}) outs(%[[R]] : tensor<?x4xf32>) epilogue(%[[R]] : tensor<?x4xf32>) maps [#[[$MN]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[X:.+]]: f32):
// CHECK-NEXT:      arith.addf %[[SUM]], %[[X]]
func.func @residual_in_destination(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                                   %t: tensor<?x4xf32>, %r: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x4xf32>) outs(%r : tensor<?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.addf %x, %out : f32
    linalg.yield %2 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// The product is the destination, and read from there.
// CHECK-LABEL: func.func @product_in_destination(
// CHECK-SAME:    %[[T:[^:]+]]: tensor<?x4xf32>, %[[BIAS:[^:]+]]: tensor<4xf32>)
// CHECK:         dietcode.matmul ins({{.*}}) outs(%[[T]] : tensor<?x4xf32>) epilogue(%[[BIAS]] : tensor<4xf32>) maps [#[[$N]]] do {
func.func @product_in_destination(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                                  %t: tensor<?x4xf32>, %bias: tensor<4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<4xf32>) outs(%0 : tensor<?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.addf %out, %x : f32
    linalg.yield %2 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// A scale in a tensor of rank 0, one as an input and one from the code around.
// CHECK-LABEL: func.func @scales(
// CHECK-SAME:    %[[S:[^:]+]]: tensor<f32>, %[[X:[^:]+]]: f32, %[[Y:[^:]+]]: f32)
// CHECK-DAG:     %[[XT:.+]] = tensor.from_elements %[[X]] : tensor<f32>
// CHECK-DAG:     %[[YT:.+]] = tensor.from_elements %[[Y]] : tensor<f32>
// CHECK:         dietcode.matmul {{.*}} epilogue(%[[S]], %[[XT]], %[[YT]] : tensor<f32>, tensor<f32>, tensor<f32>) maps [#[[$NONE]], #[[$NONE]], #[[$NONE]]] do {
func.func @scales(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>,
                  %s: tensor<f32>, %x: f32, %y: f32) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #none, #none, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %s, %x : tensor<?x4xf32>, tensor<f32>, f32) outs(%c : tensor<?x4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %out: f32):
    %2 = arith.mulf %p, %q : f32
    %3 = arith.mulf %2, %r : f32
    %4 = arith.mulf %3, %y : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Constants are constants of the epilogue, be they scalars, splats or fills.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT:     linalg
// CHECK:         dietcode.matmul accumulate ins({{.*}}) outs(%{{.+}} : tensor<5x4xf32>) do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK-DAG:       %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:       %[[THREE:.+]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG:       %[[FOUR:.+]] = arith.constant 4.000000e+00 : f32
// CHECK:           arith.mulf %{{.+}}, %[[TWO]]
// CHECK:           arith.mulf %{{.+}}, %[[THREE]]
// CHECK:           arith.addf %{{.+}}, %[[FOUR]]
func.func @constants(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                     %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %two = arith.constant dense<2.0> : tensor<5x4xf32>
  %three = arith.constant 3.0 : f32
  %four = arith.constant 4.0 : f32
  %empty = tensor.empty() : tensor<5x4xf32>
  %fours = linalg.fill ins(%four : f32) outs(%empty : tensor<5x4xf32>) -> tensor<5x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %two, %fours : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
      outs(%c : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %2 = arith.mulf %x, %y : f32
    %3 = arith.mulf %2, %three : f32
    %4 = arith.addf %3, %z : f32
    linalg.yield %4 : f32
  } -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// An operand may be of another element type; only the product's is fixed.
// CHECK-LABEL: func.func @narrow_bias(
// CHECK:         epilogue(%{{.+}} : tensor<4xf16>) maps [#[[$N]]] do {
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[X:.+]]: f16):
// CHECK-NEXT:      arith.extf %[[X]] : f16 to f32
func.func @narrow_bias(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>,
                       %bias: tensor<4xf16>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x4xf32>, tensor<4xf16>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f16, %out: f32):
    %2 = arith.extf %y : f16 to f32
    %3 = arith.addf %x, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Another product is an operand like any other.
// CHECK-LABEL: func.func @sum_of_products(
// CHECK:         %[[Q:.+]] = dietcode.matmul accumulate
// CHECK-NOT:     do
// CHECK:         %[[P:.+]] = dietcode.matmul {{.*}} epilogue(%[[Q]] : tensor<?x4xf32>) maps [#[[$MN]]] do {
// CHECK:         return %[[P]]
func.func @sum_of_products(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                           %c: tensor<?x4xf32>, %d: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%d : tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = linalg.add ins(%0, %1 : tensor<?x4xf32>, tensor<?x4xf32>)
                  outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @relu_compare_and_select(
// CHECK:         dietcode.matmul {{.*}} do {
// CHECK:           %[[POSITIVE:.+]] = arith.cmpf ugt, %[[SUM:.+]], %{{.+}} : f32
// CHECK:           arith.select %[[POSITIVE]], %[[SUM]], %{{.+}} : f32
func.func @relu_compare_and_select(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                                   %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x4xf32>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.cmpf ugt, %x, %zero : f32
    %3 = arith.select %2, %x, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @elementwise_relu(
// CHECK:         dietcode.matmul {{.*}} do {
// CHECK:           arith.maximumf
func.func @elementwise_relu(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                            %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<5x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.elementwise kind = #linalg.elementwise_kind<max_signed>
         ins(%0, %zeros : tensor<5x4xf32>, tensor<5x4xf32>)
         outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @mapped(
// CHECK:         dietcode.matmul {{.*}} do {
// CHECK:           math.absf
func.func @mapped(%a: tensor<5x8xf32>, %b: tensor<8x4xf32>,
                  %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = linalg.map { math.absf } ins(%0 : tensor<5x4xf32>) outs(%c : tensor<5x4xf32>)
  return %1 : tensor<5x4xf32>
}

// The product is used twice by the body, and by two inputs.
// CHECK-LABEL: func.func @square_of_product(
// CHECK:         dietcode.matmul {{.*}} do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK-NEXT:      arith.mulf %[[SUM]], %[[SUM]]
func.func @square_of_product(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                             %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<?x4xf32>, tensor<?x4xf32>)
                  outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// GELU by its definition, 0.5 x (1 + erf(x / sqrt 2)).
// CHECK-LABEL: func.func @gelu_erf(
// CHECK:         dietcode.matmul {{.*}} do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK:           math.erf
// CHECK:           %[[Y:.+]] = arith.mulf %[[SUM]], %{{.+}} : f32
// CHECK-NEXT:      dietcode.yield %[[Y]] : f32
func.func @gelu_erf(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                    %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x4xf32>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = arith.mulf %x, %root : f32
    %3 = math.erf %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.mulf %4, %half : f32
    %6 = arith.mulf %x, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Bias, then GELU by tanh, then a residual: three operations, one epilogue. The
// destinations in between are made from the sizes of the product.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[INIT:[^:]+]]: tensor<?x4xf32>, %[[BIAS:[^:]+]]: tensor<4xf32>, %[[R:[^:]+]]: tensor<?x4xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         %[[M:.+]] = tensor.dim %[[INIT]], %{{.+}} : tensor<?x4xf32>
// CHECK-NEXT:    %[[T:.+]] = tensor.empty(%[[M]]) : tensor<?x4xf32>
// CHECK-NEXT:    %[[D:.+]] = dietcode.matmul ins({{.*}}) outs(%[[T]] : tensor<?x4xf32>) epilogue(%[[BIAS]], %[[R]] : tensor<4xf32>, tensor<?x4xf32>) maps [#[[$N]], #[[$MN]]] do {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32, %[[X:.+]]: f32, %[[Y:.+]]: f32):
// CHECK-NEXT:      %[[BIASED:.+]] = arith.addf %[[SUM]], %[[X]] : f32
// CHECK:           %[[TANH:.+]] = math.tanh
// CHECK:           %[[GELU:.+]] = arith.mulf %[[BIASED]], %{{.+}} : f32
// CHECK:           %[[ALL:.+]] = arith.addf %[[GELU]], %[[Y]] : f32
// CHECK-NEXT:      dietcode.yield %[[ALL]] : f32
// CHECK-NEXT:    } -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @chain(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %init: tensor<?x4xf32>,
                 %bias: tensor<4xf32>, %r: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.797884583 : f32
  %c = linalg.fill ins(%zero : f32) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = tensor.dim %0, %c0 : tensor<?x4xf32>
  %t = tensor.empty(%m) : tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x4xf32>, tensor<4xf32>) outs(%t : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %4 = arith.addf %x, %y : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<?x4xf32>) outs(%t : tensor<?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %4 = arith.mulf %x, %x : f32
    %5 = arith.mulf %4, %x : f32
    %6 = arith.mulf %5, %cubic : f32
    %7 = arith.addf %x, %6 : f32
    %8 = arith.mulf %7, %root : f32
    %9 = math.tanh %8 : f32
    %10 = arith.addf %9, %one : f32
    %11 = arith.mulf %10, %half : f32
    %12 = arith.mulf %x, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<?x4xf32>
  %3 = linalg.add ins(%2, %r : tensor<?x4xf32>, tensor<?x4xf32>)
                  outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}

//===----------------------------------------------------------------------===//
// Facts about the product
//===----------------------------------------------------------------------===//

dietcode.shape_var @T range [1, 128]

// What is known about the product's shape is known about the result's.
// CHECK-LABEL: func.func @bound_shape(
// CHECK:         %[[D:.+]] = dietcode.matmul {{.*}} do {
// CHECK:         dietcode.bind_shape %[[D]] [@T], #[[$BINDING]] : tensor<?x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @bound_shape(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>,
                       %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  dietcode.bind_shape %0 [@T], affine_map<()[t] -> (t, 4)> : tensor<?x4xf32>
  %1 = linalg.exp ins(%0 : tensor<?x4xf32>) outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
