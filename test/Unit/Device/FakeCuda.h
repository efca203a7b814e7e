//===- FakeCuda.h - What tests tell the fake driver ----------- -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exported by the fake driver beside the functions of CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_DEVICE_FAKECUDA_H
#define DIETCODE_TEST_UNIT_DEVICE_FAKECUDA_H

#include <cstdint>

/// What there is at the moment, and what has been.
struct FakeCounts {
  int64_t contexts; ///< Retained and not released.
  int64_t modules;
  int64_t streams;
  int64_t events;
  int64_t allocations;
  int64_t allocatedBytes;
  int64_t registrations; ///< Of host memory.
  int64_t calls;         ///< Of all functions, ever.
  int64_t launches;      ///< That were accepted, ever.
  int64_t fills;         ///< By cuMemsetD8, ever.
  int64_t assembled;     ///< Modules that were loaded, ever.
};

extern "C" {
FakeCounts fakeCudaCounts();
/// The nth call from now on of a function, 1 being the next, returns `result`
/// and does nothing; 0: none does. "*" is any function.
void fakeCudaFail(const char *function, int nth, int result);
/// From now on all functions return this; 0: they work again.
void fakeCudaSetSticky(int result);
/// From now on a launch takes this long on its stream.
void fakeCudaSetLaunchMicroseconds(int microseconds);
/// The memory that the device has for allocations.
void fakeCudaSetMemory(int64_t bytes);
/// Launches that a stream has had, -1 if there is no such stream.
int64_t fakeCudaLaunchesOn(void *stream);
/// Whether this thread is in a function of the driver.
bool fakeCudaIsInside();
}

#endif // DIETCODE_TEST_UNIT_DEVICE_FAKECUDA_H
