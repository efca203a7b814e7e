//===- CublasLibrary.h - cuBLAS, loaded at run time ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few functions of cuBLAS that products are compared with, looked for when
// they are asked for: what is declared here is their documented binary
// interface since CUDA 11. DIETCODE_LIBCUBLAS=path names another library.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASLIBRARY_H
#define DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASLIBRARY_H

#include "dietcode/Support/Expected.h"

#include <string>

namespace dietcode::cublas {

using Status = int;    ///< cublasStatus_t; 0: success.
using Handle = void *; ///< cublasHandle_t.

/// cublasOperation_t.
enum Operation : int { kAsIs = 0, kTransposed = 1 };
/// cudaDataType_t.
enum DataType : int { kF32 = 0, kF16 = 2, kI8 = 3, kI32 = 10 };
/// cublasComputeType_t.
enum ComputeType : int { kSumsF32 = 68, kSumsI32 = 72 };
/// cublasGemmAlgo_t: the library chooses.
enum Algorithm : int { kDefault = -1 };

struct Library {
  Status (*create)(Handle *);
  Status (*destroy)(Handle);
  Status (*version)(Handle, int *);
  Status (*sgemm)(Handle, Operation, Operation, int, int, int, const float *,
                  const float *, int, const float *, int, const float *,
                  float *, int);
  Status (*gemmEx)(Handle, Operation, Operation, int, int, int, const void *,
                   const void *, DataType, int, const void *, DataType, int,
                   const void *, void *, DataType, int, ComputeType, Algorithm);
};

/// The library, or what was looked for.
Expected<Library> load();

} // namespace dietcode::cublas

#endif // DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASLIBRARY_H
