// RUN: dietcode-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(cse,dietcode-plan-memory,canonicalize,cse))' | FileCheck %s

// Buffers that are never needed at the same time share memory. Nothing is left
// of their own allocations.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[N:[^ ]*]]: index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[MAX:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[C255:.*]] = arith.constant 255 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant 281474976710656 : index
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %[[N]], %[[C4]] : index
// CHECK: %[[EXCEEDED:.*]] = arith.cmpi ne, %[[HIGH]], %[[C0]]
// CHECK: %[[BYTES:.*]] = arith.select %[[EXCEEDED]], %[[MAX]], %[[LOW]]
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[BYTES]], %[[LIMIT]]
// CHECK: %[[UP:.*]] = arith.addi %[[CLAMPED]], %[[C255]]
// CHECK: %[[UNITS:.*]] = arith.divui %[[UP]], %[[C256]]
// CHECK: %[[SLOT:.*]] = arith.muli %[[UNITS]], %[[C256]]
// CHECK: %[[TOTAL:.*]] = arith.addi %[[SLOT]], %[[SLOT]]
// CHECK: %[[ARENA:.*]] = gpu.alloc host_shared (%[[TOTAL]]) : memref<?xi8>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[C0]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.copy %{{.*}}, %[[A]]
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[SLOT]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: memref.copy %[[B]], %[[A]]
// CHECK: memref.copy %[[A]],
// CHECK-NEXT: %[[START:.*]] = gpu.wait async
// CHECK-NEXT: %[[FREED:.*]] = gpu.dealloc async [%[[START]]] %[[ARENA]]
// CHECK-NEXT: gpu.wait [%[[FREED]]]
// CHECK-NEXT: return
func.func @chain(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %a = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  memref.copy %c, %y : memref<?xf32> to memref<?xf32>
  gpu.dealloc %a : memref<?xf32>
  gpu.dealloc %b : memref<?xf32>
  gpu.dealloc %c : memref<?xf32>
  return
}

// Views use what they are views of. Sizes are constants where they can be: the
// larger of 64 and 32 elements, at 256 and not at 64 bytes.
// CHECK-LABEL: func.func @static
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[TOTAL:.*]] = arith.constant 512 : index
// CHECK: %[[START:.*]] = gpu.wait async
// CHECK-NEXT: %[[ARENA:.*]], %[[TOKEN:.*]] = gpu.alloc async [%[[START]]] (%[[TOTAL]]) : memref<?xi8>
// CHECK-NEXT: gpu.wait [%[[TOKEN]]]
// CHECK: memref.view %[[ARENA]][%[[C0]]][] : memref<?xi8> to memref<64xf32>
// CHECK: memref.view %[[ARENA]][%[[C256]]][] : memref<?xi8> to memref<16xf32>
// CHECK: memref.view %[[ARENA]][%[[C0]]][] : memref<?xi8> to memref<32xf16>
func.func @static(%x: memref<64xf32>, %y: memref<16xf32>, %z: memref<32xf16>) {
  %a = gpu.alloc () : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %view = memref.subview %a[48] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 48>>
  %b = gpu.alloc () : memref<16xf32>
  memref.copy %y, %b : memref<16xf32> to memref<16xf32>
  memref.copy %view, %b : memref<16xf32, strided<[1], offset: 48>> to memref<16xf32>
  %c = gpu.alloc () : memref<32xf16>
  memref.copy %z, %c : memref<32xf16> to memref<32xf16>
  memref.copy %c, %z : memref<32xf16> to memref<32xf16>
  memref.copy %b, %y : memref<16xf32> to memref<16xf32>
  gpu.dealloc %a : memref<64xf32>
  gpu.dealloc %b : memref<16xf32>
  gpu.dealloc %c : memref<32xf16>
  return
}

// Sizes that are written in other ways are equal: both buffers have n m
// elements, in one slot. What is known later only is left alone, and so is a
// result, and what nobody uses is gone.
// CHECK-LABEL: func.func @sizes
// CHECK: arith.mului_extended
// CHECK: arith.mului_extended
// CHECK-NOT: arith.mului_extended
// CHECK: %[[ARENA:.*]], %{{.*}} = gpu.alloc async [%{{.*}}] (%{{.*}}) : memref<?xi8>
// CHECK: memref.view %[[ARENA]][%[[C0:.*]]][%{{.*}}] : memref<?xi8> to memref<?x?xf32>
// CHECK: %[[LATE:.*]] = gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK: memref.view %[[ARENA]][%[[C0]]][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK: %[[RESULT:.*]] = gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK-NOT: gpu.alloc
// CHECK: gpu.dealloc %[[LATE]]
// CHECK: gpu.dealloc async {{.*}} %[[ARENA]]
// CHECK: return %[[RESULT]]
func.func @sizes(%x: memref<?x?xf32>, %count: memref<index>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = gpu.alloc (%m, %n) : memref<?x?xf32>
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>) permutation = [1, 0]
  %flat = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %i = memref.load %count[] : memref<index>
  %late = gpu.alloc (%i) : memref<?xf32>
  memref.copy %flat, %late : memref<?xf32> to memref<?xf32>
  %k = memref.dim %flat, %c0 : memref<?xf32>
  %b = gpu.alloc (%k) : memref<?xf32>
  memref.copy %late, %b : memref<?xf32> to memref<?xf32>
  %unused = gpu.alloc (%k) : memref<?xf32>
  %r = gpu.alloc (%k) : memref<?xf32>
  memref.copy %b, %r : memref<?xf32> to memref<?xf32>
  gpu.dealloc %a : memref<?x?xf32>
  gpu.dealloc %b : memref<?xf32>
  gpu.dealloc %late : memref<?xf32>
  gpu.dealloc %unused : memref<?xf32>
  return %r : memref<?xf32>
}

// -----

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @first(%a: memref<?xf32>, %b: memref<?xf32>) kernel { gpu.return }
  gpu.func @second(%a: memref<?xf32>, %b: memref<?xf32>) kernel { gpu.return }
}

// What a branch allocates counts if it is taken; case 1 needs twice as much.
// Which of the branches in it depends on an address, but both need the same.
// The launches wait for each other as before.
// CHECK-LABEL: func.func @workspace
// CHECK-SAME: %[[N:[^ ]*]]: index, %[[CHOICE:[^ ]*]]: index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[IS0:.*]] = arith.cmpi eq, %[[CHOICE]], %[[C0]]
// CHECK-DAG: %[[IS1:.*]] = arith.cmpi eq, %[[CHOICE]], %[[C1]]
// CHECK: %[[ARENA:.*]] = gpu.alloc host_shared
// CHECK: %[[A:.*]] = memref.view %[[ARENA]]
// CHECK: scf.index_switch
// CHECK: case 0
// CHECK: scf.if
// CHECK-NEXT: %[[START:.*]] = gpu.wait async
// CHECK-NEXT: %[[W:.*]] = memref.view %[[ARENA]][%[[OFFSET:.*]]][%[[N]]]
// CHECK-NEXT: %[[FIRST:.*]] = gpu.launch_func async [%[[START]]] @kernels::@first {{.*}} args(%[[A]] : memref<?xf32>, %[[W]] : memref<?xf32>)
// CHECK-NEXT: %[[SECOND:.*]] = gpu.launch_func async [%[[FIRST]]] @kernels::@second
// CHECK-NEXT: gpu.wait [%[[SECOND]]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[START:.*]] = gpu.wait async
// CHECK-NEXT: memref.view %[[ARENA]][%[[OFFSET]]][%[[N]]]
// CHECK: case 1
// CHECK: memref.view %[[ARENA]][%[[OFFSET]]]
// CHECK-NOT: gpu.alloc
// CHECK: gpu.dealloc async {{.*}} %[[ARENA]]
func.func @workspace(%n: index, %choice: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %a = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  scf.index_switch %choice
  case 0 {
    %address = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
    %rest = arith.remui %address, %c16 : index
    %aligned = arith.cmpi eq, %rest, %c0 : index
    scf.if %aligned {
      %0 = gpu.wait async
      %w, %1 = gpu.alloc async [%0] (%n) : memref<?xf32>
      %2 = gpu.launch_func async [%1] @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>, %w : memref<?xf32>)
      %3 = gpu.launch_func async [%2] @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>, %w : memref<?xf32>)
      %4 = gpu.dealloc async [%3] %w : memref<?xf32>
      gpu.wait [%4]
    } else {
      %0 = gpu.wait async
      %w, %1 = gpu.alloc async [%0] (%n) : memref<?xf32>
      %2 = gpu.launch_func async [%1] @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>, %w : memref<?xf32>)
      %3 = gpu.dealloc async [%2] %w : memref<?xf32>
      gpu.wait [%3]
    }
    scf.yield
  }
  case 1 {
    %twice = arith.muli %n, %c2 : index
    %w = gpu.alloc (%twice) : memref<?xf32>
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>, %w : memref<?xf32>)
    gpu.dealloc %w : memref<?xf32>
    scf.yield
  }
  default {
  }
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  gpu.dealloc %a : memref<?xf32>
  return
}

// A kernel that is on its way needs its buffer until somebody waits for it.
// CHECK-LABEL: func.func @async
// CHECK: %[[SLOT:.*]] = arith.muli
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%c0][
// CHECK: gpu.launch_func async {{.*}} args(%[[A]] :
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%[[SLOT]]][
// CHECK: memref.copy %{{.*}}, %[[B]]
// CHECK: gpu.wait
// CHECK-NEXT: memref.copy %{{.*}}, %[[A]]
func.func @async(%n: index, %x: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %a = gpu.alloc host_shared (%n) : memref<?xf32>
  %0 = gpu.wait async
  %1 = gpu.launch_func async [%0] @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>, %x : memref<?xf32>)
  %b = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  gpu.wait [%1]
  %c = gpu.alloc host_shared (%n) : memref<?xf32>
  memref.copy %x, %c : memref<?xf32> to memref<?xf32>
  gpu.dealloc %a : memref<?xf32>
  gpu.dealloc %b : memref<?xf32>
  gpu.dealloc %c : memref<?xf32>
  return
}
}

// -----

// Iterations use the same memory, if there are any.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[N:[^ ]*]]: index
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %{{.*}}
// CHECK: arith.select %[[RUNS]]
// CHECK: %[[ARENA:.*]], %{{.*}} = gpu.alloc async
// CHECK: scf.for
// CHECK-NEXT: memref.view %[[ARENA]]
// CHECK-NOT: gpu.alloc
// CHECK: }
// CHECK-NEXT: gpu.wait async
// CHECK-NEXT: gpu.dealloc
func.func @loop(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = gpu.alloc (%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    memref.copy %a, %x : memref<?xf32> to memref<?xf32>
    gpu.dealloc %a : memref<?xf32>
  }
  return
}

// A buffer that a loop uses is needed until its end.
// CHECK-LABEL: func.func @across_loop
// CHECK-DAG: memref.view %{{.*}}[%[[ONE:.*]]][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK: scf.for
// CHECK-NOT: memref.view %{{.*}}[%[[ONE]]]
// CHECK: return
func.func @across_loop(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = gpu.alloc (%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %a, %x : memref<?xf32> to memref<?xf32>
    %b = gpu.alloc (%n) : memref<?xf32>
    memref.copy %x, %b : memref<?xf32> to memref<?xf32>
    gpu.dealloc %b : memref<?xf32>
  }
  gpu.dealloc %a : memref<?xf32>
  return
}

// -----

// Left alone: what is in a loop with an end that is not known, or in a branch of
// which that is not known, what may be seen elsewhere, and one buffer only.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: memref.view
// CHECK: return
func.func private @use(!llvm.ptr)
func.func @left_alone(%n: index, %x: memref<?xf32>, %flag: memref<i1>, %buffers: memref<memref<?xf32>>) {
  %only = gpu.alloc (%n) : memref<?xf32>
  memref.copy %x, %only : memref<?xf32> to memref<?xf32>
  %p = memref.load %flag[] : memref<i1>
  scf.if %p {
    %a = gpu.alloc (%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    gpu.dealloc %a : memref<?xf32>
  }
  scf.while : () -> () {
    %q = memref.load %flag[] : memref<i1>
    scf.condition(%q)
  } do {
    %b = gpu.alloc (%n) : memref<?xf32>
    memref.copy %x, %b : memref<?xf32> to memref<?xf32>
    gpu.dealloc %b : memref<?xf32>
    scf.yield
  }
  %c = gpu.alloc (%n) : memref<?xf32>
  %address = memref.extract_aligned_pointer_as_index %c : memref<?xf32> -> index
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  func.call @use(%pointer) : (!llvm.ptr) -> ()
  %d = gpu.alloc (%n) : memref<?xf32>
  memref.store %d, %buffers[] : memref<memref<?xf32>>
  gpu.dealloc %c : memref<?xf32>
  gpu.dealloc %d : memref<?xf32>
  gpu.dealloc %only : memref<?xf32>
  return
}
