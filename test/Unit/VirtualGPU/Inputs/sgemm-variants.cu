// Register-blocked SGEMM for tests of the timing model: 128 x 128 x 8 per block
// of 256 threads, 8 x 8 per thread, a warp of 4 x 8 threads. `base` prefetches
// the next tiles into registers and has two stages of shared memory; each other
// kernel spoils one thing. Sizes are multiples of the tiles.
//
//   nvcc -O3 -arch=sm_75 -ptx sgemm-variants.cu -o sgemm-variants.ptx

// Conflicts come from an order of the rows' 16-byte chunks in which neighbours
// lie 128 bytes apart.
template <bool Prefetch, bool Conflicts, bool Uncoalesced>
__device__ void sgemm(const float *A, const float *B, float *C, int n) {
  constexpr int stages = Prefetch ? 2 : 1;
  __shared__ __align__(16) float As[stages][8][132];
  __shared__ __align__(16) float Bs[stages][8][132];
  int t = threadIdx.x, bx = blockIdx.x * 128, by = blockIdx.y * 128;
  int warp = t / 32, lane = t % 32;
  int tx = warp % 2 * 8 + lane % 8, ty = warp / 2 * 4 + lane / 8;
  int ar = Uncoalesced ? t % 128 : t / 2,
      ac = Uncoalesced ? t / 128 * 4 : t % 2 * 4;
  int br = Uncoalesced ? t % 8 : t / 32,
      bc = Uncoalesced ? t / 8 * 4 : t % 32 * 4;
  auto at = [](int i) {
    return Conflicts ? i / 4 % 4 * 32 + i / 16 * 4 + i % 4 : i;
  };
  float sums[8][8] = {};
  const float *from = A + (size_t)(by + ar) * n + ac;
  const float *with = B + (size_t)br * n + bx + bc;
  // One load of 16 bytes, or four of lanes that lie rows apart.
  auto load = [](const float *at) {
    if (!Uncoalesced)
      return *(const float4 *)at;
    const float *each = at;
    return make_float4(__ldca(each), __ldca(each + 1), __ldca(each + 2),
                       __ldca(each + 3));
  };
  float4 a = load(from), b = load(with);
  int s = 0;
  auto store = [&] {
    As[s][ac][at(ar)] = a.x;
    As[s][ac + 1][at(ar)] = a.y;
    As[s][ac + 2][at(ar)] = a.z;
    As[s][ac + 3][at(ar)] = a.w;
    *(float4 *)&Bs[s][br][at(bc)] = b;
    __syncthreads();
  };
  store();
  for (int k = 8; k <= n; k += 8) {
    if (Prefetch && k < n) {
      a = load(from + k);
      b = load(with + (size_t)k * n);
    }
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      float x[8], y[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *(float4 *)&x[4 * h] = *(float4 *)&As[s][q][at(ty * 4 + 64 * h)];
        *(float4 *)&y[4 * h] = *(float4 *)&Bs[s][q][at(tx * 4 + 64 * h)];
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          sums[i][j] += x[i] * y[j];
    }
    if (k == n)
      break;
    if (Prefetch) {
      s ^= 1;
    } else {
      __syncthreads();
      a = load(from + k);
      b = load(with + (size_t)k * n);
    }
    store();
  }
  for (int i = 0; i < 8; ++i)
    for (int h = 0; h < 2; ++h)
      *(float4 *)&C[(size_t)(by + i / 4 * 64 + ty * 4 + i % 4) * n + bx +
                    tx * 4 + 64 * h] =
          make_float4(sums[i][4 * h], sums[i][4 * h + 1], sums[i][4 * h + 2],
                      sums[i][4 * h + 3]);
}

#define KERNEL(name, ...)                                                      \
  extern "C" __global__ void __launch_bounds__(256, 2)                         \
      name(const float *A, const float *B, float *C, int n) {                  \
    sgemm<__VA_ARGS__>(A, B, C, n);                                            \
  }
KERNEL(base, true, false, false)
KERNEL(no_prefetch, false, false, false)
KERNEL(conflicts, true, true, false)
KERNEL(uncoalesced, true, false, true)

extern "C" __global__ void naive(const float *A, const float *B, float *C,
                                 int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x,
      i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[i * n + k] * B[k * n + j];
  C[i * n + j] = sum;
}
