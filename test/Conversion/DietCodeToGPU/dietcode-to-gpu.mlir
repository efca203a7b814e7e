// RUN: dietcode-opt %s --convert-dietcode-to-gpu --canonicalize --cse --split-input-file | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: dietcode-opt %s --convert-dietcode-to-gpu --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=KERNEL

// The host: nothing is launched for an empty m. Only pointers are tested for
// alignment, since sizes and strides are static multiples of four. The last
// kernel of the table is the default, and the grid has one dimension.

// KERNEL-LABEL: gpu.module @dietcode_kernels
// Two stages of a 16 x 16 and a 16 x 64 tile, with rows padded by four, and
// aligned for vectors of four.
// KERNEL: gpu.func @matmul_small_aligned
// KERNEL-SAME: workgroup(%[[SHARED:.*]] : memref<2816xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// KERNEL-SAME: kernel attributes {known_block_size = array<i32: 128, 1, 1>
// KERNEL-DAG: %[[ZERO_2:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
// KERNEL-DAG: %[[ZERO_4:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// The first tile is the partial one: what is beyond k reads as zero.
// KERNEL: scf.if %{{.*}} -> (vector<2xf32>) {
// KERNEL-NEXT: %{{.*}} = vector.load %{{.*}} {alignment = 8 : i64}
// KERNEL: } else {
// KERNEL-NEXT: scf.yield %[[ZERO_2]]
// KERNEL: scf.if %{{.*}} -> (vector<4xf32>) {
// KERNEL-NEXT: %{{.*}} = vector.load %{{.*}} {alignment = 16 : i64}
// KERNEL: } else {
// KERNEL-NEXT: scf.yield %[[ZERO_4]]
// Of A, contiguous along k, vectors are transposed into shared memory; of B,
// along n, they are stored whole.
// KERNEL: scf.for
// KERNEL-COUNT-2: memref.store %{{.*}}, %[[SHARED]]
// KERNEL-COUNT-2: vector.store %{{.*}}, %[[SHARED]][%{{.*}}] {alignment = 16 : i64}
// One barrier for each tile.
// KERNEL-NEXT: gpu.barrier
// KERNEL-NOT: gpu.barrier
// The next tile is read without a predicate on its elements.
// KERNEL: scf.if
// KERNEL-COUNT-3: vector.load
// KERNEL-NOT: scf.if
// 16 steps of 2 x 4 products, from vectors in shared memory.
// KERNEL: vector.load %[[SHARED]][%{{.*}}] {alignment = 8 : i64}
// KERNEL: vector.load %[[SHARED]][%{{.*}}] {alignment = 16 : i64}
// KERNEL-COUNT-128: llvm.intr.fma
// KERNEL-NOT: llvm.intr.fma
// KERNEL: scf.yield
// Rows and vectors are guarded when written.
// KERNEL: arith.cmpi slt
// KERNEL-NEXT: scf.if
// KERNEL: arith.cmpi slt
// KERNEL-NEXT: scf.if
// KERNEL: vector.store %{{.*}} {alignment = 16 : i64}
// KERNEL: gpu.return

// The general twin moves single elements from and to global memory.
// KERNEL: gpu.func @matmul_small_general
// KERNEL-NOT: vector.load %reinterpret_cast
// KERNEL-NOT: vector.store
// KERNEL: gpu.return
// KERNEL: gpu.func @matmul_large_aligned
// KERNEL: gpu.func @matmul_large_general

// HOST-LABEL: func.func @dynamic_m
// HOST-SAME: (%[[A:.*]]: memref<?x768xf32>, %[[B:.*]]: memref<768x2304xf32>, %[[C:.*]]: memref<?x2304xf32>)
// HOST-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// HOST-DAG: %[[ONE:.*]] = arith.constant 1 : index
// HOST-DAG: %[[SIXTEEN:.*]] = arith.constant 16 : index
// HOST-DAG: %[[THREADS_SMALL:.*]] = arith.constant 128 : index
// HOST-DAG: %[[THREADS_LARGE:.*]] = arith.constant 256 : index
// HOST: %[[M:.*]] = memref.dim %[[A]], %[[ZERO]]
// HOST: %[[SOME:.*]] = arith.cmpi sgt, %[[M]], %[[ZERO]]
// HOST: scf.if %[[SOME]] {
// HOST: %[[POINTER_A:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// HOST-NEXT: %[[REM_A:.*]] = arith.remui %[[POINTER_A]], %[[SIXTEEN]]
// HOST-NEXT: arith.cmpi eq, %[[REM_A]], %[[ZERO]]
// HOST: memref.extract_aligned_pointer_as_index %[[B]]
// HOST: memref.extract_aligned_pointer_as_index %[[C]]
// HOST: %[[ALIGNED:.*]] = arith.andi
// HOST-NEXT: %[[CHOICE:.*]] = dietcode.select @d(%[[M]])
// HOST-NEXT: scf.index_switch %[[CHOICE]]
// HOST-NEXT: case 0 {
// HOST:   scf.if %[[ALIGNED]] {
// HOST-NEXT: gpu.launch_func @dietcode_kernels::@matmul_small_aligned blocks in (%[[BLOCKS:.*]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS_SMALL]], %[[ONE]], %[[ONE]]) args(%[[A]] : memref<?x768xf32>, %[[B]] : memref<768x2304xf32>, %[[C]] : memref<?x2304xf32>)
// HOST:   } else {
// HOST-NEXT: gpu.launch_func @dietcode_kernels::@matmul_small_general blocks in (%[[BLOCKS]], %[[ONE]], %[[ONE]])
// HOST: default {
// HOST:   gpu.launch_func @dietcode_kernels::@matmul_large_aligned blocks in (%{{.*}}, %[[ONE]], %[[ONE]]) threads in (%[[THREADS_LARGE]], %[[ONE]], %[[ONE]])
// HOST:   gpu.launch_func @dietcode_kernels::@matmul_large_general
// HOST-NOT: gpu.launch_func
// HOST: return
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @small #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.micro_kernel @large #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]>
  dietcode.dispatch @d on (m in [1, 100]) {
    case m in [1, 50] -> @small
    case m in [51, 100] -> @large
    otherwise -> @large
  }
  func.func @dynamic_m(%a: memref<?x768xf32>, %b: memref<768x2304xf32>, %c: memref<?x2304xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<?x768xf32>, memref<768x2304xf32>) outs(%c : memref<?x2304xf32>)
    return
  }
}

// -----

// Nothing is known: sizes and strides are tested as well, and all of m and n.
// KERNEL-LABEL: func.func @dynamic(
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[M:.*]] = memref.dim
// CHECK: %[[N:.*]] = memref.dim
// CHECK-DAG: arith.cmpi sgt, %[[M]], %
// CHECK-DAG: arith.cmpi sgt, %[[N]], %
// CHECK: scf.if
// CHECK: memref.extract_strided_metadata
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: arith.remui
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @dynamic(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
    return
  }
}

// -----

// A static size rules vectors out: there is no aligned twin.
// KERNEL-LABEL: gpu.module @dietcode_kernels
// KERNEL-NOT: _aligned
// KERNEL: gpu.func @matmul_k_general
// KERNEL-NOT: _aligned
// KERNEL-LABEL: func.func @never_aligned
// CHECK-LABEL: func.func @never_aligned
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general
// CHECK-NOT: gpu.launch_func
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @never_aligned(%a: memref<64x63xf32>, %b: memref<63x64xf32>, %c: memref<64x64xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<64x63xf32>, memref<63x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
}

// -----

// Equal operators share their kernels, whatever the dispatch that they belong to
// and the function; one that differs in a flag has its own.
// KERNEL-LABEL: gpu.module @dietcode_kernels
// KERNEL-DAG: gpu.func @matmul_k_aligned(
// KERNEL-DAG: gpu.func @matmul_k_general(
// KERNEL-DAG: gpu.func @matmul_k_aligned_0(
// KERNEL-DAG: gpu.func @matmul_k_general_0(
// KERNEL-DAG: gpu.func @matmul_k_aligned_1(
// KERNEL-DAG: gpu.func @matmul_k_general_1(
// KERNEL-NOT: gpu.func
// KERNEL-LABEL: func.func @share
// CHECK-LABEL: func.func @share
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general blocks
// CHECK-LABEL: func.func @share_too
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned_0 blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general_0 blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_aligned_1 blocks
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_k_general_1 blocks
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  dietcode.dispatch @e on () {
    case -> @k
    otherwise -> @k
  }
  func.func @share(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    dietcode.matmul dispatch(@e) ins(%b, %a : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
  func.func @share_too(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    dietcode.matmul accumulate dispatch(@d) ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) do {
    ^bb0(%sum: f32):
      %0 = arith.negf %sum : f32
      dietcode.yield %0 : f32
    }
    return
  }
}

// -----

// Of an epilogue, a bias is read in vectors, a scalar once, and a residual that
// is contiguous along m element by element. The sum is added to before it.
// KERNEL-LABEL: gpu.func @matmul_k_aligned
// KERNEL: scf.for
// KERNEL: %[[INITIAL:.*]] = vector.load %{{.*}} {alignment = 16 : i64}
// KERNEL: arith.addf
// KERNEL: %[[BIAS:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<64xf32
// KERNEL: %[[SCALE:.*]] = memref.load
// KERNEL-COUNT-4: memref.load
// KERNEL: arith.mulf %{{.*}}, %[[SCALE]] : f32
// KERNEL: arith.addf
// KERNEL: arith.subf
// KERNEL: vector.store
// KERNEL: gpu.func @matmul_k_general
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @epilogue(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>, %bias: memref<64xf32>, %scale: memref<f32>, %residual: memref<64x64xf32>) {
    dietcode.matmul accumulate dispatch(@d) ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
        epilogue(%bias, %scale, %residual : memref<64xf32>, memref<f32>, memref<64x64xf32>)
        maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (n, m)>] do {
    ^bb0(%sum: f32, %x: f32, %s: f32, %r: f32):
      %0 = arith.mulf %sum, %s : f32
      %1 = arith.addf %0, %x : f32
      %2 = arith.subf %1, %r : f32
      dietcode.yield %2 : f32
    }
    return
  }
}

// -----

// A split of three: the parts go to a workspace with rows of 64, which is on the
// device and used by one stream.
// KERNEL-LABEL: gpu.func @matmul_k_aligned
// KERNEL-SAME: %{{.*}}: memref<50x100xf32>, %{{.*}}: memref<100x64xf32>, %{{.*}}: memref<50x64xf32>, %[[WORK:[a-z0-9]+]]: memref<?xf32>) workgroup
// The block finds its part and its tile.
// KERNEL: %[[BLOCK:.*]] = gpu.block_id x
// KERNEL-NEXT: arith.remui %[[BLOCK]], %c3
// KERNEL-NEXT: arith.divui %[[BLOCK]], %c3
// Seven tiles of k are three, three and one.
// KERNEL: scf.for
// KERNEL: vector.store %{{.*}}, %[[WORK]][%{{.*}}] {alignment = 16 : i64}
// KERNEL: gpu.return
// The reduction reads the parts in their order, and stores vectors.
// KERNEL: gpu.func @matmul_k_reduction_aligned
// KERNEL-SAME: %[[WORK:[a-z0-9]+]]: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>
// KERNEL-NOT: scf.for
// KERNEL-COUNT-3: vector.load %[[WORK]][%{{.*}}] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// KERNEL-COUNT-8: arith.addf
// KERNEL-NOT: arith.addf
// KERNEL: vector.store %{{.*}} {alignment = 16 : i64} : memref<3200xf32
// KERNEL: gpu.return
// KERNEL: gpu.func @matmul_k_general
// KERNEL: gpu.func @matmul_k_reduction_general
// KERNEL: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// KERNEL-NOT: vector.store

// HOST-LABEL: func.func @split
// HOST-DAG: %[[ONE:.*]] = arith.constant 1 : index
// HOST-DAG: %[[BLOCKS:.*]] = arith.constant 12 : index
// HOST-DAG: %[[ADDING:.*]] = arith.constant 8 : index
// HOST-DAG: %[[ELEMENTS:.*]] = arith.constant 9600 : index
// HOST: scf.if
// HOST-NEXT: %[[T0:.*]] = gpu.wait async
// HOST-NEXT: %[[WORK:.*]], %[[T1:.*]] = gpu.alloc async [%[[T0]]] (%[[ELEMENTS]]) : memref<?xf32>
// HOST-NEXT: %[[T2:.*]] = gpu.launch_func async [%[[T1]]] @dietcode_kernels::@matmul_k_aligned blocks in (%[[BLOCKS]], %[[ONE]], %[[ONE]]) {{.*}}, %[[WORK]] : memref<?xf32>)
// HOST-NEXT: %[[T3:.*]] = gpu.launch_func async [%[[T2]]] @dietcode_kernels::@matmul_k_reduction_aligned blocks in (%[[ADDING]], %[[ONE]], %[[ONE]]) {{.*}}, %[[WORK]] : memref<?xf32>)
// HOST-NEXT: %[[T4:.*]] = gpu.dealloc async [%[[T3]]] %[[WORK]] : memref<?xf32>
// HOST-NEXT: gpu.wait [%[[T4]]]
// HOST-NEXT: } else {
// HOST: @matmul_k_general
// HOST: @matmul_k_reduction_general
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], split = 3>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @split(%a: memref<50x100xf32>, %b: memref<100x64xf32>, %c: memref<50x64xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<50x100xf32>, memref<100x64xf32>) outs(%c : memref<50x64xf32>)
    return
  }
}

// -----

// One stage: a barrier before and one after the product. Tiles lie along n first,
// and nobody copies more than one element at once.
// KERNEL-LABEL: gpu.func @matmul_k_aligned
// KERNEL-SAME: memref<1408xf32, #gpu.address_space<workgroup>>
// KERNEL: %[[BLOCK:.*]] = gpu.block_id x
// KERNEL: %[[INNER:.*]] = arith.remui %[[BLOCK]], %c2
// KERNEL: %[[OUTER:.*]] = arith.divui %[[BLOCK]], %c2
// KERNEL-DAG: arith.muli %[[OUTER]], %c16
// KERNEL-DAG: arith.muli %[[INNER]], %c64
// KERNEL-NOT: vector.load %reinterpret_cast
// KERNEL: scf.for
// KERNEL: gpu.barrier
// KERNEL: llvm.intr.fma
// KERNEL: gpu.barrier
// KERNEL-NOT: gpu.barrier
// KERNEL: vector.store %{{.*}} : memref<{{.*}}xf32, strided<[1]>>
// KERNEL: gpu.func @matmul_k_general
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], stages = 1, vector = 1, order = [n, m]>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @one_stage(%a: memref<50x100xf32>, %b: memref<100x128xf32>, %c: memref<50x128xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<50x100xf32>, memref<100x128xf32>) outs(%c : memref<50x128xf32>)
    return
  }
}

// -----

// More than 2^31 elements: 2^20 rows of 4096 for each of two parts.
// HOST-LABEL: func.func @large_workspace
// HOST: %[[ELEMENTS:.*]] = arith.constant 8589934592 : index
// HOST: gpu.alloc async [%{{.*}}] (%[[ELEMENTS]]) : memref<?xf32>
// KERNEL-LABEL: gpu.func @matmul_k_reduction_aligned
// KERNEL: vector.load %{{.*}} : memref<?xf32>, vector<4xf32>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @k #dietcode.schedule<block = [16, 64, 16], thread = [2, 4], split = 2>
  dietcode.dispatch @d on () {
    case -> @k
    otherwise -> @k
  }
  func.func @large_workspace(%a: memref<1048576x8xf32>, %b: memref<8x4096xf32>, %c: memref<1048576x4096xf32>) {
    dietcode.matmul dispatch(@d) ins(%a, %b : memref<1048576x8xf32>, memref<8x4096xf32>) outs(%c : memref<1048576x4096xf32>)
    return
  }
}
