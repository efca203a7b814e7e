//===- CublasLibrary.cpp - cuBLAS, loaded at run time
//----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace dietcode;
using namespace dietcode::cublas;

static void *openAny(std::string &tried) {
  const char *named = std::getenv("DIETCODE_LIBCUBLAS");
  if (named && *named) {
    tried = named;
    return ::dlopen(named, RTLD_NOW | RTLD_LOCAL);
  }
  for (const char *name :
       {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) {
    tried += (tried.empty() ? "" : ", ") + std::string(name);
    if (void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  }
  return nullptr;
}

template <typename FunctionT>
static void find(void *library, FunctionT *&function, const char *name,
                 std::string &missing) {
  function = reinterpret_cast<FunctionT *>(::dlsym(library, name));
  if (!function && missing.empty())
    missing = name;
}

Expected<Library> cublas::load() {
  std::string tried, missing;
  void *handle = openAny(tried);
  if (!handle)
    return fail("there is no cuBLAS: looked for " + tried);
  Library library{};
  find(handle, library.create, "cublasCreate_v2", missing);
  find(handle, library.destroy, "cublasDestroy_v2", missing);
  find(handle, library.version, "cublasGetVersion_v2", missing);
  find(handle, library.sgemm, "cublasSgemm_v2", missing);
  find(handle, library.gemmEx, "cublasGemmEx", missing);
  if (!missing.empty())
    return fail("cuBLAS '" + tried + "' has no " + missing);
  return library;
}
