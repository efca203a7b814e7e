//===- RecordProcessTest.cpp - Several and dying writers ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTesting.h"
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dietcode;

namespace {

/// Runs `body` in a process that ends with it.
template <typename Body>
pid_t start(Body body) {
  pid_t pid = ::fork();
  if (pid != 0)
    return pid;
  body();
  ::_exit(0);
}

int statusOf(pid_t pid) {
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}

/// How often the schedule of each line is there. All lines must be whole, but
/// for those that were torn and ended.
std::map<std::string, int> countLines(const std::string &text, int &broken) {
  std::map<std::string, int> counts;
  broken = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    Expected<Record> record = parseRecord(text.substr(at, end - at));
    record ? ++counts[record->schedule] : ++broken;
    at = end + 1;
  }
  return counts;
}

/// What a tuner does: goes on after the records that there are, and says which
/// ones are in the file.
void appendFrom(const std::string &path, int acknowledge) {
  LoadOptions options;
  options.mayBeMissing = true;
  Expected<LoadedRecords> loaded = loadRecords(path, options);
  Expected<RecordWriter> writer = RecordWriter::open(path);
  if (!loaded || !writer)
    ::_exit(1);
  for (int i = static_cast<int>(loaded->records.size());; ++i) {
    Record record = makeRecord(std::to_string(i));
    record.error = std::string(static_cast<size_t>(i % 7) * 1000, 'x');
    if (!writer->append({record}) ||
        ::write(acknowledge, &i, sizeof(i)) != sizeof(i))
      ::_exit(1);
  }
}

} // namespace

TEST(RecordProcessTest, killedAtFiftyMoments) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  std::minstd_rand random(7);
  int acknowledged = 0, torn = 0;
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t pid = start([&] { appendFrom(path, ends[1]); });
    ::close(ends[1]);
    // Half of them while they start.
    if (int i; round % 2 && ::read(ends[0], &i, sizeof(i)) == sizeof(i))
      acknowledged = std::max(acknowledged, i + 1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(pid, SIGKILL);
    int status = statusOf(pid);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
    for (int i; ::read(ends[0], &i, sizeof(i)) == sizeof(i);)
      acknowledged = std::max(acknowledged, i + 1);
    ::close(ends[0]);
    // A kill may cut a long write between two pages; make sure of some.
    std::string text = contentsOf(path);
    bool isTorn = !text.empty() && text.back() != '\n';
    if (!isTorn && round % 10 == 5) {
      std::ofstream(path, std::ios::app) << "{\"v\":1,\"operator\":\"mat";
      isTorn = true;
    }
    torn += isTorn;
  }
  EXPECT_GE(acknowledged, 25);
  ASSERT_TRUE(appendRecords(path, {makeRecord("last")}));
  int broken = 0;
  std::map<std::string, int> counts = countLines(contentsOf(path), broken);
  // A writer may be killed before it writes anything after a torn line.
  EXPECT_GT(broken, 0);
  EXPECT_LE(broken, torn);
  for (int i = 0; i < acknowledged; ++i)
    EXPECT_EQ(counts[std::to_string(i)], 1) << "record " << i;
  for (auto &[schedule, count] : counts)
    EXPECT_EQ(count, 1) << "record " << schedule;
  Expected<LoadedRecords> loaded = loadRecords(path);
  ASSERT_TRUE(loaded) << messageOf(loaded);
  EXPECT_EQ(loaded->stats.merged, 0u);
  EXPECT_EQ(loaded->stats.badLines.size(), static_cast<size_t>(broken));
}

TEST(RecordProcessTest, eightWritersForFiftyRounds) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  std::vector<pid_t> pids;
  for (int writer = 0; writer < 8; ++writer)
    pids.push_back(start([&] {
      for (int round = 0; round < 50; ++round) {
        std::vector<Record> records;
        for (int i = 0; i < 3; ++i) {
          records.push_back(makeRecord(std::to_string(writer) + "." +
                                       std::to_string(round) + "." +
                                       std::to_string(i)));
          // Longer than a page, and than what a pipe writes at once.
          records.back().error = std::string(3000 * (writer % 4), 'x');
        }
        // One of them replaces the file now and then.
        bool isPruning = writer == 0 && round % 10 == 9;
        auto keep = [](LoadedRecords loaded) {
          return Expected<std::vector<Record>>(std::move(loaded.records));
        };
        if (!appendRecords(path, records) ||
            (isPruning && !rewriteRecords(path, keep)))
          ::_exit(1);
      }
    }));
  for (pid_t pid : pids)
    EXPECT_EQ(statusOf(pid), 0);
  int broken = 0;
  std::map<std::string, int> counts = countLines(contentsOf(path), broken);
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(counts.size(), 8u * 50 * 3);
  for (auto &[schedule, count] : counts)
    EXPECT_EQ(count, 1) << "record " << schedule;
}
