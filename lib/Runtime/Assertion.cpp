//===- Assertion.cpp - How assertions of programs fail --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/Runtime.h"

extern "C" void dietcodeAssertionFailed(const char *message) {
  dietcode::runtime::reportFailure(message);
}
