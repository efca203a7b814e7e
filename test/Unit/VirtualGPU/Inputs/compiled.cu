// Kernels of the kinds that people write, for CompiledKernelTest.cpp.
// compiled-nvcc.ptx:  nvcc -std=c++17 -O3 -arch=sm_75 -ptx compiled.cu
// compiled-clang.ptx: clang 22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75
//                     -Wno-unknown-cuda-version -O3 -S compiled.cu
// No header of CUDA's is included: halves are bits.

typedef unsigned u32;

// Tiles of 16 x 16, one output a thread, any sizes. C = A B, all row-major.
extern "C" __global__ void sgemm_tiled(float *c, const float *a, const float *b,
                                       int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    as[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
    bs[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

// 64 x 64 x 16 a block of 256 threads, 4 x 4 a thread, 16-byte accesses; the
// sizes are multiples of the tile's.
extern "C" __global__ void __launch_bounds__(256)
    sgemm_blocked(float *c, const float *a, const float *b, int m, int n,
                  int k) {
  __shared__ __align__(16) float as[16][68];
  __shared__ __align__(16) float bs[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    float4 x = *(const float4 *)&a[(row + t / 4) * k + k0 + t % 4 * 4];
    as[t % 4 * 4][t / 4] = x.x;
    as[t % 4 * 4 + 1][t / 4] = x.y;
    as[t % 4 * 4 + 2][t / 4] = x.z;
    as[t % 4 * 4 + 3][t / 4] = x.w;
    *(float4 *)&bs[ty][tx * 4] =
        *(const float4 *)&b[(k0 + ty) * n + col + tx * 4];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float4 y = *(float4 *)&as[i][ty * 4], z = *(float4 *)&bs[i][tx * 4];
      float ys[4] = {y.x, y.y, y.z, y.w}, zs[4] = {z.x, z.y, z.z, z.w};
#pragma unroll
      for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q)
          sums[p][q] += ys[p] * zs[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p)
    *(float4 *)&c[(row + ty * 4 + p) * n + col + tx * 4] =
        make_float4(sums[p][0], sums[p][1], sums[p][2], sums[p][3]);
}

__device__ void multiply(float (&c)[4], const u32 *a, u32 b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
__device__ void multiply(u32 (&c)[2], const u32 *a, u32 b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
               "{%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
// Two neighbours of row `at` / n, then of the row 8 below.
__device__ void store(void *c, int at, int n, const float (&sum)[4]) {
  for (int e = 0; e < 4; ++e)
    ((float *)c)[at + e / 2 * 8 * n + e % 2] = sum[e];
}
__device__ void store(void *c, int at, int n, const u32 (&sum)[2]) {
  for (int e = 0; e < 2; ++e)
    ((u32 *)c)[(at + e * 8 * n) / 2] = sum[e];
}
__device__ u32 sharedAddress(const void *p) {
  return (u32)__cvta_generic_to_shared(p);
}

// 64 x 64 x 16 of halves a block of four warps, 16 rows each.
template <typename T, int N>
__device__ void hgemm(void *c, const u32 *a, const u32 *b, int n, int k) {
  __shared__ __align__(16) unsigned short sa[64 * 24], sb[16 * 72];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  T sums[8][N] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = t; i < 512; i += 128) {
      ((u32 *)sa)[i / 8 * 12 + i % 8] = a[((row + i / 8) * k + k0) / 2 + i % 8];
      ((u32 *)sb)[i / 32 * 36 + i % 32] =
          b[((k0 + i / 32) * n + col) / 2 + i % 32];
    }
    __syncthreads();
    u32 fa[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(sharedAddress(sa + (warp * 16 + lane % 16) * 24 +
                                     lane / 16 * 8))
                 : "memory");
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      u32 b0, b1;
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
          : "=r"(b0), "=r"(b1)
          : "r"(sharedAddress(sb + lane % 16 * 72 + j * 8))
          : "memory");
      multiply(sums[j], fa, b0);
      multiply(sums[j], fa + 2, b1);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
    store(c,
          (row + warp * 16 + lane / 4) * n + col + j * 8 + lane % 4 * 2, n,
          sums[j]);
}
extern "C" __global__ void hgemm_f32(float *c, const u32 *a, const u32 *b,
                                     int m, int n, int k) {
  hgemm<float, 4>(c, a, b, n, k);
}
extern "C" __global__ void hgemm_f16(u32 *c, const u32 *a, const u32 *b, int m,
                                     int n, int k) {
  hgemm<u32, 2>(c, a, b, n, k);
}

// A warp a row.
extern "C" __global__ void softmax(float *out, const float *in, int rows,
                                   int columns) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows)
    return;
  const float *x = in + row * columns;
  float most = -__int_as_float(0x7f800000);
  for (int i = lane; i < columns; i += 32)
    most = fmaxf(most, x[i]);
  for (int d = 16; d > 0; d /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
  float sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += expf(x[i] - most);
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  for (int i = lane; i < columns; i += 32)
    out[row * columns + i] = expf(x[i] - most) / sum;
}

// In shared memory first, then in global memory.
extern "C" __global__ void histogram(u32 *out, const u32 *in, int n) {
  __shared__ u32 bins[64];
  if (threadIdx.x < 64)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Each block turns its part around, in memory whose size the launch says.
extern "C" __global__ void reverse(float *out, const float *in) {
  extern __shared__ float part[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  part[t] = in[first + t];
  __syncthreads();
  out[first + t] = part[blockDim.x - 1 - t];
}

// Arguments and a result that are structures, and a pointer to local memory.
struct Pair {
  int quotient, remainder;
};
__device__ __noinline__ Pair divide(Pair by, int x, int *calls) {
  ++*calls;
  Pair result = {x / by.quotient, x % by.quotient + by.remainder};
  return result;
}
extern "C" __global__ void calls(int *out, const int *in) {
  int t = threadIdx.x, count = 0;
  Pair p = divide({7, 1}, in[t], &count);
  if (t % 3 == 0)
    p = divide({p.remainder, t}, p.quotient, &count);
  out[t] = p.quotient * 1000 + p.remainder * 10 + count;
}
