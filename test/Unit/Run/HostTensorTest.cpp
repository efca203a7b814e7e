//===- HostTensorTest.cpp - Tests of guarded operands ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/HostTensor.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace dietcode;

namespace {

HostTensor makeTensor() {
  return *HostTensor::create(ElementKind::F32, {{2, 3}, {5, 1}, 1});
}

float *floats(const HostTensor &tensor) {
  return reinterpret_cast<float *>(tensor.base());
}

TEST(HostTensor, IsRandomWhateverTheLayout) {
  HostTensor strided = makeTensor();
  HostTensor dense = *HostTensor::create(ElementKind::F32, {{2, 3}, {3, 1}});
  strided.fillRandom(7);
  dense.fillRandom(7);
  EXPECT_EQ(strided.values(), dense.values());
  for (double value : dense.values()) {
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 1);
  }
  dense.fillRandom(8);
  EXPECT_NE(strided.values(), dense.values());
}

TEST(HostTensor, TakesIntegersFromTheWholeType) {
  auto rangeOf = [](ElementKind kind) {
    HostTensor tensor = *HostTensor::create(kind, {{4096}, {1}});
    tensor.fillRandom(7);
    std::vector<double> values = tensor.values();
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    return std::pair(*least, *most);
  };
  EXPECT_EQ(rangeOf(ElementKind::I8), std::pair(-128.0, 127.0));
  EXPECT_LT(rangeOf(ElementKind::I16).first, -32000);
  EXPECT_GT(rangeOf(ElementKind::I16).second, 32000);
  for (ElementKind kind : {ElementKind::I32, ElementKind::I64}) {
    EXPECT_LT(rangeOf(kind).first, -0x1.f8p30);
    EXPECT_GE(rangeOf(kind).first, -0x1p31);
    EXPECT_GT(rangeOf(kind).second, 0x1.f8p30);
    EXPECT_LT(rangeOf(kind).second, 0x1p31);
  }
}

TEST(HostTensor, IsSurroundedByNaN) {
  HostTensor tensor = makeTensor();
  tensor.fillRandom(0);
  EXPECT_TRUE(std::isnan(floats(tensor)[-1]));
  EXPECT_TRUE(std::isnan(floats(tensor)[0]));
  EXPECT_FALSE(std::isnan(floats(tensor)[1]));
  EXPECT_TRUE(std::isnan(floats(tensor)[4]));
  EXPECT_FALSE(std::isnan(floats(tensor)[8]));
  EXPECT_TRUE(std::isnan(floats(tensor)[9]));
  EXPECT_EQ(tensor.spanBytes(), 8 * sizeof(float));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.base()) % 256, 0u);
}

TEST(HostTensor, FindsStrayWrites) {
  HostTensor tensor = makeTensor();
  tensor.fillRandom(0);
  EXPECT_FALSE(tensor.findStrayWrite());
  floats(tensor)[4] = NAN;
  EXPECT_EQ(tensor.findStrayWrite(),
            "memory was written 3 elements from the start of the operand, "
            "where it has no element");
  HostTensor before = makeTensor();
  floats(before)[0] = 0;
  EXPECT_EQ(before.findStrayWrite(),
            "memory was written -1 elements from the start of the operand, "
            "where it has no element");
}

TEST(HostTensor, ShiftsItsBase) {
  HostTensor tensor =
      *HostTensor::create(ElementKind::F32, {{4}, {1}}, /*shift=*/1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.base()) % 256, 4u);
}

TEST(HostTensor, MayBeEmpty) {
  HostTensor tensor = *HostTensor::create(ElementKind::F32, {{0, 3}, {3, 1}});
  tensor.fillRandom(0);
  EXPECT_EQ(tensor.spanBytes(), 0u);
  EXPECT_TRUE(tensor.values().empty());
  EXPECT_FALSE(tensor.findStrayWrite());
}

TEST(HostTensor, RefusesWhatNoMemoryHolds) {
  int64_t huge = int64_t(1) << 40;
  Expected<HostTensor> tensor =
      HostTensor::create(ElementKind::F32, {{huge, huge}, {huge, 1}});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().message,
            "an operand of 1099511627776x1099511627776 f32 elements does not "
            "fit the memory of the host");
}

TEST(HostTensor, RoundsHalves) {
  HostTensor tensor = *HostTensor::create(ElementKind::F16, {{1}, {1}});
  storeElement(ElementKind::F16, tensor.base(), 1.0 / 3);
  EXPECT_EQ(tensor.values(), std::vector<double>{0.333251953125});
}

} // namespace
