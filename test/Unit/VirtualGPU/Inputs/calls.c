// Compiled by
//   clang-22 -std=c23 --target=nvptx64-nvidia-cuda -march=sm_75 -O1 -S
//     calls.c -o calls-clang.ptx
//   nvcc -x cu -arch=sm_75 -ptx calls.c -o calls-nvcc.ptx
#ifdef __CUDACC__
#define DEVICE static __noinline__ __device__
#define KERNEL extern "C" __global__ void
#define THREAD threadIdx.x
#else
#define DEVICE __attribute__((noinline)) static
#define KERNEL __attribute__((nvptx_kernel)) void
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#endif

struct Pack {
  int a;
  double b;
  int c[4];
};

DEVICE int scale(int a, float b) { return a * 3 + (int)b; }

DEVICE struct Pack change(struct Pack s, int k) {
  s.a += k;
  s.b *= 2;
  s.c[k & 3] += scale(7, 1.5f);
  return s;
}

DEVICE void accumulate(long long a, signed char b, short c, long long *p,
                       bool skip) {
  if (skip)
    return;
  *p += a + b + c;
}

KERNEL k(int *out, int *in) {
  int t = THREAD;
  struct Pack s = {in[t], in[t] * 0.5, {t, t, t, t}};
  int v = scale(in[t], (float)t);
  if (t & 1) {
    s = change(s, t & 3);
    v += scale(v, 2.5f);
  }
  long long sum = 1;
  accumulate(t, (signed char)(t * 9), (short)-t, &sum, t % 5 == 0);
  out[t] = v + s.a + (int)s.b + s.c[0] + s.c[1] + s.c[2] + s.c[3] + (int)sum;
}
