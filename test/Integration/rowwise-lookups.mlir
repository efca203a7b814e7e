// Elements that are looked up in a table, as embeddings are, with all checkers
// on. What is only copied is exact.

// Embeddings as torch-mlir has them, with assertions about the indices, which are
// 0 to 7 here; i64 and f32, of dynamic sizes.
// RUN: dietcode-run %s --entry embed --check --tolerance 0 --arg-shapes 3x5,8x33 --arg-shapes 1x1,8x1 --arg-shapes 2x7,9x128 --arg-shapes 0x4,8x4 --arg-shapes 3x4,8x0 \
// RUN:   --arg-shapes 4x33,100x768 --arg-shapes 2x2,8x5000 --arg-shapes 2x3,8x31 | FileCheck %s --check-prefix=EMBED
// EMBED: 3x5,8x33 simt_{{.*}} 2
// EMBED-NEXT: simt_{{.*}} general
// EMBED: 2x7,9x128 simt_{{.*}} 2
// EMBED-NEXT: simt_{{.*}} aligned
// EMBED: 0x4,8x4 none 0
// EMBED: 4x33,100x768 simt_{{.*}} 2
// EMBED-NEXT: simt_{{.*}} aligned

// The sum of the embedding of a token, of its position, the first of a longer
// table, and of its type, all of which are zero, normalised: one kernel.
// RUN: dietcode-run %s --entry bert --check --arg-shapes 2x5,8x64,64x64,2x64,64 --arg-shapes 1x33,30x64,64x64,2x64,64 | FileCheck %s --check-prefix=BERT
// BERT: 2x5,8x64,64x64,2x64,64 {{.*}} 2 
// BERT: 1x33,30x64,64x64,2x64,64 {{.*}} 2 

// Sums of embeddings, where the index varies with the column, and of the elements
// of each, where the table alone tells how many columns there are.
// RUN: dietcode-run %s --entry bag --check --arg-shapes 3x5,9x33 --arg-shapes 2x130,8x64 --arg-shapes 3x0,8x4
// RUN: dietcode-run %s --entry sums --check --arg-shapes 5,9x33,5 --arg-shapes 3,3x1000,3 --arg-shapes 4,8x0,4 --arg-shapes 3,0x5,3
// As torch.gather: every element has its own index, along the first axis or the last.
// RUN: dietcode-run %s --entry gather_first --check --tolerance 0 --arg-shapes 5x7,9x7,5x7 --arg-shapes 3x64,8x64,3x64
// RUN: dietcode-run %s --entry gather_last --check --tolerance 0 --arg-shapes 5x7,5x9,5x7 --arg-shapes 3x64,3x5,3x64 --arg-shapes 2x5000,2x16,2x5000

// Indices from -8 to 7 in tables of fewer rows count as the nearest one there is,
// and of none zero is read: nothing is accessed outside. i32 and f16.
// RUN: dietcode-run %s --entry halves --check --tolerance 0 --arg-shapes 3x5,5x33,3x5x33 --arg-shapes 2x9,1x64,2x9x64 --arg-shapes 2x3,0x8,2x3x8 --arg-shapes 2x3,0x7,2x3x7 \
// RUN:   --arg-shapes 2x3:4x1+1,5x16:24x1+8,2x3x16:48x16x1+0 --arg-shapes 2x3:4x1+1,5x16:17x1+3,2x3x16:99x33x2+1 | FileCheck %s --check-prefix=HALVES
// HALVES: 3x5,5x33,3x5x33 simt_{{.*}} general 1
// HALVES: 2x9,1x64,2x9x64 simt_{{.*}} 1
// HALVES: 2x3,0x8,2x3x8 simt_{{.*}} 1
// HALVES: 2x3,0x7,2x3x7 simt_{{.*}} 1
// HALVES: 2x3,5x16,2x3x16 simt_{{.*}} aligned 1
// HALVES: 2x3,5x16,2x3x16 simt_{{.*}} general 1
// Two indices, one of which varies with the column, and nothing but scalars.
// RUN: dietcode-run %s --entry pairs --check --tolerance 0 --arg-shapes 5,33,4x6,5x33,5 --arg-shapes 33,5,9x2,33x5,33 --arg-shapes 3,4,0x2,3x4,3 --arg-shapes 3,4,2x0,3x4,3

#ids = affine_map<(b, t, c) -> (b, t)>
#id3 = affine_map<(b, t, c) -> (b, t, c)>
#row = affine_map<(b, t, c) -> (b, t)>
#position = affine_map<(b, t, c) -> (t, c)>
#last = affine_map<(b, t, c) -> (c)>
#id2 = affine_map<(a, b) -> (a, b)>
#first2 = affine_map<(a, b) -> (a)>
#last2 = affine_map<(a, b) -> (b)>

/// The low three bits.
func.func private @make_ids(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xi64>
  %t = tensor.dim %x, %c1 : tensor<?x?xi64>
  %init = tensor.empty(%b, %t) : tensor<?x?xi64>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xi64>) outs(%init : tensor<?x?xi64>) {
  ^bb0(%e: i64, %o: i64):
    %seven = arith.constant 7 : i64
    %1 = arith.andi %e, %seven : i64
    linalg.yield %1 : i64
  } -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

func.func @embed(%x: tensor<?x?xi64>, %table: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %ids = func.call @make_ids(%x) : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %t = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %c = tensor.dim %table, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%b, %t, %c) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#ids, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<?x?xi64>) outs(%init : tensor<?x?x?xf32>) {
  ^bb0(%id: i64, %o: f32):
    %0 = arith.index_cast %id : i64 to index
    %1 = linalg.index 2 : index
    %rows = tensor.dim %table, %c0 : tensor<?x?xf32>
    %2 = arith.cmpi slt, %0, %rows : index
    cf.assert %2, "index must be smaller than dim size"
    %3 = arith.cmpi sge, %id, %zero : i64
    cf.assert %3, "index must be larger or equal to 0"
    %e = tensor.extract %table[%0, %1] : tensor<?x?xf32>
    linalg.yield %e : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @bert(%x: tensor<?x?xi64>, %table: tensor<?x64xf32>, %positions: tensor<64x64xf32>, %types: tensor<2x64xf32>, %scale: tensor<64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %fzero = arith.constant 0.0 : f32
  %ids = func.call @make_ids(%x) : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %t = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %init = tensor.empty(%b, %t) : tensor<?x?x64xf32>
  %iinit = tensor.empty(%b, %t) : tensor<?x?xi64>
  %type_ids = linalg.fill ins(%zero : i64) outs(%iinit : tensor<?x?xi64>) -> tensor<?x?xi64>
  %words = linalg.generic {indexing_maps = [#ids, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<?x?xi64>) outs(%init : tensor<?x?x64xf32>) {
  ^bb0(%id: i64, %o: f32):
    %0 = arith.index_cast %id : i64 to index
    %1 = linalg.index 2 : index
    %e = tensor.extract %table[%0, %1] : tensor<?x64xf32>
    linalg.yield %e : f32
  } -> tensor<?x?x64xf32>
  %typed = linalg.generic {indexing_maps = [#ids, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%type_ids : tensor<?x?xi64>) outs(%init : tensor<?x?x64xf32>) {
  ^bb0(%id: i64, %o: f32):
    %0 = arith.index_cast %id : i64 to index
    %1 = linalg.index 2 : index
    %e = tensor.extract %types[%0, %1] : tensor<2x64xf32>
    linalg.yield %e : f32
  } -> tensor<?x?x64xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%words, %typed : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%init : tensor<?x?x64xf32>) {
  ^bb0(%e: f32, %f: f32, %o: f32):
    %0 = arith.addf %e, %f : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = tensor.extract %positions[%i, %j] : tensor<64x64xf32>
    %1 = arith.addf %0, %p : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x64xf32>
  %rinit = tensor.empty(%b, %t) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%fzero : f32) outs(%rinit : tensor<?x?xf32>) -> tensor<?x?xf32>
  %squares = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%sum : tensor<?x?x64xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #last, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sum, %squares, %scale : tensor<?x?x64xf32>, tensor<?x?xf32>, tensor<64xf32>) outs(%init : tensor<?x?x64xf32>) {
  ^bb0(%e: f32, %s: f32, %g: f32, %o: f32):
    %eps = arith.constant 1.0e-5 : f32
    %0 = arith.addf %s, %eps : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %e, %1 : f32
    %3 = arith.mulf %2, %g : f32
    linalg.yield %3 : f32
  } -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @bag(%x: tensor<?x?xi64>, %table: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ids = func.call @make_ids(%x) : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %c = tensor.dim %table, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%b, %c) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#ids, affine_map<(b, t, c) -> (b, c)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%ids : tensor<?x?xi64>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%id: i64, %acc: f32):
    %0 = arith.index_cast %id : i64 to index
    %1 = linalg.index 2 : index
    %e = tensor.extract %table[%0, %1] : tensor<?x?xf32>
    %2 = arith.addf %acc, %e : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sums(%ids: memref<?xi64>, %table: memref<?x?xf32>, %y: memref<?xf32>) {
  dietcode.rowwise ins(%ids, %table : memref<?xi64>, memref<?x?xf32>) outs(%y : memref<?xf32>)
      maps [#first2, affine_map<(t, c)[id] -> (id, c)>, #first2] do {
  ^bb0(%id: i64, %e: f32):
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32
  }
  return
}

func.func @gather_first(%ids: memref<?x?xi32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%ids, %x : memref<?x?xi32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#id2, affine_map<(a, b)[i] -> (i, b)>, #id2] do {
  ^bb0(%id: i32, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

func.func @gather_last(%ids: memref<?x?xi64>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  dietcode.rowwise ins(%ids, %x : memref<?x?xi64>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#id2, affine_map<(a, b)[i] -> (a, i)>, #id2] do {
  ^bb0(%id: i64, %e: f32):
    dietcode.yield %e : f32
  }
  return
}

func.func @halves(%ids: memref<?x?xi32, strided<[?, ?], offset: ?>>, %table: memref<?x?xf16, strided<[?, ?], offset: ?>>,
                  %y: memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>) {
  dietcode.rowwise ins(%ids, %table : memref<?x?xi32, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>)
      outs(%y : memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>)
      maps [#ids, affine_map<(b, t, c)[id] -> (id, c)>, #id3] do {
  ^bb0(%id: i32, %e: f16):
    dietcode.yield %e : f16
  }
  return
}

func.func @pairs(%i: memref<?xi32>, %j: memref<?xi64>, %table: memref<?x?xf32>, %y: memref<?x?xf32>, %n: memref<?xi32>) {
  dietcode.rowwise ins(%table, %j, %i : memref<?x?xf32>, memref<?xi64>, memref<?xi32>) outs(%y, %n : memref<?x?xf32>, memref<?xi32>)
      maps [affine_map<(a, b)[s0, s1, s2] -> (s2, s1)>, #last2, #first2, #id2, #first2] do {
  ^bb0(%e: f32, %l: i64, %k: i32):
    %0 = arith.negf %e : f32
    dietcode.yield %0, %k : f32, i32
  }
  return
}
