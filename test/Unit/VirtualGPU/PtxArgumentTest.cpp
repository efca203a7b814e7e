//===- PtxArgumentTest.cpp - Arguments of a kernel as text ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/PtxJob.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <cstring>
#include <fstream>

using namespace dietcode::vgpu;

template <typename T>
static T valueOf(const std::string &text) {
  auto argument = parsePtxArgument(text);
  EXPECT_TRUE(argument) << text;
  T value{};
  if (argument && argument->bytes.size() == sizeof(T))
    std::memcpy(&value, argument->bytes.data(), sizeof(T));
  return value;
}

TEST(PtxArgument, ParsesScalars) {
  EXPECT_EQ(valueOf<int32_t>("i32:-7"), -7);
  EXPECT_EQ(valueOf<uint32_t>("u32:4294967295"), 4294967295u);
  EXPECT_EQ(valueOf<int64_t>("i64:-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(valueOf<float>("f32:0.5"), 0.5f);
  EXPECT_EQ(valueOf<double>("f64:-1e-3"), -1e-3);
}

TEST(PtxArgument, ReadsValues) {
  std::string file = testing::TempDir() + "/value.bin";
  std::ofstream(file, std::ios::binary) << "abc";
  auto value = parsePtxArgument("value:" + file);
  ASSERT_TRUE(value);
  EXPECT_FALSE(value->isBuffer);
  EXPECT_EQ(value->bytes, (std::vector<char>{'a', 'b', 'c'}));
  std::remove(file.c_str());
}

TEST(PtxArgument, MakesBuffers) {
  auto zero = parsePtxArgument("zero:3");
  ASSERT_TRUE(zero);
  EXPECT_TRUE(zero->isBuffer);
  EXPECT_EQ(zero->bytes, std::vector<char>(3, 0));
  auto out = parsePtxArgument("out:2:dir/y.bin");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->bytes, std::vector<char>(2, char(0xff)));
  EXPECT_EQ(out->outputFile, "dir/y.bin");
}

TEST(PtxArgument, RejectsMistakes) {
  for (const char *text :
       {"", ":", "i32:", "i32:x", "i32:2147483648", "u32:-1", "f32:1,5",
        "zero:-1", "zero:99999999999999", "out:4", "out:4:", "inout:f",
        "in:", "value:", "in:/nonexistent/file", "v4:1"})
    EXPECT_FALSE(parsePtxArgument(text)) << text;
}

TEST(Extents, ParsesOneToThree) {
  EXPECT_EQ(*parseExtents("5", "--grid"), (std::array<int64_t, 3>{5, 1, 1}));
  EXPECT_EQ(*parseExtents("1,2,3", "--grid"),
            (std::array<int64_t, 3>{1, 2, 3}));
  for (const char *text : {"", "0", "1,", "1,2,3,4", "-1", "a", "1,,2"})
    EXPECT_FALSE(parseExtents(text, "--grid")) << text;
}
