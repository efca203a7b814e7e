//===- TestHook.h - Misbehaving on demand, for tests ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_MEASURE_TESTHOOK_H
#define DIETCODE_LIB_MEASURE_TESTHOOK_H

#include "dietcode/Measure/Job.h"

namespace dietcode {

/// Lets the child of a job misbehave as DIETCODE_MEASURE_INJECT says: a list
/// like "crash:64x64,hang:b.7" of what to do, and for which jobs, by a part of
/// their id or schedule. One can crash, abort, hang, exit, stop in the middle
/// of the result (half), eat memory, compute something else than is expected
/// (wrong), or only a part of it (partial).
void runTestHook(Job &job, int pipe);

} // namespace dietcode

#endif // DIETCODE_LIB_MEASURE_TESTHOOK_H
