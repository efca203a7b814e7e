//===- CublasTimer.cpp - Times products of cuBLAS
//--------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasTimer.h"
#include "CudaSpec.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace dietcode;

/// All bytes of the factors: 0.0115 as f32, 1.06 as f16, 60 as i8.
static constexpr unsigned char kFill = 0x3c;
static constexpr unsigned kWarmUps = 3;
/// Of a result that is rounded to f16; what is called wrongly is further off.
static constexpr double kTolerance = 1e-2;

static size_t factorBytes(const Product &product) {
  return product.type == "f32" ? 4 : product.type == "f16" ? 2 : 1;
}

static size_t resultBytes(const Product &product) {
  return product.type == "f16" ? 2 : 4;
}

Expected<Product> dietcode::parseProduct(std::string_view text) {
  Product product;
  std::string copy(text);
  char type[4] = "", layout[3] = "";
  int end = 0;
  bool isRead =
      std::sscanf(copy.c_str(), "%3[a-z0-9]:%2[nt]:%dx%dx%d%n", type, layout,
                  &product.m, &product.n, &product.k, &end) == 5 &&
      static_cast<size_t>(end) == text.size();
  product.type = type;
  bool isType =
      product.type == "f32" || product.type == "f16" || product.type == "i8";
  if (!isRead || !isType || std::strlen(layout) != 2 || product.m <= 0 ||
      product.n <= 0 || product.k <= 0)
    return fail("'" + copy +
                "' is no product; write type (f32, f16, i8), transposes (nn, "
                "nt, tn, tt) and sizes, e.g. f32:nt:80x2304x768");
  product.isATransposed = layout[0] == 't';
  product.isBTransposed = layout[1] == 't';
  return product;
}

Expected<CublasTimer> CublasTimer::create(const cuda::Driver &driver,
                                          int index) {
  Expected<cuda::DeviceHandle> device = cuda::findDevice(driver, index);
  if (!device)
    return tl::unexpected(device.error());
  Expected<cublas::Library> library = cublas::load();
  if (!library)
    return tl::unexpected(library.error());
  CublasTimer timer(driver, *library);
  // Kept until the process ends, as cuBLAS does.
  cuda::Context context = nullptr;
  cuda::Result result = driver.retainContext(&context, *device);
  if (result == cuda::kSuccess)
    result = driver.setContext(context);
  if (auto ok = timer.check("the context of the GPU", result); !ok)
    return tl::unexpected(ok.error());
  if (cublas::Status status = library->create(&timer.handle))
    return fail("cuBLAS does not start: status " + std::to_string(status));
  library->version(timer.handle, &timer.libraryVersion);
  return timer;
}

CublasTimer::CublasTimer(CublasTimer &&other) noexcept
    : driver(other.driver), library(other.library),
      handle(std::exchange(other.handle, nullptr)),
      libraryVersion(other.libraryVersion) {}

CublasTimer::~CublasTimer() {
  if (handle)
    library.destroy(handle);
}

Expected<bool> CublasTimer::check(const char *what, cuda::Result result) const {
  if (result != cuda::kSuccess)
    return tl::unexpected(driver.error(what, result));
  return true;
}

//===----------------------------------------------------------------------===//
// One product
//===----------------------------------------------------------------------===//

Expected<bool> CublasTimer::allocate(const Product &product,
                                     Matrices &matrices) {
  size_t m = product.m, n = product.n, k = product.k;
  std::pair<cuda::Pointer *, size_t> parts[] = {
      {&matrices.a, m * k * factorBytes(product)},
      {&matrices.b, k * n * factorBytes(product)},
      {&matrices.c, m * n * resultBytes(product)}};
  for (auto [pointer, bytes] : parts) {
    cuda::Result result = driver.allocate(pointer, bytes);
    if (result == cuda::kSuccess)
      result = driver.fill(*pointer, kFill, bytes);
    if (auto ok = check("memory for the matrices", result); !ok)
      return ok;
  }
  return true;
}

void CublasTimer::release(const Matrices &matrices) {
  for (cuda::Pointer pointer : {matrices.a, matrices.b, matrices.c})
    if (pointer)
      driver.free(pointer);
}

/// cuBLAS has columns where we have rows: C^T = B^T A^T.
Expected<bool> CublasTimer::run(const Product &product,
                                const Matrices &matrices) {
  using namespace cublas;
  int m = product.m, n = product.n, k = product.k;
  Operation opA = product.isATransposed ? kTransposed : kAsIs;
  Operation opB = product.isBTransposed ? kTransposed : kAsIs;
  int rowA = product.isATransposed ? m : k;
  int rowB = product.isBTransposed ? k : n;
  auto *a = reinterpret_cast<const void *>(matrices.a);
  auto *b = reinterpret_cast<const void *>(matrices.b);
  auto *c = reinterpret_cast<void *>(matrices.c);
  const float one = 1, zero = 0;
  const int32_t wholeOne = 1, wholeZero = 0;
  Status status = 0;
  if (product.type == "f32")
    status = library.sgemm(
        handle, opB, opA, n, m, k, &one, static_cast<const float *>(b), rowB,
        static_cast<const float *>(a), rowA, &zero, static_cast<float *>(c), n);
  else if (product.type == "f16")
    status = library.gemmEx(handle, opB, opA, n, m, k, &one, b, kF16, rowB, a,
                            kF16, rowA, &zero, c, kF16, n, kSumsF32, kDefault);
  else
    status =
        library.gemmEx(handle, opB, opA, n, m, k, &wholeOne, b, kI8, rowB, a,
                       kI8, rowA, &wholeZero, c, kI32, n, kSumsI32, kDefault);
  if (status)
    return fail("cuBLAS refuses the product: status " + std::to_string(status));
  return true;
}

static double readHalf(uint16_t bits) {
  int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value = exponent == 31  ? INFINITY
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

static double readNumber(const std::string &type, const void *bytes) {
  if (type == "f16") {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return readHalf(bits);
  }
  if (type == "f32") {
    float value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  int32_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// All elements are equal: the first and the last one tell.
Expected<bool> CublasTimer::compare(const Product &product,
                                    cuda::Pointer result) {
  const unsigned char fill[] = {kFill, kFill, kFill, kFill};
  double factor = product.type == "i8" ? kFill : readNumber(product.type, fill);
  double expected = product.k * factor * factor;
  size_t width = resultBytes(product);
  size_t last = (size_t(product.m) * product.n - 1) * width;
  for (size_t offset : {size_t(0), last}) {
    unsigned char bytes[4] = {};
    if (auto ok = check("reading the result",
                        driver.toHost(bytes, result + offset, width));
        !ok)
      return ok;
    double got = readNumber(product.type == "i8" ? "i32" : product.type, bytes);
    if (!(std::abs(got - expected) <= kTolerance * expected))
      return fail("cuBLAS computes " + std::to_string(got) + " where " +
                  std::to_string(expected) + " is right");
  }
  return true;
}

Expected<std::vector<double>> CublasTimer::timeRuns(const Product &product,
                                                    const Matrices &matrices,
                                                    unsigned repetitions) {
  cuda::Event events[2] = {};
  cuda::Result result = driver.createEvent(&events[0], 0);
  if (result == cuda::kSuccess)
    result = driver.createEvent(&events[1], 0);
  std::vector<double> seconds;
  Expected<bool> ran = true;
  while (result == cuda::kSuccess && ran && seconds.size() < repetitions) {
    result = driver.recordEvent(events[0], nullptr);
    ran = run(product, matrices);
    if (result == cuda::kSuccess)
      result = driver.recordEvent(events[1], nullptr);
    if (result == cuda::kSuccess)
      result = driver.synchronizeEvent(events[1]);
    float milliseconds = 0;
    if (result == cuda::kSuccess)
      result = driver.elapsed(&milliseconds, events[0], events[1]);
    seconds.push_back(1e-3 * milliseconds);
  }
  for (cuda::Event event : events)
    if (event)
      driver.destroyEvent(event);
  if (!ran)
    return tl::unexpected(ran.error());
  if (auto ok = check("timing cuBLAS", result); !ok)
    return tl::unexpected(ok.error());
  return seconds;
}

Expected<std::vector<double>> CublasTimer::time(const Product &product,
                                                unsigned repetitions) {
  Matrices matrices;
  Expected<bool> ok = allocate(product, matrices);
  for (unsigned i = 0; ok && i < kWarmUps; ++i)
    ok = run(product, matrices);
  if (ok)
    ok = check("cuBLAS", driver.synchronize());
  if (ok)
    ok = compare(product, matrices.c);
  Expected<std::vector<double>> seconds =
      ok ? timeRuns(product, matrices, repetitions)
         : Expected<std::vector<double>>(tl::unexpected(ok.error()));
  release(matrices);
  return seconds;
}
