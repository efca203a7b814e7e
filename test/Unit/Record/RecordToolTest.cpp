//===- RecordToolTest.cpp - Tests of dietcode-records ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTesting.h"
#include <sys/wait.h>

using namespace dietcode;

namespace {

struct ToolResult {
  int status;
  std::string output; ///< Standard output and error.
};

ToolResult runTool(const std::string &arguments) {
  std::string command = std::string(RECORDS_TOOL) + " " + arguments + " 2>&1";
  FILE *pipe = ::popen(command.c_str(), "r");
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;)
    output += static_cast<char>(c);
  return {WEXITSTATUS(::pclose(pipe)), output};
}

class RecordToolTest : public testing::Test {
protected:
  void SetUp() override {
    Record failed = makeRecord("c");
    failed.status = RecordStatus::Timeout;
    failed.runs.clear();
    before = folder.path("before.jsonl");
    after = folder.path("after.jsonl");
    ASSERT_TRUE(appendRecords(
        before, {makeRecord("a", 1), failed, makeRecord("a", 2)}));
    ASSERT_TRUE(appendRecords(after, {makeRecord("a", 1), makeRecord("b")}));
  }

  TestFolder folder;
  std::string before, after;
};

} // namespace

TEST_F(RecordToolTest, mergeAndPrune) {
  std::string output = folder.path("all.jsonl");
  EXPECT_EQ(runTool("merge " + before + " " + after + " -o " + output).status,
            0);
  EXPECT_EQ(loadRecords(output)->stats.lines, 3u);
  // The output may be among the inputs.
  EXPECT_EQ(runTool("merge " + after + " " + output + " -o " + output).status,
            0);
  EXPECT_EQ(loadRecords(output)->stats.lines, 3u);
  EXPECT_EQ(runTool("prune --failed " + output).output,
            "dietcode-records: kept 2 of 3 lines\n");
  EXPECT_EQ(loadRecords(output)->stats.lines, 2u);
  EXPECT_EQ(runTool("prune --device cuda:x " + output).status, 0);
  EXPECT_EQ(contentsOf(output), "");
}

TEST_F(RecordToolTest, diffAndCsv) {
  ToolResult diff = runTool("diff " + before + " " + after);
  EXPECT_NE(diff.output.find("m=64 n=32 k=8  2.0 s"), std::string::npos)
      << diff.output;
  EXPECT_NE(diff.output.find("geometric mean 0.5000"), std::string::npos);
  ToolResult csv = runTool("csv " + before);
  EXPECT_EQ(std::count(csv.output.begin(), csv.output.end(), '\n'), 3);
}

TEST_F(RecordToolTest, nothingIsOverwrittenOnError) {
  std::string kept = contentsOf(after), none = folder.path("none");
  ToolResult result = runTool("merge " + before + " " + none + " -o " + after);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "dietcode-records: error: cannot open '" + none +
                               "': No such file or directory\n");
  EXPECT_EQ(contentsOf(after), kept);
  writeTo(none, "something else\n");
  EXPECT_EQ(runTool("merge " + before + " -o " + none).status, 1);
  EXPECT_EQ(contentsOf(none), "something else\n");
  EXPECT_EQ(runTool("csv " + before + " -o /dev/full").output,
            "dietcode-records: error: cannot write '/dev/full': No space left "
            "on device\n");
  EXPECT_EQ(runTool("").status, 1);
  EXPECT_EQ(runTool("list").status, 1);
}
