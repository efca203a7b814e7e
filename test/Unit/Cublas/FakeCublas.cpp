//===- FakeCublas.cpp - A cuBLAS without a GPU ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes products of f32 on the memory of FakeCuda.cpp, which is the host's,
// by the definition of cublasSgemm: columns, leading dimensions, operations.
// FAKE_CUBLAS_WRONG makes it wrong. It launches a kernel for each, as the other
// stand-in times launches.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <dlfcn.h>

namespace {

template <typename... ArgTs>
int call(const char *name, ArgTs... args) {
  static void *driver = ::dlopen(std::getenv("DIETCODE_LIBCUDA"), RTLD_NOW);
  return reinterpret_cast<int (*)(ArgTs...)>(::dlsym(driver, name))(args...);
}

void *findKernel() {
  void *module = nullptr, *function = nullptr;
  const void *text = ".version 6.3\n.visible .entry gemm(\n)\n";
  int *options = nullptr;
  void **values = nullptr;
  const char *name = "gemm";
  call("cuModuleLoadDataEx", &module, text, 0u, options, values);
  call("cuModuleGetFunction", &function, module, name);
  return function;
}

void launch() {
  static void *kernel = findKernel();
  void *stream = nullptr;
  void **none = nullptr;
  call("cuLaunchKernel", kernel, 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream, none,
       none);
}

} // namespace

extern "C" {

int cublasCreate_v2(void **handle) {
  static int theHandle;
  *handle = &theHandle;
  return 0;
}
int cublasDestroy_v2(void *) { return 0; }
int cublasGetVersion_v2(void *, int *version) {
  *version = 130200;
  return 0;
}
int cublasSgemm_v2(void *, int opA, int opB, int m, int n, int k,
                   const float *alpha, const float *a, int lda, const float *b,
                   int ldb, const float *beta, float *c, int ldc) {
  // CUBLAS_STATUS_INVALID_VALUE.
  if (lda < (opA ? k : m) || ldb < (opB ? n : k) || ldc < m)
    return 7;
  launch();
  float factor = std::getenv("FAKE_CUBLAS_WRONG") ? 2 : 1;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += (opA ? a[l + i * lda] : a[i + l * lda]) *
               (opB ? b[j + l * ldb] : b[l + j * ldb]);
      float before = *beta == 0 ? 0 : *beta * c[i + j * ldc];
      c[i + j * ldc] = factor * *alpha * sum + before;
    }
  return 0;
}
/// CUBLAS_STATUS_NOT_SUPPORTED.
int cublasGemmEx() { return 15; }
}
