//===- ShapeOptionsTest.cpp - Tests of shapes on the command line ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/ShapeOptions.h"

#include "gtest/gtest.h"

using namespace dietcode;

namespace {

using Sizes = std::vector<int64_t>;

TEST(ShapeOptions, ParsesShapeVariables) {
  Expected<ShapeValues> values = parseShapeValues("T=37, @H=768");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (ShapeValues{{"T", 37}, {"H", 768}}));
}

TEST(ShapeOptions, RejectsBadShapeVariables) {
  auto message = [](const char *text) {
    return parseShapeValues(text).error().message;
  };
  EXPECT_EQ(message("M=-1"), "--shape: '-1' in 'M=-1' is less than 0 and so is "
                             "not a size");
  EXPECT_EQ(message("M=abc"), "--shape: 'abc' in 'M=abc' is not a size");
  EXPECT_EQ(message("M="), "--shape: '' in 'M=' is not a size");
  EXPECT_EQ(message("abc"),
            "--shape: 'abc' is not of the form NAME=VALUE, e.g. T=37");
  EXPECT_EQ(message(""),
            "--shape: '' is not of the form NAME=VALUE, e.g. T=37");
  EXPECT_EQ(message("T=99999999999999999999"),
            "--shape: '99999999999999999999' in 'T=99999999999999999999' is "
            "not a size");
  EXPECT_EQ(message("T=1,T=2"), "--shape: 'T' is given twice");
}

TEST(ShapeOptions, ParsesArgumentShapes) {
  Expected<ArgumentShapes> parsed =
      parseArgumentShapes("592x768:771x1+1,7,scalar,=3,=-0.5");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->shapes.size(), 3u);
  EXPECT_EQ(parsed->shapes[0].sizes, (Sizes{592, 768}));
  EXPECT_EQ(parsed->shapes[0].strides, (Sizes{771, 1}));
  EXPECT_EQ(parsed->shapes[0].offset, 1);
  EXPECT_EQ(parsed->shapes[1].sizes, Sizes{7});
  EXPECT_FALSE(parsed->shapes[1].strides);
  EXPECT_FALSE(parsed->shapes[1].offset);
  EXPECT_EQ(parsed->shapes[2].sizes, Sizes{});
  EXPECT_EQ(parsed->scalars, (std::vector<double>{3, -0.5}));
}

TEST(ShapeOptions, RejectsBadArgumentShapes) {
  auto message = [](const char *text) {
    return parseArgumentShapes(text).error().message;
  };
  EXPECT_EQ(message("abc"), "--arg-shapes: 'abc' in 'abc' is not a size");
  EXPECT_EQ(message("2x-1"), "--arg-shapes: '-1' in '2x-1' is less than 0 and "
                             "so is not a size");
  EXPECT_EQ(message("2x3:1"),
            "--arg-shapes: '2x3:1' has 2 sizes but 1 strides");
  EXPECT_EQ(message("2x3:0x1"), "--arg-shapes: '0' in '2x3:0x1' is less than 1 "
                                "and so is not a stride");
  EXPECT_EQ(message("2x3+-1"), "--arg-shapes: '-1' in '2x3+-1' is less than 0 "
                               "and so is not an offset");
  EXPECT_EQ(message("2x3,=x"), "--arg-shapes: 'x' is not a number");
}

} // namespace
