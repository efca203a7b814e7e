//===- CudaTimer.h - Timing on a CUDA device --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_DEVICE_CUDATIMER_H
#define DIETCODE_LIB_DEVICE_CUDATIMER_H

#include "CudaDriver.h"
#include "dietcode/Record/RunMeasurement.h"
#include "dietcode/Support/FunctionRef.h"

namespace dietcode {

/// Times what is put into the default stream, in the context of this thread.
class CudaTimer {
public:
  CudaTimer(const cuda::Driver &driver, uint64_t l2Bytes)
      : driver(driver), flushBytes(2 * l2Bytes) {}
  ~CudaTimer();
  CudaTimer(const CudaTimer &) = delete;
  CudaTimer &operator=(const CudaTimer &) = delete;

  /// `run` enqueues what is timed: a few times to warm up, and then, each time
  /// between two events and from a flushed L2, until it was repeated often or
  /// took long enough. The median of these times is `seconds`.
  cuda::Result time(FunctionRef<cuda::Result()> run, double &seconds,
                    RunMeasurement &measured);

private:
  cuda::Result start();
  cuda::Result repeat(FunctionRef<cuda::Result()> run, double &seconds);

  const cuda::Driver &driver;
  const uint64_t flushBytes;
  cuda::Pointer flushed = 0; ///< 0: there was no memory for it.
  cuda::Event begin = nullptr, end = nullptr;
};

} // namespace dietcode

#endif // DIETCODE_LIB_DEVICE_CUDATIMER_H
