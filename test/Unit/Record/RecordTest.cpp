//===- RecordTest.cpp - Tests of records as JSON --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTesting.h"

#include <cstring>

using namespace dietcode;

static const char *const example =
    R"({"v":1,"operator":"matmul f32 nt","source":"9ae16a3b2f90404f",)"
    R"("schedule":"128x128x8_8x8",)"
    R"("twin":"aligned","device":"virtual:t4","toolchain":"llvm 22.1",)"
    R"("status":"ok","error":"","registers":128,"spill_bytes":0,)"
    R"("shared_bytes":16896,"threads":256,"blocks_per_sm":2,"verified":true,)"
    R"("runs":[{"shape":{"m":2048,"n":2304,"k":768},"blocks":288,)"
    R"("seconds":0.00123}]})";

/// The example with a part replaced.
static std::string with(const std::string &part, const std::string &other) {
  std::string text = example;
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(RecordTest, roundTrip) {
  Expected<Record> record = parseRecord(example);
  ASSERT_TRUE(record) << messageOf(record);
  EXPECT_EQ(record->op, "matmul f32 nt");
  EXPECT_EQ(record->registers, 128);
  ASSERT_EQ(record->runs.size(), 1u);
  RecordShape shape = {{"m", 2048}, {"n", 2304}, {"k", 768}};
  EXPECT_EQ(record->runs[0].shape, shape);
  EXPECT_EQ(record->runs[0].seconds, 0.00123);
  EXPECT_EQ(printRecord(*record), example);
}

TEST(RecordTest, unknownFieldsAreKept) {
  std::string line = with("}]}", R"(,"clock":1.59}],"note":{"a":[1,null]}})");
  Expected<Record> record = parseRecord(line);
  ASSERT_TRUE(record) << messageOf(record);
  EXPECT_EQ(printRecord(*record), line);
}

TEST(RecordTest, howATimeWasMeasured) {
  std::string measured =
      R"("seconds":0.00123,"repetitions":21,"rounds":3,"min":0.0012,)"
      R"("max":0.0015,"l2":"flushed","sm_mhz":1590,"memory_mhz":5001,)"
      R"("watts":68.25,"celsius":61)";
  std::string line = with("\"seconds\":0.00123", measured);
  Expected<Record> record = parseRecord(line);
  ASSERT_TRUE(record) << messageOf(record);
  ASSERT_TRUE(record->runs[0].measured);
  EXPECT_EQ(record->runs[0].measured->rounds, 3);
  EXPECT_EQ(record->runs[0].measured->mostSeconds, 0.0015);
  EXPECT_EQ(record->runs[0].measured->l2, L2State::Flushed);
  EXPECT_EQ(record->runs[0].measured->conditions.watts, 68.25);
  EXPECT_EQ(record->unknown, "");
  EXPECT_EQ(printRecord(*record), line);
  // What the GPU does not tell is left out.
  std::string less = with("\"seconds\":0.00123",
                          R"("seconds":0.00123,"repetitions":1,"rounds":1,)"
                          R"("min":0.00123,"max":0.00123,"l2":"warm")");
  record = parseRecord(less);
  ASSERT_TRUE(record) << messageOf(record);
  EXPECT_EQ(record->runs[0].measured->l2, L2State::Warm);
  EXPECT_EQ(printRecord(*record), less);
  auto wrong = [&](const char *from, const char *to) {
    std::string text = line;
    return messageOf(
        parseRecord(text.replace(text.find(from), std::strlen(from), to)));
  };
  EXPECT_EQ(wrong("\"flushed\"", "\"hot\""),
            "'l2' is neither flushed nor warm");
  EXPECT_EQ(wrong(",\"l2\":\"flushed\"", ""), "'l2' is missing");
  EXPECT_EQ(wrong("68.25", "-1"), "'watts' is no number, or a negative one");
}

TEST(RecordTest, roundsAreMerged) {
  auto makeRound = [](double seconds, double least, double most) {
    Record record = *parseRecord(example);
    RunMeasurement measured;
    measured.repetitions = 21;
    measured.leastSeconds = least;
    measured.mostSeconds = most;
    measured.conditions.celsius = int64_t(seconds);
    record.runs[0].seconds = seconds;
    record.runs[0].measured = measured;
    return record;
  };
  std::vector<Record> rounds = {makeRound(5, 4, 6), makeRound(40, 39, 50),
                                makeRound(6, 3, 7)};
  rounds[0].verified = true;
  rounds[1].runs[0].measured->l2 = L2State::Warm;
  Record merged = mergeRounds(rounds);
  EXPECT_TRUE(merged.verified);
  const RecordRun &run = merged.runs[0];
  EXPECT_EQ(run.seconds, 6);
  EXPECT_EQ(run.measured->repetitions, 63);
  EXPECT_EQ(run.measured->rounds, 3);
  EXPECT_EQ(run.measured->leastSeconds, 3);
  EXPECT_EQ(run.measured->mostSeconds, 50);
  EXPECT_EQ(run.measured->l2, L2State::Warm);
  EXPECT_EQ(run.measured->conditions.celsius, 6);
  // A model's times have nothing but themselves.
  for (Record &record : rounds)
    record.runs[0].measured.reset();
  EXPECT_FALSE(mergeRounds(rounds).runs[0].measured);
  rounds[1].status = RecordStatus::Crash;
  rounds[1].error = "died";
  EXPECT_EQ(mergeRounds(rounds).error, "died");
}

TEST(RecordTest, timesThatAreNone) {
  for (std::string time : {"NaN", "nan", "-Infinity", "inf", "1e999", "0",
                           "-0.5", "null", "-nan(ind)"}) {
    unsigned dropped = 0;
    Expected<Record> record = parseRecord(with("0.00123", time), &dropped);
    ASSERT_TRUE(record) << time << ": " << messageOf(record);
    EXPECT_EQ(dropped, 1u) << time;
    EXPECT_TRUE(record->runs.empty()) << time;
  }
  unsigned dropped = 0;
  Expected<Record> named =
      parseRecord(with("matmul f32 nt", "NaN \\\" NaN"), &dropped);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->op, "NaN \" NaN");
  EXPECT_EQ(dropped, 0u);
}

TEST(RecordTest, mistakes) {
  EXPECT_EQ(messageOf(parseRecord("")), "it is not JSON");
  EXPECT_EQ(messageOf(parseRecord("[1]")), "it is no JSON object");
  EXPECT_EQ(messageOf(parseRecord("{}")), "'v' is missing");
  EXPECT_EQ(messageOf(parseRecord(with("\"v\":1", "\"v\":2"))),
            "it has version 2; this program knows 1");
  EXPECT_EQ(messageOf(parseRecord(with("\"twin\":\"aligned\",", ""))),
            "'twin' is missing");
  EXPECT_EQ(messageOf(parseRecord(with("\"aligned\"", "3"))),
            "'twin' is no string");
  EXPECT_EQ(messageOf(parseRecord(with("\"ok\"", "\"fine\""))),
            "'status' is none that there is");
  EXPECT_EQ(messageOf(parseRecord(with("128,", "-1,"))),
            "'registers' is no natural number");
  EXPECT_EQ(messageOf(parseRecord(with("2048", "\"big\""))),
            "'shape' has an extent that is no integer");
  EXPECT_EQ(messageOf(parseRecord(with("0.00123", "\"fast\""))),
            "'seconds' is no number");
  EXPECT_EQ(messageOf(parseRecord(std::string(100000, '['))), "it is not JSON");
}

TEST(RecordTest, anyBytesInAnError) {
  Record record = makeRecord("s");
  record.status = RecordStatus::Finding;
  record.error = "bad \xff byte,\nline \"two\"";
  std::string line = printRecord(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(parseRecord(line));
}

TEST(RecordTest, statusNames) {
  for (int i = 0; i < 8; ++i) {
    auto status = static_cast<RecordStatus>(i);
    EXPECT_EQ(parseRecordStatus(nameOf(status)), status);
  }
}

TEST(RecordTest, mergeRuns) {
  Record older = makeRecord("s", 1), newer = makeRecord("s", 2);
  older.registers = 1;
  older.unknown = R"({"a":1,"b":1})";
  newer.unknown = R"({"b":2})";
  newer.runs.push_back({{{"m", 1}}, 1, 3, ""});
  Record merged = mergeRecords(older, newer);
  ASSERT_EQ(merged.runs.size(), 2u);
  EXPECT_EQ(merged.runs[0].seconds, 2);
  EXPECT_EQ(merged.runs[1].seconds, 3);
  EXPECT_EQ(merged.registers, 128);
  EXPECT_EQ(merged.unknown, R"({"b":2,"a":1})");
  newer.status = RecordStatus::Crash;
  newer.runs.clear();
  EXPECT_TRUE(mergeRecords(older, newer).runs.empty());
}
