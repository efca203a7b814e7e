// Compiled by nvcc -std=c++17 -arch=sm_75 -ptx kernels.cu -o kernels-nvcc.ptx
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void wmma_gemm(float *c, const half *a, const half *b,
                                     int m, int n, int k) {
  __shared__ half sa[32 * 16], sb[16 * 32];
  int warp = threadIdx.x / 32, wm = warp / 2, wn = warp % 2;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = threadIdx.x; i < 512; i += 128) {
      sa[i] = a[(blockIdx.y * 32 + i / 16) * k + k0 + i % 16];
      sb[i] = b[(k0 + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, sa + wm * 256, 16);
    wmma::load_matrix_sync(fb, sb + wn * 16, 32);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncthreads();
  }
  for (int i = 0; i < acc.num_elements; ++i)
    acc.x[i] *= 2;
  wmma::store_matrix_sync(c + (blockIdx.y * 32 + wm * 16) * n +
                              blockIdx.x * 32 + wn * 16,
                          acc, n, wmma::mem_row_major);
}

extern "C" __global__ void half2_ops(half2 *out, const half2 *in) {
  int t = threadIdx.x;
  half2 x = in[t], y = in[t + 64];
  half2 z = __hfma2(x, y, __hadd2(x, y));
  z = __hmul2_sat(z, x);
  if (__hbgt2(x, y))
    z = __hsub2(z, __low2half2(x));
  z = __hmax2(z, __hneg2(y));
  z = __hmin2(z, __habs2(x));
  z = __hadd2(z, __hlt2(x, y));
  if (__hisnan(__high2half(z)))
    z = __float2half2_rn(0.25f);
  out[t] = z;
  out[t + 64] = h2rint(__hmul2(z, __float2half2_rn(1.5f)));
  out[t + 128] =
      __halves2half2(hsqrt(__habs(__low2half(x))), hexp2(__high2half(y)));
  out[t + 192] =
      __floats2half2_rn(__half22float2(z).y + 0.1f, __int2half_rn(t));
}

extern "C" __global__ void coop(unsigned *out, const unsigned *in) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(tile);
  unsigned v = in[block.thread_rank()];
  unsigned sum = cg::reduce(tile, v, cg::plus<unsigned>());
  unsigned mx = cg::reduce(quad, v, cg::greater<unsigned>());
  unsigned x = tile.shfl_xor(v, 3), b = tile.ballot(v & 1),
           any = tile.any(v > 1000), all = tile.all(v < 5000);
  unsigned ma = tile.match_any(v % 3),
           ml = __match_all_sync(~0u, v % 1, (int *)&x);
  auto active = cg::coalesced_threads();
  if (v % 3 == 0) {
    auto g = cg::coalesced_threads();
    sum += g.num_threads() * 100 + g.thread_rank();
  }
  int c = __syncthreads_count(v & 1), o = __syncthreads_or(v == 77),
      an = __syncthreads_and(v < 5000);
  block.sync();
  out[block.thread_rank()] = sum + mx * 7 + x * 11 + b + any * 2 + all * 3 +
                             ma + ml + active.size() + c * 5 + o * 13 + an * 17;
}

extern "C" __global__ void atomics(unsigned *out, const unsigned *in) {
  __shared__ unsigned hist[16];
  __shared__ half2 hs;
  if (threadIdx.x < 16)
    hist[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    hs = __float2half2_rn(0);
  __syncthreads();
  unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&hist[v & 15], 1u);
  atomicAdd(&hs, __float2half2_rn(1.0f));
  atomicMax(out + 16, v);
  atomicMin((int *)out + 17, (int)v);
  atomicXor(out + 18, v);
  atomicInc(out + 19, 6);
  atomicAdd((unsigned long long *)(out + 20), (unsigned long long)v << 20);
  atomicCAS((unsigned short *)(out + 22), (unsigned short)0, (unsigned short)9);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(out[23]);
  r.fetch_add(2, cuda::memory_order_acq_rel);
  __threadfence();
  atomicAdd((float *)out + 24, 0.5f);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(out + threadIdx.x, hist[threadIdx.x]);
  if (threadIdx.x == 0)
    atomicAdd(out + 25, (unsigned)__low2float(hs));
}

extern "C" __global__ void ints(unsigned *out, const unsigned *in) {
  unsigned t = threadIdx.x, a = in[t], b = in[t + 1], c = in[t + 2];
  unsigned long long w = (unsigned long long)a * b + c, d = w / (c | 1),
                     e = w % (b | 1);
  int s = (int)a / (int)(b | 1) + (int)a % (int)(c | 1);
  unsigned r = __popc(a) + __clz(b) + __ffs(c) + __brev(a) +
               __byte_perm(a, b, c & 0x7777) + __funnelshift_l(a, b, c) +
               __funnelshift_rc(a, b, c);
  r += __umulhi(a, b) + (unsigned)__mulhi((int)a, (int)b) +
       (unsigned)__umul64hi(w, d | 1) + __sad((int)a, (int)b, c) +
       __usad(a, b, c) + __uhadd(a, b) + __rhadd((int)a, (int)b);
  r += __dp4a(a, b, c) + (unsigned)__dp4a((int)a, (int)b, (int)c) +
       __dp2a_lo(a, b, c) + __umul24(a, b) + (unsigned)__mul24((int)a, (int)b);
  r += __vadd4(a, b) + __vmaxs2(a, b) + __vcmpgtu4(a, b) + __vsetltu2(a, b);
  unsigned __int128 q = (unsigned __int128)w * d + e;
  r += (unsigned)(q >> 64) + (unsigned)(q >> 96);
  out[t] = r + (unsigned)d + (unsigned)e + (unsigned)(d >> 32) + (unsigned)s +
           (unsigned)__ll2float_rn(w);
}

extern "C" __global__ void maths(float *out, const float *in) {
  int t = threadIdx.x;
  float x = in[t], y = in[t + 1];
  float r = sinf(x * 1e6f) + cosf(y) + expf(y) + logf(fabsf(x) + 1) +
            powf(fabsf(x), y) + sqrtf(fabsf(x)) + tanhf(x) + fmodf(x, 3.f) +
            floorf(x) + rintf(y) + __expf(x) + __fdividef(x, y + 9);
  double d = exp((double)y) + sqrt((double)(x * x)) + (double)x / 3;
  out[t] = r + (float)d;
}
