//===- JobListTest.cpp - Tests of jobs in rounds --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/dietcode-measure/JobList.h"
#include "MeasureTesting.h"
#include "dietcode/Support/File.h"
#include "dietcode/Support/TemporaryFolder.h"

using namespace dietcode;

namespace {

/// Jobs "a", "b" and so on in two rounds.
class JobListTest : public testing::Test {
protected:
  void open(size_t count) {
    Expected<TemporaryFolder> made = TemporaryFolder::create("joblist");
    ASSERT_TRUE(made) << messageOf(made);
    temporary.emplace(std::move(*made));
    Expected<JobFolder> folder = JobFolder::create(temporary->path() + "/f");
    ASSERT_TRUE(folder) << messageOf(folder);
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      jobs.push_back(makeScaleJob(*folder, std::string(1, char('a' + i))));
      text += printJob(jobs.back()) + "\n";
    }
    std::string path = temporary->path() + "/jobs.jsonl";
    ASSERT_TRUE(writeFileAtomically(path, text));
    Expected<JobList> opened = JobList::open(path, output(), /*rounds=*/2);
    ASSERT_TRUE(opened) << messageOf(opened);
    list.emplace(std::move(*opened));
  }

  std::string output() const { return temporary->path() + "/r.jsonl"; }

  /// The id of the next job, with what becomes of its results; "-" if there is
  /// none now.
  std::string next() {
    std::optional<Job> job = *list->next();
    return job ? job->id + (job->verify.empty() ? "" : " verified") : "-";
  }

  void done(size_t index, double seconds,
            RecordStatus status = RecordStatus::Ok) {
    Record record = jobs[index].record;
    record.status = status;
    if (status == RecordStatus::Ok)
      record.runs = {{{{"n", 1}}, 1, seconds, ""}};
    ASSERT_TRUE(list->done(jobs[index], record));
  }

  std::optional<TemporaryFolder> temporary;
  std::vector<Job> jobs;
  std::optional<JobList> list;
};

} // namespace

TEST_F(JobListTest, AllAreTimedBeforeOneIsAgain) {
  open(2);
  EXPECT_EQ(next(), "a verified");
  EXPECT_EQ(next(), "b verified");
  EXPECT_EQ(next(), "-"); // The first is still running.
  done(0, 3);
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "-");
  done(1, 5);
  EXPECT_EQ(next(), "b");
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(list->summary(), "no job");
  done(1, 6);
  done(0, 4);
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(list->summary(), "2 ok");
  // In the order of the jobs.
  std::string records = *readFile(output());
  EXPECT_LT(records.find("\"seconds\":4.0"), records.find("\"seconds\":6.0"));
}

TEST_F(JobListTest, WhatFailsIsNotTimedAgain) {
  open(3);
  for (const char *id : {"a verified", "b verified", "c verified"})
    EXPECT_EQ(next(), id);
  done(0, 0, RecordStatus::WrongResult);
  done(2, 0, RecordStatus::Crash);
  done(1, 1);
  EXPECT_EQ(next(), "b");
  done(1, 2);
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(list->summary(), "1 ok, 1 wrong-result, 1 crash");
}
