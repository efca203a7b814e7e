//===- JobTest.cpp - Tests of jobs as JSON --------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureTesting.h"
#include <cmath>

using namespace dietcode;

TEST(JobTest, roundTrip) {
  TestFolder root;
  Expected<JobFolder> folder = JobFolder::create(root.path("f"));
  ASSERT_TRUE(folder) << messageOf(folder);
  Job job = makeScaleJob(*folder, "a-1.b_2");
  job.record.unknown = R"({"note":1})";
  job.verify[0].launches[0].args.push_back(JobArgument::i64(-1));
  job.verify[0].launches[0].args.push_back(JobArgument::u64(~uint64_t(0)));
  job.verify[0].launches[0].args.push_back(JobArgument::f32(std::nanf("")));
  job.verify[0].launches[0].args.push_back(JobArgument::f64(-INFINITY));
  job.verify[0].launches[0].args.push_back(JobArgument::i32(-2147483647 - 1));
  job.kernels.push_back({"shrink", 0});
  job.time[0].launches.push_back(job.time[0].launches[0]);
  job.time[0].launches[1].kernel = 1;
  job.buffers[2].isScratch = true;
  std::string text = printJob(job);
  Expected<Job> parsed = parseJob(text);
  ASSERT_TRUE(parsed) << messageOf(parsed);
  EXPECT_EQ(printJob(*parsed), text);
  ASSERT_EQ(parsed->verify[0].launches[0].args.size(), 8u);
  EXPECT_EQ(parsed->verify[0].launches[0].args[4].scalar,
            job.verify[0].launches[0].args[4].scalar);
  EXPECT_EQ(parsed->verify[0].launches[0].args[7].scalar,
            job.verify[0].launches[0].args[7].scalar);
  EXPECT_EQ(parsed->time[0].shape, job.time[0].shape);
  ASSERT_EQ(parsed->time[0].launches.size(), 2u);
  EXPECT_EQ(parsed->kernels[1].name, "shrink");
  EXPECT_TRUE(parsed->buffers[2].isScratch);
}

TEST(JobTest, mistakes) {
  TestFolder root;
  Expected<JobFolder> folder = JobFolder::create(root.path("f"));
  ASSERT_TRUE(folder);
  std::string text = printJob(makeScaleJob(*folder, "a"));
  auto with = [&](const std::string &part, const std::string &other) {
    std::string changed = text;
    size_t at = changed.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return messageOf(parseJob(changed.replace(at, part.size(), other)));
  };
  EXPECT_EQ(messageOf(parseJob("{")), "it is not JSON");
  EXPECT_EQ(messageOf(parseJob("3")), "it is no JSON object");
  EXPECT_EQ(messageOf(parseJob("{}")), "'v' is missing");
  EXPECT_EQ(with("\"v\":2", "\"v\":1"),
            "it has version 1; this program knows 2");
  EXPECT_EQ(with("\"id\":\"a\"", "\"id\":\"../a\""),
            "'../a' cannot be the id of a job");
  EXPECT_EQ(with("data/a.ptx", "data/../../a.ptx"),
            "'data/../../a.ptx' is not in the job folder");
  EXPECT_EQ(with("data/x.bin", "/etc/passwd"),
            "'/etc/passwd' is not in the job folder");
  EXPECT_EQ(with("\"kernels\":", "\"kern\":"), "there are no 'kernels'");
  EXPECT_EQ(with("\"name\":", "\"nam\":"), "'name' is missing");
  EXPECT_EQ(with("\"kernel\":0", "\"kernel\":1"), "there is no kernel 1");
  EXPECT_EQ(with("\"kernel\":0", "\"kernel\":-1"), "'kernel' is negative");
  EXPECT_EQ(with("\"launches\":", "\"launch\":"), "a run has no 'launches'");
  EXPECT_EQ(with("\"registers\":32", "\"registers\":-2"),
            "'registers' is not in 0 to 1024");
  EXPECT_EQ(with("\"buffer\":1", "\"buffer\":7"), "there is no buffer 7");
  EXPECT_EQ(with("\"offset\":0", "\"offset\":9999"),
            "offset 9999 is outside of buffer 0");
  EXPECT_EQ(with("{\"u32\":40}", "{\"u32\":-1}"), "-1 is no u32");
  EXPECT_EQ(with("{\"u32\":40}", "{\"i8\":1}"),
            "'i8' is no type of an argument");
  EXPECT_EQ(with("[5,8]", "[5,80]"), "an output runs past the end of buffer 0");
  EXPECT_EQ(with("[5,8]", "[5,9223372036854775807]"),
            "an output runs past the end of buffer 0");
  EXPECT_EQ(with("[5,8]", "[5]"), "an output has not as many strides as sizes");
  EXPECT_EQ(with("\"type\":\"f32\"", "\"type\":\"f8\""),
            "'f8' is no type of an output");
  EXPECT_EQ(with("[2,1,1]", "[2,1]"), "'grid' is of another type");
  EXPECT_EQ(with("\"operator\":", "\"operation\":"),
            "record: 'operator' is missing");
}
