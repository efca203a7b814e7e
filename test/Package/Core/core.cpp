//===- core.cpp - A user of the LLVM-free libraries -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trains a model and loads a kernel: what links XGBoost and the virtual GPU.
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/Booster.h"
#include "dietcode/Device/Device.h"

#include <cstdio>

constexpr const char *ptx = R"ptx(
.version 6.5
.target sm_75
.address_size 64
.visible .entry nothing() { ret; }
)ptx";

static int fail(const dietcode::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

int main() {
  dietcode::FeatureMatrix matrix{1, {0, 1, 2, 3, 4, 5, 6, 7}};
  auto model = dietcode::Booster::train(matrix, {0, 1, 2, 3, 4, 5, 6, 7});
  if (!model)
    return fail(model.error());

  auto device = dietcode::openDevice("virtual:t4");
  if (!device)
    return fail(device.error());
  auto module = (*device)->loadModule(ptx, "module");
  if (!module)
    return fail(module.error());
  dietcode::DeviceLaunch launch;
  launch.kernel = "nothing";
  launch.block = {32, 1, 1};
  auto result = (*device)->launch(**module, launch);
  if (!result)
    return fail(result.error());
  std::printf("ran on %s\n", (*device)->name().c_str());
}
