// RUN: dietcode-opt %s --dietcode-to-llvm | %extract_ptx > %t.ptx
// RUN: FileCheck %s --implicit-check-not=wmma < %t.ptx
// RUN: dietcode-opt %s --dietcode-select | FileCheck %s --check-prefix=SELECT

// What has an instruction of tensor cores gets it by the device table alone, and
// what has none does not.

// SELECT-DAG: dietcode.micro_kernel @warp_{{.*}}_mma{{.*}} #dietcode.schedule<{{.*}} instruction = mma_f16>
// SELECT-DAG: dietcode.micro_kernel @warp_{{.*}}_mma16{{.*}} #dietcode.schedule<{{.*}} instruction = mma_f16_f16>
// SELECT-DAG: dietcode.micro_kernel @warp_{{.*}}_mma8{{.*}} #dietcode.schedule<{{.*}} instruction = mma_i8>

func.func @single(%a: memref<1024x768xf32>, %b: memref<768x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x768xf32>, memref<768x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}
// A is contiguous along k, B along n: the one is read as it lies, the other
// transposed.
func.func @half(%a: memref<1024x768xf16>, %b: memref<768x1024xf16>, %c: memref<1024x1024xf16>) {
  dietcode.matmul ins(%a, %b : memref<1024x768xf16>, memref<768x1024xf16>) outs(%c : memref<1024x1024xf16>)
  return
}
func.func @half_sums(%a: memref<1024x768xf16>, %b: memref<768x1024xf16>, %c: memref<1024x1024xf16>) {
  dietcode.matmul sums(f16) ins(%a, %b : memref<1024x768xf16>, memref<768x1024xf16>) outs(%c : memref<1024x1024xf16>)
  return
}
func.func @bytes(%a: memref<1024x768xi8>, %b: memref<768x1024xi8>, %c: memref<1024x1024xi32>) {
  dietcode.matmul ins(%a, %b : memref<1024x768xi8>, memref<768x1024xi8>) outs(%c : memref<1024x1024xi32>)
  return
}

// CHECK-LABEL: .visible .entry matmul_simt_
// CHECK-NOT:   {{mma.sync|ldmatrix}}
// CHECK:       fma.rn.f32

// CHECK-LABEL: .visible .entry matmul_warp_{{[^(]*}}_mma_{{[^(]*}}aligned(
// CHECK-NOT:   fma.rn
// CHECK:       st.shared.v4
// CHECK:       bar.sync
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:       ld.global.v4
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// Loads of the next fragments come one at a time, among products.
// CHECK:       ldmatrix.sync
// CHECK-NOT:   ldmatrix.sync
// CHECK:       mma.sync
// CHECK:       cvt.rn.f16

// CHECK-LABEL: .visible .entry matmul_warp_{{[^(]*}}_mma16_{{[^(]*}}aligned(
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
// CHECK-NOT:   .f32

// CHECK-LABEL: .visible .entry matmul_warp_{{[^(]*}}_mma8_{{[^(]*}}aligned(
// CHECK:       mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
