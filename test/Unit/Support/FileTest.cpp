//===- FileTest.cpp - Tests of reading and replacing files ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Support/File.h"
#include "dietcode/Support/TemporaryFolder.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace dietcode;

TEST(CheckWritable, SaysWhatWritingWouldSay) {
  auto folder = TemporaryFolder::create("dietcode-file-test");
  ASSERT_TRUE(folder) << folder.error().message;
  std::string file = folder->path() + "/file";
  EXPECT_TRUE(checkWritable("-"));
  EXPECT_TRUE(checkWritable("/dev/null"));
  EXPECT_TRUE(checkWritable(file));
  EXPECT_FALSE(std::ifstream(file).is_open()) << "it was made";
  ASSERT_TRUE(writeFileAtomically(file, "text"));
  EXPECT_TRUE(checkWritable(file));
  EXPECT_EQ(*readFile(file), "text");
  for (const std::string &path :
       {folder->path(), folder->path() + "/no/file", file + "/file"}) {
    auto checked = checkWritable(path);
    auto written = writeFileAtomically(path, "text");
    ASSERT_FALSE(checked) << path;
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(checked.error().message, written.error().message);
  }
}

TEST(ReadFile, GivesUpOnDevicesWithoutAnEnd) {
  auto text = readFile("/dev/zero");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message,
            "cannot read '/dev/zero': it is a device without an end");
  EXPECT_EQ(*readFile("/dev/null"), "");
}
