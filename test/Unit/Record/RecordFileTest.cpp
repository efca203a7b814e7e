//===- RecordFileTest.cpp - Tests of files of records ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTesting.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

static std::string lineOf(const std::string &schedule) {
  return printRecord(makeRecord(schedule)) + "\n";
}

TEST(RecordFileTest, appendAndLoad) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  ASSERT_TRUE(appendRecords(path, {makeRecord("a"), makeRecord("b")}));
  ASSERT_TRUE(appendRecords(path, {makeRecord("a", 7)}));
  Expected<LoadedRecords> loaded = loadRecords(path);
  ASSERT_TRUE(loaded) << messageOf(loaded);
  ASSERT_EQ(loaded->records.size(), 2u);
  EXPECT_EQ(loaded->records[0].schedule, "a");
  EXPECT_EQ(loaded->records[0].runs[0].seconds, 7);
  EXPECT_EQ(loaded->stats.lines, 3u);
  EXPECT_EQ(loaded->stats.merged, 1u);
  EXPECT_EQ(summarize(loaded->stats), "2 records");
}

TEST(RecordFileTest, everyKindOfBadLine) {
  std::string other = lineOf("x");
  other.replace(other.find("virtual:t4"), 10, "cuda:A100");
  std::string nan = lineOf("n");
  nan.replace(nan.find("0.5"), 3, "NaN");
  std::string torn = lineOf("torn").substr(0, 50);
  LoadOptions options;
  options.device = "virtual:t4";
  std::string a = lineOf("a");
  a.replace(a.size() - 1, 1, "\r\n");
  Expected<LoadedRecords> loaded =
      parseRecords(a + "\n" + torn + "\n" + other + nan + other + "{}\n" +
                       lineOf("b") + torn,
                   "r.jsonl", options);
  ASSERT_TRUE(loaded) << messageOf(loaded);
  EXPECT_EQ(loaded->records.size(), 3u);
  EXPECT_EQ(summarize(loaded->stats),
            "3 records; skipped 1 torn line (line 9), 2 broken lines (line 3: "
            "it is not JSON; line 7), 2 of other devices, 1 time that is no "
            "positive number");
}

TEST(RecordFileTest, completeLineWithoutEnd) {
  std::string text = lineOf("a");
  text.pop_back();
  Expected<LoadedRecords> loaded = parseRecords(text, "r.jsonl");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->records.size(), 1u);
  EXPECT_FALSE(loaded->stats.tornLine);
}

TEST(RecordFileTest, filesThatCannotBeRead) {
  TestFolder folder;
  std::string missing = folder.path("none.jsonl");
  EXPECT_EQ(messageOf(loadRecords(missing)),
            "cannot open '" + missing + "': No such file or directory");
  LoadOptions options;
  options.mayBeMissing = true;
  Expected<LoadedRecords> none = loadRecords(missing, options);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->records.empty());
  EXPECT_EQ(messageOf(loadRecords(folder.path(), options)),
            "cannot read '" + folder.path() + "': Is a directory");
  std::string foreign = folder.path("model.ubj");
  writeTo(foreign, std::string("L\0\1 binary\n{}", 13));
  std::string message = "'" + foreign +
                        "' is no file of records: its first "
                        "line is no JSON object";
  EXPECT_EQ(messageOf(loadRecords(foreign)), message);
  EXPECT_EQ(messageOf(RecordWriter::open(foreign)), message);
  EXPECT_EQ(messageOf(RecordWriter::open(folder.path())),
            "cannot append to '" + folder.path() + "': Is a directory");
}

TEST(RecordFileTest, tornLineIsEndedFirst) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  std::string torn = lineOf("torn").substr(0, 40);
  writeTo(path, lineOf("a") + torn);
  ASSERT_TRUE(appendRecords(path, {makeRecord("b")}));
  EXPECT_EQ(contentsOf(path), lineOf("a") + torn + "\n" + lineOf("b"));
}

TEST(RecordFileTest, fullDevice) {
  Expected<bool> result = appendRecords("/dev/full", {makeRecord("a")});
  EXPECT_EQ(messageOf(result),
            "cannot append to '/dev/full': No space left on device");
}

TEST(RecordFileTest, noRoomForALine) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  ASSERT_TRUE(appendRecords(path, {makeRecord("a")}));
  std::string before = contentsOf(path);
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  // Room for half of the next line.
  rlimit limit = {before.size() * 3 / 2, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Expected<bool> result = appendRecords(path, {makeRecord("b")});
  std::string during = contentsOf(path);
  Expected<bool> rewritten = rewriteRecords(path, [](LoadedRecords loaded) {
    loaded.records.push_back(makeRecord("b"));
    return Expected<std::vector<Record>>(loaded.records);
  });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(messageOf(result),
            "cannot append to '" + path + "': File too large");
  EXPECT_EQ(during, before);
  EXPECT_EQ(messageOf(rewritten),
            "cannot write '" + path + "': File too large");
  EXPECT_EQ(contentsOf(path), before);
  auto files = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  ASSERT_TRUE(appendRecords(path, {makeRecord("b")}));
  EXPECT_EQ(contentsOf(path), before + lineOf("b"));
}

TEST(RecordFileTest, rewriteKeepsFileOnError) {
  TestFolder folder;
  std::string path = folder.path("r.jsonl");
  writeTo(path, lineOf("a") + lineOf("b"));
  auto refuse = [](LoadedRecords) {
    return Expected<std::vector<Record>>(fail("no"));
  };
  EXPECT_EQ(messageOf(rewriteRecords(path, refuse)), "no");
  EXPECT_EQ(contentsOf(path), lineOf("a") + lineOf("b"));
  auto dropFirst = [](LoadedRecords loaded) {
    loaded.records.erase(loaded.records.begin());
    return Expected<std::vector<Record>>(std::move(loaded.records));
  };
  ASSERT_TRUE(rewriteRecords(path, dropFirst));
  EXPECT_EQ(contentsOf(path), lineOf("b"));
}
