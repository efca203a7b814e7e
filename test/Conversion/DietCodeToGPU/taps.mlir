// RUN: dietcode-opt %s --convert-dietcode-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// The image of a convolution with channels before pixels is loaded by a table of
// taps: k is divided where the table is filled in, and single loads, which are
// predicated, read what it adds.

#filter = affine_map<(i, f, y, x, c, fy, fx) -> (f, c, fy, fx)>
#image = affine_map<(i, f, y, x, c, fy, fx) -> (i, c, y + fy - 1, x + fx - 1)>
#result = affine_map<(i, f, y, x, c, fy, fx) -> (i, f, y, x)>
!t = memref<?x?x?x?xf32>
!w = memref<?x?x3x3xf32>

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @kernel #dietcode.schedule<block = [32, 64, 8], thread = [8, 8]>
  dietcode.dispatch @only on () {
    case -> @kernel
    otherwise -> @kernel
  }
  // CHECK-LABEL: gpu.func @contract_kernel_aligned
  // A tile of 32 x 8 and one of 64 x 8, with rows of 36 and 68 words.
  // CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<1664xf32, #gpu.address_space<workgroup>>
  // The tables of the first two tiles; the first one is read behind a barrier.
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "@$3 st.shared.v2.b64 [$0], {$1, $2};", "l,l,l,b,~{memory}"
  // CHECK: gpu.barrier
  // CHECK: vector.load %[[SHARED]]
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0"
  // CHECK: llvm.inline_asm {{.*}} st.shared
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK-NOT: arith.div
  // CHECK: llvm.inline_asm {{.*}} ld.global
  // CHECK-NOT: arith.div
  // CHECK: } else
  // CHECK: arith.divui
  // CHECK: llvm.inline_asm {{.*}} st.shared
  // CHECK: llvm.intr.fma
  func.func @channels_first(%w: !w, %x: !t, %y: !t) {
    dietcode.contract dispatch(@only) ins(%w, %x : !w, !t) outs(%y : !t) maps [#filter, #image, #result]
    return
  }
}

// -----

// With channels last, vectors along k are predicated.

#filter = affine_map<(i, y, x, f, fy, fx, c) -> (fy, fx, c, f)>
#image = affine_map<(i, y, x, f, fy, fx, c) -> (i, y + fy - 1, x + fx - 1, c)>
#result = affine_map<(i, y, x, f, fy, fx, c) -> (i, y, x, f)>
!t = memref<?x?x?x64xf32>
!w = memref<3x3x64x64xf32>

module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @kernel #dietcode.schedule<block = [32, 64, 8], thread = [8, 8]>
  dietcode.dispatch @only on () {
    case -> @kernel
    otherwise -> @kernel
  }
  // CHECK-LABEL: gpu.func @contract_kernel_aligned
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: llvm.intr.fma
  func.func @channels_last(%x: !t, %w: !w, %y: !t) {
    dietcode.contract dispatch(@only) ins(%x, %w : !t, !w) outs(%y : !t) maps [#image, #filter, #result]
    return
  }
}
