//===- CudaMain.cpp - Tests on the fake CUDA driver -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("DIETCODE_LIBCUDA", FAKE_CUDA, 1);
  setenv("DIETCODE_DEVICE", "cuda:0", 1);
  return RUN_ALL_TESTS();
}
