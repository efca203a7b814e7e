// Compiled by clang-22 -std=gnu23 --target=nvptx64-nvidia-cuda -march=sm_75 -O2
//   -S hgemm.c -o hgemm-clang.ptx
typedef unsigned u32;
#define SHARED __attribute__((address_space(3)))
SHARED _Float16 sa[64 * 24], sb[16 * 72];
__attribute__((nvptx_kernel)) void hgemm(float *c, const u32 *a, const u32 *b,
                                         int m, int n, int k) {
  int t = __nvvm_read_ptx_sreg_tid_x(), lane = t & 31, w = t >> 5;
  int bm = __nvvm_read_ptx_sreg_ctaid_y() * 64,
      bn = __nvvm_read_ptx_sreg_ctaid_x() * 64;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    SHARED u32 *wa = (SHARED u32 *)sa, *wb = (SHARED u32 *)sb;
    for (int i = t; i < 512; i += 128) {
      wa[i / 8 * 12 + i % 8] = a[((bm + i / 8) * k + k0) / 2 + i % 8];
      wb[i / 32 * 36 + i % 32] = b[((k0 + i / 32) * n + bn) / 2 + i % 32];
    }
    __syncthreads();
    u32 fa[4];
    u32 pa =
        (u32)(unsigned long)(SHARED char *)(sa + (w * 16 + lane % 16) * 24 +
                                            lane / 16 * 8);
    __asm__ volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
        : "r"(pa)
        : "memory");
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      u32 b0, b1,
          pb = (u32)(unsigned long)(SHARED char *)(sb + (lane % 16) * 72 +
                                                   j * 8);
      __asm__ volatile(
          "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
          : "=r"(b0), "=r"(b1)
          : "r"(pb)
          : "memory");
      __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                       "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]),
                         "+f"(acc[j][3])
                       : "r"(fa[0]), "r"(fa[1]), "r"(b0));
      __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                       "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]),
                         "+f"(acc[j][3])
                       : "r"(fa[2]), "r"(fa[3]), "r"(b1));
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      c[(bm + w * 16 + lane / 4 + e / 2 * 8) * n + bn + j * 8 + lane % 4 * 2 +
        e % 2] = acc[j][e];
}
