//===- CublasTimer.h - Times products of cuBLAS ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASTIMER_H
#define DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASTIMER_H

#include "CublasLibrary.h"
#include "CudaDriver.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// C = A B of row-major matrices, either factor transposed or not.
struct Product {
  std::string type; ///< f32; f16, summed up in f32; i8, summed up in i32.
  bool isATransposed = false;
  bool isBTransposed = false;
  int m = 0, n = 0, k = 0;
};

/// Parses "f32:nt:80x2304x768": type, which factors are transposed, m, n, k.
Expected<Product> parseProduct(std::string_view text);

/// Runs products on one GPU, one after the other.
class CublasTimer {
public:
  static Expected<CublasTimer> create(const cuda::Driver &driver, int index);
  CublasTimer(CublasTimer &&other) noexcept;
  CublasTimer &operator=(CublasTimer &&) = delete;
  ~CublasTimer();

  int version() const { return libraryVersion; }

  /// Seconds of each of `repetitions` runs after some that warm up. The result
  /// of the first one is compared with what it must be.
  Expected<std::vector<double>> time(const Product &product,
                                     unsigned repetitions);

private:
  /// Matrices of one product on the device.
  struct Matrices {
    cuda::Pointer a = 0, b = 0, c = 0;
  };

  CublasTimer(const cuda::Driver &driver, cublas::Library library)
      : driver(driver), library(library) {}

  Expected<bool> check(const char *what, cuda::Result result) const;
  Expected<bool> allocate(const Product &product, Matrices &matrices);
  void release(const Matrices &matrices);
  Expected<bool> run(const Product &product, const Matrices &matrices);
  Expected<bool> compare(const Product &product, cuda::Pointer result);
  Expected<std::vector<double>> timeRuns(const Product &product,
                                         const Matrices &matrices,
                                         unsigned repetitions);

  const cuda::Driver &driver;
  cublas::Library library;
  cublas::Handle handle = nullptr;
  int libraryVersion = 0;
};

} // namespace dietcode

#endif // DIETCODE_TOOLS_DIETCODE_CUBLAS_CUBLASTIMER_H
