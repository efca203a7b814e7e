// RUN: dietcode-opt %s --dietcode-lower-assertions --split-input-file | FileCheck %s

// The message says where; equal messages of several places are different ones.
// CHECK: llvm.func @dietcodeAssertionFailed(!llvm.ptr)
// CHECK: @dietcode_assertion_0("{{.*}}lower-assertions.mlir:[[#@LINE+11]]:3: assertion failed: sizes differ\00")
// CHECK: @dietcode_assertion("{{.*}}lower-assertions.mlir:[[#@LINE+9]]:3: assertion failed: sizes differ\00")
// CHECK-LABEL: func.func @twice
// CHECK-SAME: (%[[A:.+]]: i1, %[[B:.+]]: i1)
// CHECK: %[[FAILS:.+]] = arith.xori %[[A]], %{{.+}} : i1
// CHECK: scf.if %[[FAILS]] {
// CHECK: %[[MESSAGE:.+]] = llvm.mlir.addressof @dietcode_assertion : !llvm.ptr
// CHECK: llvm.call @dietcodeAssertionFailed(%[[MESSAGE]])
// CHECK: llvm.mlir.addressof @dietcode_assertion_0 : !llvm.ptr
func.func @twice(%a: i1, %b: i1) {
  cf.assert %a, "sizes differ"
  cf.assert %b, "sizes differ"
  return
}

// -----

// Assertions of kernels are the matter of whoever lowers kernels, and a module
// without any gets nothing.
// CHECK: // -----
// CHECK-NOT: dietcodeAssertionFailed
// CHECK: gpu.func @kernel
// CHECK: cf.assert
gpu.module @kernels {
  gpu.func @kernel(%a: i1) kernel {
    cf.assert %a, "in a kernel"
    gpu.return
  }
}

// -----

// In the body of a loop of linalg, and where blocks follow each other.
// CHECK-LABEL: func.func @nested
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK-NEXT: llvm.mlir.addressof
// CHECK-NEXT: llvm.call @dietcodeAssertionFailed
// CHECK: ^bb1:
// CHECK: scf.if
// CHECK-NOT: cf.assert
func.func @nested(%x: memref<?xi32>, %y: memref<?xi32>, %c: i1) {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xi32>) outs(%y : memref<?xi32>) {
  ^bb0(%in: i32, %out: i32):
    %ok = arith.cmpi sge, %in, %zero : i32
    cf.assert %ok, "must not be negative"
    linalg.yield %in : i32
  }
  cf.cond_br %c, ^then, ^end
^then:
  cf.assert %c, "holds"
  cf.br ^end
^end:
  return
}
