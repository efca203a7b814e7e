// RUN: dietcode-opt %s --convert-dietcode-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// One kernel, in two twins, for the static length of rows. A warp sums a row up:
// four vectors of four for each of 32 lanes, six of eight of which are used.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @rows #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @rows
    otherwise -> @rows
  }
  // CHECK-LABEL: gpu.module @dietcode_kernels
  // CHECK: gpu.func @rowwise_rows_aligned(%[[X:.*]]: memref<?x768xf32>, %[[Y:.*]]: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>
  // Blocks take the rows that are beyond the grid in turns.
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[STEP:.*]] = gpu.grid_dim x
  // CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %[[STEP]]
  // Loads come first, each for a vector that is within the row.
  // CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64}
  // CHECK-NOT: vector.load
  // CHECK-COUNT-32: arith.addf
  // A butterfly over the lanes.
  // CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c8_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
  // CHECK-NOT: gpu.barrier
  // CHECK: memref.store
  // CHECK: gpu.return
  // CHECK: gpu.func @rowwise_rows_general
  // CHECK-COUNT-32: memref.load
  // CHECK-NOT: memref.load
  // CHECK: gpu.return
  // CHECK-NOT: gpu.func

  // Nothing is launched without rows; there is a sum without columns.
  // CHECK-LABEL: func.func @sum
  // CHECK: %[[ROWS:.*]] = memref.dim
  // CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[ROWS]], %c0
  // CHECK: scf.if %[[SOME]] {
  // CHECK: %[[GRID:.*]] = arith.minsi %{{.*}}, %c2147483647
  // CHECK: arith.remui %{{.*}}, %c16
  // CHECK: scf.if
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_rows_aligned blocks in (%[[GRID]], %c1, %c1) threads in (%c128, %c1, %c1)
  // CHECK: } else {
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_rows_general
  func.func @sum(%x: memref<?x768xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x768xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
    ^bb0(%e: f32):
      %0 = dietcode.reduce_row add %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
  // The same kernels serve an equal operator.
  // CHECK-LABEL: func.func @sum_again
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_rows_aligned blocks
  func.func @sum_again(%x: memref<?x768xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x768xf32>) outs(%y : memref<?xf32>) maps [#element, #row] do {
    ^bb0(%e: f32):
      %0 = dietcode.reduce_row add %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>

// Rows of more than the lanes hold: a loop for each pass, and partial results
// through shared memory.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @rows #dietcode.schedule<block = [1, 16384, 1], thread = [1, 32], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @rows
    otherwise -> @rows
  }
  // CHECK: gpu.func @rowwise_rows_aligned({{.*}}) workgroup(%[[A:.*]] : memref<16xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<16xf32, #gpu.address_space<workgroup>>)
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: scf.for %{{.*}} = %c0 to %c20000 step %c16384 iter_args(%{{.*}}) -> (f32)
  // CHECK: arith.maximumf
  // CHECK: gpu.shuffle
  // CHECK: memref.store %{{.*}}, %[[A]]
  // CHECK: gpu.barrier
  // CHECK: memref.load %[[A]]
  // CHECK: scf.for %{{.*}} = %c0 to %c20000 step %c16384 iter_args(%{{.*}}) -> (f32)
  // CHECK: math.exp
  // CHECK: memref.store %{{.*}}, %[[B]]
  // CHECK: gpu.barrier
  // CHECK: scf.for %{{.*}} = %c0 to %c20000 step %c16384 {
  // CHECK: arith.divf
  // CHECK: vector.store %{{.*}} {alignment = 16 : i64}
  // CHECK: gpu.barrier
  // CHECK: gpu.return
  func.func @softmax(%x: memref<?x20000xf32>, %y: memref<?x20000xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x20000xf32>) outs(%y : memref<?x20000xf32>) maps [#element, #element] do {
    ^bb0(%e: f32):
      %max = dietcode.reduce_row maximumf %e : f32
      %0 = arith.subf %e, %max : f32
      %1 = math.exp %0 : f32
      %sum = dietcode.reduce_row add %1 : f32
      %2 = arith.divf %1, %sum : f32
      dietcode.yield %2 : f32
    }
    return
  }
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>

// What is computed once is kept from pass to pass: one exponential for each of
// the columns that a lane holds.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @rows #dietcode.schedule<block = [16, 128, 1], thread = [1, 16], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @rows
    otherwise -> @rows
  }
  // CHECK: gpu.func @rowwise_rows_aligned
  // CHECK-COUNT-4: vector.load
  // CHECK-NOT: vector.load
  // CHECK-COUNT-16: math.exp
  // CHECK-NOT: math.exp
  // CHECK: gpu.return
  func.func @softmax(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>) maps [#element, #element] do {
    ^bb0(%e: f32):
      %max = dietcode.reduce_row maximumf %e : f32
      %0 = arith.subf %e, %max : f32
      %1 = math.exp %0 : f32
      %sum = dietcode.reduce_row add %1 : f32
      %2 = arith.divf %1, %sum : f32
      dietcode.yield %2 : f32
    }
    return
  }
}

// -----

#column = affine_map<(d0) -> (d0)>

// Without a reduction, many blocks share a row; none is launched for no column.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @rows #dietcode.schedule<block = [1, 2048, 1], thread = [1, 16], instruction = elements>
  dietcode.micro_kernel @short #dietcode.schedule<block = [128, 4, 1], thread = [1, 4], instruction = elements>
  dietcode.dispatch @d on (n in [0, 1000000]) {
    case n in [0, 32] -> @short
    case n in [33, 1000000] -> @rows
    otherwise -> @rows
  }
  // CHECK: gpu.func @rowwise_short_aligned
  // CHECK-NOT: gpu.shuffle
  // CHECK-LABEL: func.func @scale
  // CHECK: %[[SOME:.*]] = arith.cmpi sgt, %{{.*}}, %c0
  // CHECK: scf.if %[[SOME]]
  // CHECK: %[[KERNEL:.*]] = dietcode.select @d(%{{.*}})
  // CHECK: scf.index_switch %[[KERNEL]]
  // CHECK: case 0 {
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_short_aligned
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_short_general
  // CHECK: default {
  // CHECK: %[[TILES:.*]] = arith.divui %{{.*}}, %c2048
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_rows_aligned
  func.func @scale(%x: memref<?xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#column, #column] do {
    ^bb0(%e: f32):
      %0 = arith.negf %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
}

// -----

#in = affine_map<(d0, d1) -> (d1, d0)>
#out = affine_map<(d0, d1) -> (d0, d1)>

// Strides that only the buffers tell take registers, so that lanes hold fewer
// columns than the schedule says: 4 instead of 32.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @strided #dietcode.schedule<block = [4, 1024, 1], thread = [1, 32], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @strided
    otherwise -> @strided
  }
  // CHECK: gpu.func @rowwise_strided_general({{.*}}) kernel attributes {known_block_size = array<i32: 128, 1, 1>
  // CHECK: scf.for %{{.*}} step %c128 iter_args
  // CHECK-COUNT-4: memref.load
  // CHECK-NOT: memref.load
  // CHECK: scf.for
  func.func @columns(%x: memref<?x?xf64, strided<[?, ?]>>, %y: memref<?x?xf64, strided<[?, ?]>>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x?xf64, strided<[?, ?]>>) outs(%y : memref<?x?xf64, strided<[?, ?]>>) maps [#in, #out] do {
    ^bb0(%e: f64):
      %0 = math.exp %e : f64
      %1 = dietcode.reduce_row add %0 : f64
      %2 = arith.divf %0, %1 : f64
      dietcode.yield %2 : f64
    }
    return
  }
}

// -----

// Columns of several dimensions. Where memory has them in a row, the number of a
// column is multiplied by its stride; where it does not, the number is divided
// once for each vector, and vectors are within the last dimension.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @linear #dietcode.schedule<block = [16, 128, 1], thread = [1, 16], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @linear
    otherwise -> @linear
  }
  dietcode.micro_kernel @short #dietcode.schedule<block = [16, 64, 1], thread = [1, 8], instruction = rows>
  dietcode.dispatch @e on () {
    case -> @short
    otherwise -> @short
  }
  // CHECK-LABEL: gpu.func @rowwise_linear_aligned(
  // CHECK-COUNT-4: vector.load
  // CHECK-NOT: vector.load
  // CHECK: gpu.return
  // CHECK-LABEL: gpu.func @rowwise_linear_general(
  // CHECK: gpu.return
  // CHECK-LABEL: gpu.func @rowwise_short_aligned(
  // CHECK: arith.remui %{{.*}}, %c8_i32 : i32
  // CHECK: arith.divui %{{.*}}, %c8_i32 : i32
  // CHECK: vector.load
  // CHECK: arith.remui %{{.*}}, %c8_i32 : i32
  // CHECK: arith.divui %{{.*}}, %c8_i32 : i32
  // CHECK: vector.load
  // CHECK-NOT: arith.divui
  // CHECK: gpu.return
  // CHECK-LABEL: func.func @adjacent
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_linear_aligned
  func.func @adjacent(%x: memref<?x16x8xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<?x16x8xf32>) outs(%y : memref<?xf32>) columns(2)
        maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>] do {
    ^bb0(%e: f32):
      %0 = dietcode.reduce_row add %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
  // CHECK-LABEL: func.func @apart
  // CHECK: gpu.launch_func @dietcode_kernels::@rowwise_short_aligned
  func.func @apart(%x: memref<8x?x8xf32>, %y: memref<?xf32>) {
    dietcode.rowwise dispatch(@e) ins(%x : memref<8x?x8xf32>) outs(%y : memref<?xf32>) columns(2)
        maps [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0)>] do {
    ^bb0(%e: f32):
      %0 = dietcode.reduce_row add %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
}

// -----

// The index is loaded once for a row, kept within the table, and moves where the
// row is; its vectors are loaded as any others. A table of dynamic size may be
// empty.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @looked_up #dietcode.schedule<block = [4, 512, 1], thread = [1, 16], instruction = elements>
  dietcode.dispatch @d on () {
    case -> @looked_up
    otherwise -> @looked_up
  }
  // CHECK-LABEL: gpu.func @rowwise_looked_up_aligned(
  // CHECK: %[[ID:.*]] = memref.load %{{.*}} : memref<?xi64
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[ID]] : i64 to index
  // CHECK: %[[LOW:.*]] = arith.maxsi %[[INDEX]], %c0 : index
  // CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %c29 : index
  // CHECK: arith.muli %[[AT]], %c512 : index
  // CHECK-COUNT-4: vector.load
  // CHECK-NOT: load
  // CHECK: gpu.return
  // CHECK-LABEL: func.func @embed
  func.func @embed(%ids: memref<?xi64>, %table: memref<30x512xf32>, %y: memref<?x512xf32>) {
    dietcode.rowwise dispatch(@d) ins(%ids, %table : memref<?xi64>, memref<30x512xf32>) outs(%y : memref<?x512xf32>)
        maps [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] do {
    ^bb0(%id: i64, %e: f32):
      dietcode.yield %e : f32
    }
    return
  }
}

// -----

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @maybe #dietcode.schedule<block = [16, 32, 1], thread = [1, 4], instruction = elements>
  dietcode.dispatch @d on () {
    case -> @maybe
    otherwise -> @maybe
  }
  // CHECK-LABEL: gpu.func @rowwise_maybe_aligned(
  // CHECK: %[[SOME:.*]] = arith.cmpi sgt, %{{.*}}, %c0 : index
  // CHECK: scf.if %[[SOME]] -> (vector<4xf32>) {
  // CHECK: vector.load
  // CHECK: gpu.return
  // CHECK-LABEL: func.func @maybe_empty
  func.func @maybe_empty(%ids: memref<?xi64>, %table: memref<?x32xf32>, %y: memref<?x32xf32>) {
    dietcode.rowwise dispatch(@d) ins(%ids, %table : memref<?xi64>, memref<?x32xf32>) outs(%y : memref<?x32xf32>)
        maps [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] do {
    ^bb0(%id: i64, %e: f32):
      dietcode.yield %e : f32
    }
    return
  }
}

// -----

// Where neighbours in memory are rows, 8 of them share a warp, of which each has
// 4 lanes; partial results of the 16 warps of a row are combined 4 by a lane.
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @shared #dietcode.schedule<block = [8, 2048, 1], thread = [1, 32], instruction = rows>
  dietcode.dispatch @d on () {
    case -> @shared
    otherwise -> @shared
  }
  // CHECK-LABEL: gpu.func @rowwise_shared_general(
  // CHECK-SAME: workgroup(%[[PARTS:.*]] : memref<128xf32,
  // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.barrier
  // CHECK-COUNT-4: memref.load %[[PARTS]]
  // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.return
  func.func @first_axis(%x: memref<5000x64xf32>, %y: memref<64xf32>) {
    dietcode.rowwise dispatch(@d) ins(%x : memref<5000x64xf32>) outs(%y : memref<64xf32>)
        maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] do {
    ^bb0(%e: f32):
      %0 = dietcode.reduce_row add %e : f32
      dietcode.yield %0 : f32
    }
    return
  }
}
