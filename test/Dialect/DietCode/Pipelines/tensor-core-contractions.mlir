// RUN: dietcode-opt %s --dietcode-to-llvm=max-kernels=1 | %extract_ptx > %t.ptx
// RUN: FileCheck %s --implicit-check-not=wmma --implicit-check-not=fma.rn < %t.ptx

// Batches of products and convolutions of halves and of bytes are matrix
// instructions on matrices that ldmatrix loads, as single products are. Memory is
// read in whole chunks where it is aligned.

// A is contiguous along k, B along n.
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma_mnm_aligned{{(_[0-9]+)?}}(
// CHECK:       ld.global.v4
// CHECK:       st.shared.v4
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma_mnm_general{{(_[0-9]+)?}}(
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
func.func @batch_half(%a: memref<8x256x128xf16>, %b: memref<8x128x256xf16>, %c: memref<8x256x256xf16>) {
  linalg.batch_matmul ins(%a, %b : memref<8x256x128xf16>, memref<8x128x256xf16>) outs(%c : memref<8x256x256xf16>)
  return
}

// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma_mnm_aligned{{(_[0-9]+)?}}(
// CHECK:       ld.global.v4
// CHECK:       st.shared.v4
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma_mnm_general{{(_[0-9]+)?}}(
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
func.func @conv_half(%x: memref<4x30x30x64xf16>, %w: memref<3x3x64x128xf16>, %y: memref<4x28x28x128xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<4x30x30x64xf16>, memref<3x3x64x128xf16>) outs(%y : memref<4x28x28x128xf32>)
  return
}

// Bytes always lie along k.
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma8_mnm_aligned{{(_[0-9]+)?}}(
// CHECK-NOT:   ldmatrix{{.*}}trans
// CHECK:       ld.global.v4
// CHECK:       st.shared.v4
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma8_mnm_general{{(_[0-9]+)?}}(
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
func.func @batch_bytes(%a: memref<8x256x128xi8>, %b: memref<8x256x128xi8>, %c: memref<8x256x256xi32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : memref<8x256x128xi8>, memref<8x256x128xi8>) outs(%c : memref<8x256x256xi32>)
  return
}

// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma8_mnm_aligned{{(_[0-9]+)?}}(
// CHECK-NOT:   ldmatrix{{.*}}trans
// CHECK:       ld.global.v4
// CHECK:       st.shared.v4
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
// CHECK-LABEL: .visible .entry contract_warp_{{[^(]*}}_mma8_mnm_general{{(_[0-9]+)?}}(
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
func.func @conv_bytes(%x: memref<4x30x30x64xi8>, %w: memref<128x3x3x64xi8>, %y: memref<4x28x28x128xi32>) {
  linalg.conv_2d_nhwc_fhwc ins(%x, %w : memref<4x30x30x64xi8>, memref<128x3x3x64xi8>) outs(%y : memref<4x28x28x128xi32>)
  return
}
