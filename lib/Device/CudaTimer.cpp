//===- CudaTimer.cpp - Timing on a CUDA device ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTimer.h"

#include <algorithm>
#include <vector>

using namespace dietcode;

/// Clocks rise while something runs.
static constexpr int kWarmUps = 3;
/// Repetitions end when there were so many, or they took so long.
static constexpr size_t kRepetitions = 21;
static constexpr double kSeconds = 0.2;

CudaTimer::~CudaTimer() {
  for (cuda::Event event : {begin, end})
    if (event)
      driver.destroyEvent(event);
  if (flushed)
    driver.free(flushed);
}

cuda::Result CudaTimer::start() {
  cuda::Result result = driver.createEvent(&begin, cuda::kEventWithTime);
  if (result == cuda::kSuccess)
    result = driver.createEvent(&end, cuda::kEventWithTime);
  // Times are good without it, if they say so.
  if (result == cuda::kSuccess && flushBytes &&
      driver.allocate(&flushed, flushBytes) != cuda::kSuccess)
    flushed = 0;
  return result;
}

cuda::Result CudaTimer::repeat(FunctionRef<cuda::Result()> run,
                               double &seconds) {
  float milliseconds = 0;
  cuda::Result result = cuda::kSuccess;
  if (flushed)
    result = driver.fill(flushed, 0, flushBytes);
  if (result == cuda::kSuccess)
    result = driver.recordEvent(begin, /*stream=*/nullptr);
  if (result == cuda::kSuccess)
    result = run();
  if (result == cuda::kSuccess)
    result = driver.recordEvent(end, /*stream=*/nullptr);
  if (result == cuda::kSuccess)
    result = driver.synchronizeEvent(end);
  if (result == cuda::kSuccess)
    result = driver.elapsed(&milliseconds, begin, end);
  seconds = 1e-3 * double(milliseconds);
  return result;
}

cuda::Result CudaTimer::time(FunctionRef<cuda::Result()> run, double &seconds,
                             RunMeasurement &measured) {
  cuda::Result result = start();
  for (int i = 0; i < kWarmUps && result == cuda::kSuccess; ++i)
    result = run();
  std::vector<double> times;
  double sum = 0;
  while (result == cuda::kSuccess && times.size() < kRepetitions &&
         (sum < kSeconds || times.empty())) {
    double time = 0;
    result = repeat(run, time);
    times.push_back(time);
    sum += time;
  }
  if (result != cuda::kSuccess)
    return result;
  std::sort(times.begin(), times.end());
  seconds = times[times.size() / 2];
  measured.repetitions = static_cast<int64_t>(times.size());
  measured.leastSeconds = times.front();
  measured.mostSeconds = times.back();
  measured.l2 = flushed ? L2State::Flushed : L2State::Warm;
  return result;
}
