// Every kind of epilogue, fused: one launch per call, by both twins, and with an
// empty sum.

// RUN: dietcode-run %s --entry bias --check --arg-shapes 64x48,48x72,64x72,72 \
// RUN:     --arg-shapes 33x17,17x45,33x45,45 --arg-shapes 33x0,0x45,33x45,45 | FileCheck %s
// RUN: dietcode-run %s --entry row_bias --check --arg-shapes 64x48,48x72,64x72,64 \
// RUN:     --arg-shapes 33x17,17x45,33x45,33 --arg-shapes 33x0,0x45,33x45,33 | FileCheck %s
// RUN: dietcode-run %s --entry relu --check --arg-shapes 64x48,48x72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45 --arg-shapes 33x0,0x45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry scale --check --arg-shapes 64x48,48x72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45 --arg-shapes 33x0,0x45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry residual --check --arg-shapes 64x48,48x72,64x72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45,33x45 --arg-shapes 33x0,0x45,33x45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry transposed_residual --check --arg-shapes 64x48,48x72,64x72,72x64 \
// RUN:     --arg-shapes 33x17,17x45,33x45,45x33 --arg-shapes 33x0,0x45,33x45,45x33 | FileCheck %s
// RUN: dietcode-run %s --entry gelu --check --arg-shapes 64x48,48x72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45 --arg-shapes 33x0,0x45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry gelu_tanh --check --arg-shapes 64x48,48x72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45 --arg-shapes 33x0,0x45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry all --check --arg-shapes 64x48,48x72,64x72,72,64x72 \
// RUN:     --arg-shapes 33x17,17x45,33x45,45,33x45 --arg-shapes 33x0,0x45,33x45,45,33x45 | FileCheck %s
// RUN: dietcode-run %s --entry accumulate_bias --check --arg-shapes 64x48,48x72,64x72,72 \
// RUN:     --arg-shapes 33x17,17x45,33x45,45 --arg-shapes 33x0,0x45,33x45,45 | FileCheck %s

// CHECK: shape {{.*}} launches
// CHECK-NEXT: 64x48{{.*}} aligned 1 
// CHECK-NEXT: 33x17{{.*}} general 1 
// CHECK-NEXT: 33x0{{.*}} 1 

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

func.func @bias(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @row_bias(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @relu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %y = arith.maximumf %x, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @scale(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.constant -0.25 : f32
    %y = arith.mulf %x, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @residual(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %r: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %r : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @transposed_residual(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %r: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %r : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @gelu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %h = arith.mulf %x, %root : f32
    %e = math.erf %h : f32
    %p = arith.addf %e, %one : f32
    %q = arith.mulf %x, %half : f32
    %y = arith.mulf %q, %p : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @gelu_tanh(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0.797884583 : f32
    %c1 = arith.constant 0.044715 : f32
    %x2 = arith.mulf %x, %x : f32
    %x3 = arith.mulf %x2, %x : f32
    %t0 = arith.mulf %x3, %c1 : f32
    %t1 = arith.addf %x, %t0 : f32
    %t2 = arith.mulf %t1, %c0 : f32
    %t = math.tanh %t2 : f32
    %p = arith.addf %t, %one : f32
    %q = arith.mulf %x, %half : f32
    %y = arith.mulf %q, %p : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @all(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %v: tensor<?xf32>, %r: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %v, %r : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %t: f32, %o: f32):
    %k = arith.constant 0.125 : f32
    %z = arith.constant 0.0 : f32
    %y0 = arith.mulf %x, %k : f32
    %y1 = arith.addf %y0, %s : f32
    %y2 = arith.maximumf %y1, %z : f32
    %y3 = arith.addf %y2, %t : f32
    linalg.yield %y3 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @accumulate_bias(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
