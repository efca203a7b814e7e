//===- runtime.cpp - A user of the runtime --------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/Runtime.h"

#include <cstdio>

int main() {
  std::string device = dietcode::runtime::deviceDescription();
  std::printf("%s\n", device.c_str());
  return device.empty();
}
