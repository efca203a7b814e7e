// RUN: dietcode-opt %s --dietcode-to-llvm --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: dietcode-opt %s --dietcode-select="chip=sm_80 max-kernels=3 max-regret=0.5" --dietcode-lower-to-llvm="ptx-version=75 format=cubin opt-level=1" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=OPTIONS

// The passes in the order in which they run.
// CHECK: builtin.module(
// CHECK-NEXT: dietcode-attach-device{chip= device=},
// CHECK-NEXT: int-range-optimizations,
// CHECK-NEXT: canonicalize{{.*}},
// CHECK-NEXT: cse,
// CHECK-NEXT: convert-elementwise-to-linalg,
// CHECK-NEXT: convert-linalg-to-dietcode,
// CHECK-NEXT: convert-linalg-to-rowwise,
// CHECK-NEXT: dietcode-fuse-rowwise,
// CHECK-NEXT: dietcode-bind-shapes{default-lower=1 default-upper=4096},
// CHECK-NEXT: dietcode-select-micro-kernels{max-kernels=8 max-regret=-1{{.*}}},
// CHECK-NEXT: dietcode-insert-shape-checks{report-misses=false},
// CHECK-NEXT: convert-elementwise-to-linalg
// CHECK-NEXT: one-shot-bufferize{
// CHECK: dietcode-allocate-on-device,
// CHECK-NEXT: convert-dietcode-to-gpu,
// CHECK-NEXT: func.func(
// CHECK-NEXT: canonicalize{{.*}},
// CHECK-NEXT: cse,
// CHECK-NEXT: dietcode-plan-memory
// CHECK-NEXT: ),
// CHECK-NEXT: convert-dietcode-dispatch-to-scf,
// CHECK-NEXT: dietcode-check-generated,
// CHECK-NEXT: gpu.module(
// CHECK-NEXT: dietcode-expand-math,
// CHECK: convert-gpu-to-nvvm{
// CHECK: dietcode-lower-assertions,
// CHECK-NEXT: func.func(
// CHECK: dietcode-attach-nvvm-target{ opt-level=2 ptx-version=0},
// CHECK-NEXT: gpu-to-llvm{
// CHECK-NEXT: gpu-module-to-binary{format=isa{{.*}}},
// CHECK-NEXT: dietcode-drop-compile-times,
// CHECK: reconcile-unrealized-casts,
// CHECK-NEXT: dietcode-check-lowered{{$}}

// Buffers may keep allocations of their own.
// RUN: dietcode-opt %s --dietcode-generate-kernels=plan-memory=false --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=SEPARATE
// SEPARATE: convert-dietcode-to-gpu,
// SEPARATE-NEXT: convert-dietcode-dispatch-to-scf

// Each with what it was asked for.
// OPTIONS: dietcode-attach-device{chip=sm_80 device=},
// OPTIONS: dietcode-select-micro-kernels{max-kernels=3 max-regret=5{{.*}}}
// OPTIONS: dietcode-attach-nvvm-target{ opt-level=1 ptx-version=75},
// OPTIONS: gpu-module-to-binary{format=bin
module {
}
