// RUN: dietcode-opt %s --dietcode-allocate-on-device --split-input-file | FileCheck %s

// Kernels and host reach the buffer; it is freed at the end of its block.
// CHECK-LABEL: func.func @temporary
// CHECK: %[[T:.*]] = gpu.alloc host_shared (%{{.*}}) : memref<?x4xf32>
// CHECK: dietcode.matmul {{.*}} outs(%[[T]]
// CHECK: memref.copy %[[T]]
// CHECK-NEXT: %[[START:.*]] = gpu.wait async
// CHECK-NEXT: %[[FREED:.*]] = gpu.dealloc async [%[[START]]] %[[T]]
// CHECK-NEXT: gpu.wait [%[[FREED]]]
// CHECK-NEXT: return
func.func @temporary(%a: memref<?x4xf32>, %b: memref<4x4xf32>, %c: memref<?x4xf32>, %n: index) {
  %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  dietcode.matmul ins(%a, %b : memref<?x4xf32>, memref<4x4xf32>) outs(%0 : memref<?x4xf32>)
  memref.copy %0, %c : memref<?x4xf32> to memref<?x4xf32>
  return
}

// The caller frees what is returned, also through a view.
// CHECK-LABEL: func.func @returned
// CHECK: gpu.alloc host_shared
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @returned(%a: memref<4x4xf32>) -> memref<?x4xf32> {
  %0 = memref.alloc() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  %1 = memref.cast %0 : memref<4x4xf32> to memref<?x4xf32>
  return %1 : memref<?x4xf32>
}

// It may be returned.
// CHECK-LABEL: func.func @selected
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @selected(%a: memref<4x4xf32>, %p: i1) -> memref<4x4xf32> {
  %0 = memref.alloc() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  %1 = arith.select %p, %a, %0 : memref<4x4xf32>
  return %1 : memref<4x4xf32>
}

// Each iteration frees its own buffer.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: %[[T:.*]] = gpu.alloc host_shared
// CHECK: memref.copy
// CHECK-NEXT: gpu.wait async
// CHECK-NEXT: gpu.dealloc async {{.*}} %[[T]]
// CHECK-NEXT: gpu.wait
// CHECK-NEXT: }
func.func @loop(%a: memref<4x4xf32>, %c: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    memref.copy %0, %c : memref<4x4xf32> to memref<4x4xf32>
  }
  return
}

// What an iteration allocates for the next one is freed there; the first one
// has what the loop starts with. The result is the caller's.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for %[[I:.*]] = %[[LOWER:.*]] to %{{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK: dietcode.matmul
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %[[LOWER]]
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK: gpu.dealloc async {{.*}} %[[X]]
// CHECK: scf.yield
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @carried(%a: memref<4x4xf32>, %n: index) -> memref<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> memref<4x4xf32> {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    scf.yield %0 : memref<4x4xf32>
  }
  return %r : memref<4x4xf32>
}

// The last one is freed if there was an iteration.
// CHECK-LABEL: func.func @carried_to_the_end
// CHECK-SAME: %[[N:[^ ]*]]: index
// CHECK: %[[R:.*]] = scf.for
// CHECK: memref.copy %[[R]]
// CHECK-NEXT: %[[RAN:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK-NEXT: scf.if %[[RAN]] {
// CHECK: gpu.dealloc async {{.*}} %[[R]]
func.func @carried_to_the_end(%a: memref<4x4xf32>, %c: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> memref<4x4xf32> {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    scf.yield %0 : memref<4x4xf32>
  }
  memref.copy %r, %c : memref<4x4xf32> to memref<4x4xf32>
  return
}

// What the loop starts with is not the result if there was an iteration.
// CHECK-LABEL: func.func @carried_from_own
// CHECK-SAME: %[[N:[^ ]*]]: index
// CHECK: %[[START:.*]] = gpu.alloc
// CHECK: scf.for
// CHECK: gpu.dealloc
// CHECK: }
// CHECK: }
// CHECK-NEXT: %[[RAN:.*]] = arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK-NEXT: scf.if %[[RAN]] {
// CHECK: gpu.dealloc async {{.*}} %[[START]]
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @carried_from_own(%a: memref<4x4xf32>, %n: index) -> memref<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = memref.alloc() : memref<4x4xf32>
  memref.copy %a, %start : memref<4x4xf32> to memref<4x4xf32>
  %r = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%x = %start) -> memref<4x4xf32> {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    scf.yield %0 : memref<4x4xf32>
  }
  return %r : memref<4x4xf32>
}

// Carried on for another iteration.
// CHECK-LABEL: func.func @carried_twice
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @carried_twice(%a: memref<4x4xf32>, %n: index) -> memref<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (memref<4x4xf32>, memref<4x4xf32>) {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%x, %y : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    scf.yield %0, %x : memref<4x4xf32>, memref<4x4xf32>
  }
  return %r#1 : memref<4x4xf32>
}

// The callee may give back what it gets, to be carried on.
// CHECK-LABEL: func.func @carried_through_call
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @carried_through_call(%a: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (memref<4x4xf32>, memref<4x4xf32>) {
    %0 = memref.alloc() : memref<4x4xf32>
    dietcode.matmul ins(%x, %y : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
    %1 = func.call @maybe_same(%0) : (memref<4x4xf32>) -> memref<4x4xf32>
    scf.yield %0, %1 : memref<4x4xf32>, memref<4x4xf32>
  }
  return
}

// Used in a block that is not the one that allocates.
// CHECK-LABEL: func.func @other_block
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @other_block(%a: memref<4x4xf32>, %p: i1) {
  %0 = memref.alloc() : memref<4x4xf32>
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  cf.br ^bb2
^bb2:
  memref.copy %0, %a : memref<4x4xf32> to memref<4x4xf32>
  return
}

// A function that gives a buffer may give the one that it got.
// CHECK-LABEL: func.func @call
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func private @maybe_same(memref<4x4xf32>) -> memref<4x4xf32>
func.func @call(%a: memref<4x4xf32>) {
  %0 = memref.alloc() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  %1 = func.call @maybe_same(%0) : (memref<4x4xf32>) -> memref<4x4xf32>
  return
}

// One that gives none only borrows it.
// CHECK-LABEL: func.func @borrow
// CHECK: call @use
// CHECK-NEXT: gpu.wait async
// CHECK-NEXT: gpu.dealloc async
func.func private @use(memref<4x4xf32>)
func.func @borrow(%a: memref<4x4xf32>) {
  %0 = memref.alloc() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  func.call @use(%0) : (memref<4x4xf32>) -> ()
  return
}

// -----

// A module that frees by hand does so for all of its buffers.
// CHECK-LABEL: func.func @by_hand
// CHECK: %[[T:.*]] = gpu.alloc host_shared
// CHECK: gpu.dealloc async {{.*}} %[[T]]
// CHECK: dietcode.matmul
// CHECK-NOT: gpu.dealloc
// CHECK: return
func.func @by_hand(%a: memref<4x4xf32>) -> memref<4x4xf32> {
  %0 = memref.alloc() : memref<4x4xf32>
  memref.dealloc %0 : memref<4x4xf32>
  %1 = memref.alloc() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%1 : memref<4x4xf32>)
  return %1 : memref<4x4xf32>
}

// -----

// Without a kernel, buffers are the host's.
// CHECK-LABEL: func.func @host_only
// CHECK: %[[T:.*]] = memref.alloc
// CHECK: memref.dealloc %[[T]]
// CHECK-NOT: gpu.
func.func @host_only(%a: memref<4x4xf32>) {
  %0 = memref.alloc() : memref<4x4xf32>
  memref.copy %a, %0 : memref<4x4xf32> to memref<4x4xf32>
  memref.copy %0, %a : memref<4x4xf32> to memref<4x4xf32>
  return
}

// -----

// Kernels do not reach constants, which are copied for them.
// CHECK-LABEL: func.func @constant
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: %[[COPY:.*]] = gpu.alloc host_shared () : memref<4x4xf32>
// CHECK: memref.copy %[[W]], %[[COPY]]
// CHECK: dietcode.matmul ins(%{{.*}}, %[[COPY]] :
// CHECK: gpu.dealloc async {{.*}} %[[COPY]]
memref.global "private" constant @w : memref<4x4xf32> = dense<2.0>
func.func @constant(%a: memref<?x4xf32>, %c: memref<?x4xf32>) {
  %w = memref.get_global @w : memref<4x4xf32>
  dietcode.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// Host code does.
// CHECK-LABEL: func.func @constant_on_host
// CHECK-NOT: alloc
// CHECK: return
func.func @constant_on_host(%i: index) -> f32 {
  %w = memref.get_global @w : memref<4x4xf32>
  %0 = memref.load %w[%i, %i] : memref<4x4xf32>
  return %0 : f32
}

// Host code may use a variable, and so may a kernel if it is made to.
// CHECK-LABEL: func.func @variable
// CHECK-NOT: alloc
// CHECK: return
memref.global "private" @v : memref<4x4xf32> = dense<2.0>
func.func @variable(%a: memref<?x4xf32>, %c: memref<?x4xf32>, %i: index, %x: f32) {
  %v = memref.get_global @v : memref<4x4xf32>
  memref.store %x, %v[%i, %i] : memref<4x4xf32>
  %registered = memref.get_global @v : memref<4x4xf32>
  %cast = memref.cast %registered : memref<4x4xf32> to memref<*xf32>
  gpu.host_register %cast : memref<*xf32>
  dietcode.matmul ins(%a, %registered : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func.func @stack
// CHECK: %[[T:.*]] = gpu.alloc host_shared () : memref<4x4xf32>
// CHECK: dietcode.matmul {{.*}} outs(%[[T]]
// CHECK: gpu.dealloc async {{.*}} %[[T]]
func.func @stack(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  %0 = memref.alloca() : memref<4x4xf32>
  dietcode.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  memref.copy %0, %c : memref<4x4xf32> to memref<4x4xf32>
  return
}

// -----

// A buffer that is returned is the caller's to free, which no constant is.
// CHECK-LABEL: func.func @returned_constant
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: return %[[COPY]]
memref.global "private" constant @w : memref<4x4xf32> = dense<2.0>
func.func @returned_constant() -> memref<4x4xf32> {
  %w = memref.get_global @w : memref<4x4xf32>
  return %w : memref<4x4xf32>
}
