//===- NpyTest.cpp - Tests of .npy files ----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Npy.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>

using namespace dietcode;

namespace {

NpyArray makeArray() {
  NpyArray array{ElementKind::F32, {2, 3}, std::vector<char>(24)};
  for (int i = 0; i < 6; ++i)
    storeElement(array.kind, array.data.data() + 4 * i, i + 0.5);
  return array;
}

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Npy, RoundTripsThroughBytes) {
  NpyArray array = makeArray();
  Expected<NpyArray> read = decodeNpy(encodeNpy(array), "a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kind, array.kind);
  EXPECT_EQ(read->sizes, array.sizes);
  EXPECT_EQ(read->data, array.data);
}

TEST(Npy, AlignsDataTo64Bytes) {
  EXPECT_EQ((encodeNpy(makeArray()).size() - 24) % 64, 0u);
}

TEST(Npy, RoundTripsEmptyAndScalarArrays) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{}, std::vector<int64_t>{0, 7}}) {
    NpyArray array{ElementKind::I64, sizes, {}};
    array.data.resize(sizes.empty() ? 8 : 0);
    Expected<NpyArray> read = decodeNpy(encodeNpy(array), "a");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->sizes, sizes);
  }
}

TEST(Npy, ReadsVersion2) {
  std::string bytes = encodeNpy(makeArray());
  bytes[6] = 2;
  bytes.insert(10, 2, '\0');
  EXPECT_TRUE(decodeNpy(bytes, "a"));
}

TEST(Npy, RejectsOtherFiles) {
  EXPECT_EQ(
      decodeNpy("", "a.npy").error().message,
      "a.npy: not an .npy file, or one that is cut off within its header");
  EXPECT_FALSE(decodeNpy(encodeNpy(makeArray()).substr(0, 40), "a"));
}

TEST(Npy, RejectsTruncatedData) {
  std::string bytes = encodeNpy(makeArray());
  bytes.pop_back();
  EXPECT_EQ(decodeNpy(bytes, "a").error().message,
            "a: holds 23 bytes of data, but its shape and type need 24");
}

TEST(Npy, RejectsFortranOrder) {
  std::string bytes = replace(encodeNpy(makeArray()), "False", "True ");
  EXPECT_EQ(decodeNpy(bytes, "a").error().message,
            "a: the array is in Fortran order; save it with "
            "numpy.ascontiguousarray");
}

TEST(Npy, RejectsUnknownTypes) {
  std::string bytes = replace(encodeNpy(makeArray()), "<f4", ">f4");
  EXPECT_EQ(decodeNpy(bytes, "a").error().message,
            "a: element type '>f4' is not one of '<f2', '<f4', '<f8', '|i1', "
            "'<i2', '<i4', '<i8'");
}

TEST(Npy, RejectsHugeShapes) {
  std::string bytes =
      replace(encodeNpy(makeArray()), "(2,3,)", "(9999999999,9999999999,9)");
  EXPECT_EQ(decodeNpy(bytes, "a").error().message,
            "a: the shape in the header is malformed");
}

TEST(Npy, SaysWhichFileCannotBeRead) {
  Expected<NpyArray> read = readNpy("/nonexistent/a.npy");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "/nonexistent/a.npy: cannot be read: No such file or directory");
}

TEST(Npy, SaysWhichFileCannotBeWritten) {
  Expected<void> written = writeNpy("/nonexistent/a.npy", makeArray());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "cannot write '/nonexistent/a.npy': No such file or directory");
}

} // namespace
