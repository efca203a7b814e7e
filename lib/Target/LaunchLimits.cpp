//===- LaunchLimits.cpp - Which launches a device takes -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Target/LaunchLimits.h"

using namespace dietcode;

std::string dietcode::printTriple(const std::array<int64_t, 3> &values) {
  return "(" + std::to_string(values[0]) + ", " + std::to_string(values[1]) +
         ", " + std::to_string(values[2]) + ")";
}

std::string dietcode::checkLaunchShape(const DeviceSpec &spec,
                                       const std::string &device,
                                       const std::array<int64_t, 3> &grid,
                                       const std::array<int64_t, 3> &block) {
  int64_t maxGrid[] = {spec.maxGridX, spec.maxGridYZ, spec.maxGridYZ};
  int64_t maxBlock[] = {spec.maxThreadsPerBlock, spec.maxThreadsPerBlock, 64};
  int64_t threads = 1;
  auto outside = [&](const char *what, const std::array<int64_t, 3> &extents,
                     int64_t most, unsigned axis) {
    return what + printTriple(extents) + " is outside of the limits of " +
           device + ": 1 to " + std::to_string(most) + " in " + "xyz"[axis];
  };
  for (unsigned i = 0; i < 3; ++i) {
    if (grid[i] < 1 || grid[i] > maxGrid[i])
      return outside("grid ", grid, maxGrid[i], i);
    if (block[i] < 1 || block[i] > maxBlock[i])
      return outside("block ", block, maxBlock[i], i);
    threads *= block[i];
  }
  if (threads > spec.maxThreadsPerBlock)
    return "block " + printTriple(block) + " has " + std::to_string(threads) +
           " threads; " + device + " allows " +
           std::to_string(spec.maxThreadsPerBlock);
  return "";
}
