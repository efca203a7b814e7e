//===- FailingCandidateTest.cpp - Candidates that take others down --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessTesting.h"
#include <map>

using namespace dietcode;

namespace {

struct Candidate {
  std::string id;
  std::string ptx;
  RecordStatus status;
  std::string part; ///< Of the error.
};

const std::vector<Candidate> candidates = {
    {"a-right", scalePtx(), RecordStatus::Ok, ""},
    {"b-refused", scalePtx("frobnicate %r1;"), RecordStatus::LaunchError,
     "frobnicate"},
    {"c-crashes", scalePtx(), RecordStatus::Crash, "was killed by SIGSEGV"},
    {"d-aborts", scalePtx(), RecordStatus::Crash, "was killed by SIGABRT"},
    {"e-endless", scalePtx(endlessPtx), RecordStatus::Timeout,
     "no result after 2 s"},
    {"f-wrong", scalePtx(wrongPtx), RecordStatus::WrongResult,
     "element [0, 0] of buffer 0"},
    {"g-unwritten", scalePtx(halfWrittenPtx), RecordStatus::WrongResult,
     "it was not written"},
    {"h-outside", scalePtx(outOfBoundsPtx), RecordStatus::Finding,
     "out-of-bounds"},
    {"i-hangs", scalePtx(), RecordStatus::Timeout, "no result after 2 s"},
    {"j-exits", scalePtx(), RecordStatus::Crash,
     "ended with exit status 3 before it had a result"},
    {"k-halfway", scalePtx(), RecordStatus::Crash,
     "ended with exit status 0 in the middle of its result"},
    {"l-eats", scalePtx(), RecordStatus::Crash, "out of memory: the limit is"},
    {"m-right", scalePtx(), RecordStatus::Ok, ""},
};

const char *const injection =
    "DIETCODE_MEASURE_INJECT=crash:c-crashes,abort:d-aborts,hang:i-hangs,"
    "exit:j-exits,half:k-halfway,memory:l-eats";

/// A memory limit needs the address space to be its own.
bool hasMemoryLimit() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return false;
#endif
#endif
  return true;
}

void checkRecord(const Candidate &candidate, const Record &record) {
  EXPECT_EQ(record.schedule, candidate.id);
  EXPECT_EQ(nameOf(record.status), nameOf(candidate.status))
      << candidate.id << ": " << record.error;
  EXPECT_NE(record.error.find(candidate.part), std::string::npos)
      << candidate.id << ": " << record.error;
  EXPECT_EQ(record.runs.size(), record.status == RecordStatus::Ok ? 1u : 0u);
}

class FailingCandidateTest : public testing::Test {
protected:
  void SetUp() override {
    Expected<JobFolder> folder = JobFolder::create(root.path("f"));
    ASSERT_TRUE(folder) << messageOf(folder);
    addScaleFiles(*folder);
    std::string lines;
    for (const Candidate &candidate : candidates) {
      if (candidate.id == "l-eats" && !hasMemoryLimit())
        continue;
      used.push_back(candidate);
      Job job = makeScaleJob(*folder, candidate.id, candidate.ptx, 1 << 20);
      ASSERT_TRUE(folder->addJob(job));
      lines += printJob(job) + "\n";
    }
    writeTo(root.path("f/jobs.jsonl"), lines);
  }
  std::vector<std::string> arguments(const std::string &workers) {
    return {"--workers", workers, "--timeout", "2"};
  }

  TestFolder root;
  std::vector<Candidate> used;
};

} // namespace

TEST_F(FailingCandidateTest, inAFolder) {
  std::vector<std::string> options = arguments("2");
  options.insert(options.begin(), root.path("f"));
  ToolRun tool(options, root.path("log"), {injection});
  EXPECT_EQ(tool.wait(), 0) << contentsOf(root.path("log"));
  EXPECT_EQ(countOrphans(), 0);
  Expected<JobFolder> folder = JobFolder::open(root.path("f"));
  ASSERT_TRUE(folder);
  Expected<std::vector<JobResult>> results = folder->collect();
  ASSERT_TRUE(results) << messageOf(results);
  ASSERT_EQ(results->size(), used.size());
  for (size_t i = 0; i < used.size(); ++i)
    checkRecord(used[i], (*results)[i].record);
  EXPECT_EQ(countFiles(root.path("f/claims")), 0u);
}

/// The same records in the same order, however many workers there are.
TEST_F(FailingCandidateTest, inAFile) {
  std::map<std::string, std::string> outputs;
  for (std::string workers : {"1", "4"}) {
    std::vector<std::string> options = arguments(workers);
    std::string output = root.path("records" + workers);
    for (std::string option : {"--jobs", "f/jobs.jsonl", "-o", "records"})
      options.push_back(option == "f/jobs.jsonl" ? root.path(option)
                        : option == "records"    ? output
                                                 : option);
    ToolRun tool(options, root.path("log"), {injection});
    EXPECT_EQ(tool.wait(), 0) << contentsOf(root.path("log"));
    EXPECT_EQ(contentsOf(root.path("log")).substr(0, 24),
              "dietcode-measure: 2 ok, ");
    Expected<LoadedRecords> loaded = loadRecords(output);
    ASSERT_TRUE(loaded) << messageOf(loaded);
    ASSERT_EQ(loaded->records.size(), used.size());
    for (size_t i = 0; i < used.size(); ++i)
      checkRecord(used[i], loaded->records[i]);
    outputs[workers] = contentsOf(output);
  }
  EXPECT_EQ(outputs["1"], outputs["4"]);
  EXPECT_EQ(countOrphans(), 0);
}
