// Kernels without mistakes, which the checkers must let pass.
// clean-nvcc.ptx: nvcc 13.0 -O3 -arch=sm_75 -ptx clean.cu
// clean-clang.ptx: clang 22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75
//                  -nocudalib -O3 -S clean.cu

extern "C" __global__ void reduce(float *out, const float *in, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0)
      out[blockIdx.x] = sum;
  }
}

// The tree in shared memory; its last steps are within one warp.
extern "C" __global__ void tree(float *out, const float *in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d >= 32; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float sum = s[t];
    for (int d = 16; d > 0; d /= 2) {
      __syncwarp();
      float other = t < d ? s[t + d] : 0;
      __syncwarp();
      if (t < d)
        s[t] = sum += other;
    }
    if (t == 0)
      out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void histogram(unsigned *out, const unsigned *in, int n) {
  __shared__ unsigned bins[64];
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

// The last block to come sums up what the others left.
__device__ unsigned arrived;
extern "C" __global__ void lastBlock(float *out, const float *in, int n) {
  __shared__ bool isLast;
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  s[t] = sum;
  __syncthreads();
  if (t == 0) {
    for (int i = 1; i < blockDim.x; ++i)
      sum += s[i];
    out[1 + blockIdx.x] = sum;
    __threadfence();
    isLast = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && t == 0) {
    sum = 0;
    for (int i = 0; i < gridDim.x; ++i)
      sum += ((volatile float *)out)[1 + i];
    out[0] = sum;
  }
}
