//===- LaunchParams.cpp - What a launch passes to a kernel ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchParams.h"

using namespace dietcode;

Expected<bool> dietcode::checkParams(const KernelFacts &facts,
                                     const DeviceLaunch &launch) {
  std::string kernel = "kernel '" + launch.kernel + "'";
  if (facts.paramBytes.size() != launch.params.size())
    return fail(kernel + " has " + std::to_string(facts.paramBytes.size()) +
                " parameters, got " + std::to_string(launch.params.size()));
  for (size_t i = 0; i < launch.params.size(); ++i)
    if (facts.paramBytes[i] != launch.params[i].size())
      return fail("parameter " + std::to_string(i) + " of " + kernel + " has " +
                  std::to_string(facts.paramBytes[i]) + " bytes, got " +
                  std::to_string(launch.params[i].size()));
  return true;
}
