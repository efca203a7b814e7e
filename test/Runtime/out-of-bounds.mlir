// An error in a kernel's indexing ends in one message that says where, and in a
// status of its own.
//
// RUN: mlir-opt %s \
// RUN:   --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_75 cubin-features=+ptx75 cubin-format=isa" \
// RUN:   -o %t.mlir
// RUN: not mlir-runner %t.mlir --entry-point-result=void \
// RUN:   --shared-libs=%dietcode_runtime,%mlir_runner_utils 2>&1 \
// RUN: | FileCheck %s

// CHECK: error: module0.ptx:{{[0-9]+}}: kernel 'main_kernel': out-of-bounds
// CHECK-SAME: global load of 4 bytes at address 0x{{[0-9a-f]+}}, 0 bytes past the
// CHECK-SAME: end of host memory 'host memory #1' of 256 bytes; block (1, 0, 0),
// CHECK-SAME: thread (0, 0, 0), in 'ld.global.b32

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    memref.store %x, %a[%i] : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
  }
  %ua = memref.cast %a : memref<64xf32> to memref<*xf32>
  %ub = memref.cast %b : memref<64xf32> to memref<*xf32>
  gpu.host_register %ua : memref<*xf32>
  gpu.host_register %ub : memref<*xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %first = arith.muli %bx, %c64 : index
    %i = arith.addi %first, %tx : index
    %x = memref.load %a[%i] : memref<64xf32>
    %y = memref.load %b[%i] : memref<64xf32>
    %sum = arith.addf %x, %y : f32
    memref.store %sum, %b[%i] : memref<64xf32>
    gpu.terminator
  }
  gpu.host_unregister %ua : memref<*xf32>
  gpu.host_unregister %ub : memref<*xf32>
  call @printMemrefF32(%ub) : (memref<*xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

func.func private @printMemrefF32(memref<*xf32>)
