// The products of attention, on tensors that have the heads of a token together,
// as projections leave them: two dimensions of the batch, which are no neighbours
// in memory.

// RUN: dietcode-run %s --entry scores --max-kernels 2 --check \
// RUN:     --arg-shapes 2x5x3x8,2x7x3x8,2x3x5x7 --arg-shapes 2x33x3x64,2x65x3x64,2x3x33x65 \
// RUN:     --arg-shapes 1x64x4x32,1x64x4x32,1x4x64x64 --arg-shapes 3x1x2x9,3x17x2x9,3x2x1x17 \
// RUN:     --arg-shapes 2x5x3x0,2x7x3x0,2x3x5x7 --arg-shapes 2x0x3x8,2x7x3x8,2x3x0x7 --arg-shapes 2x5x0x8,2x7x0x8,2x0x5x7 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry values --max-kernels 2 --check \
// RUN:     --arg-shapes 2x3x5x7,2x7x3x9,2x5x3x9 --arg-shapes 2x3x33x65,2x65x3x64,2x33x3x64 \
// RUN:     --arg-shapes 1x4x64x64,1x64x4x32,1x64x4x32 --arg-shapes 3x2x1x17,3x17x2x9,3x1x2x9 \
// RUN:     --arg-shapes 2x3x5x0,2x0x3x8,2x5x3x8 --arg-shapes 2x3x0x7,2x7x3x8,2x0x3x8 --arg-shapes 2x0x5x7,2x7x0x8,2x5x0x8 \
// RUN:     | FileCheck %s

// CHECK: {{^}}2x{{.*}} general
// CHECK: {{^}}2x
// CHECK: {{^}}1x{{.*}} aligned
// CHECK: {{^}}3x{{.*}} general
// CHECK: k is 0, only the epilogue is computed
// CHECK-NEXT: nothing to compute
// CHECK-NEXT: nothing to compute

// All of it: scores, softmax and values are three kernels.
// RUN: dietcode-run %s --entry attention --max-kernels 2 --check --arg-shapes 2x5x3x8,2x7x3x8,2x7x3x8,2x3x5x7,2x5x3x8 \
// RUN:     --arg-shapes 1x17x2x16,1x33x2x16,1x33x2x16,1x2x17x33,1x17x2x16 | FileCheck %s --check-prefix=ALL
// ALL: 2x5x3x8{{.*}} 3 
// ALL: 1x17x2x16{{.*}} 3 

#bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhtds = affine_map<(b, h, t, d, s) -> (b, h, t, s)>
#bshds = affine_map<(b, h, t, d, s) -> (b, s, h, d)>
#bthds = affine_map<(b, h, t, d, s) -> (b, t, h, d)>

func.func @scores(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %s: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#bthd, #bshd, #bhts],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

func.func @values(%p: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#bhtds, #bshds, #bthds],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

func.func @attention(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>,
                     %s: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %0 = linalg.generic {indexing_maps = [#bthd, #bshd, #bhts],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s0 : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %acc, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?x?x?xf32>
  %1 = linalg.softmax dimension(3) ins(%0 : tensor<?x?x?x?xf32>) outs(%s : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %2 = linalg.generic {indexing_maps = [#bhtds, #bshds, #bthds],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%1, %v : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o0 : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %acc, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?x?x?xf32>
  return %2 : tensor<?x?x?x?xf32>
}
