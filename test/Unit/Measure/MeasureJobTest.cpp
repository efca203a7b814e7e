//===- MeasureJobTest.cpp - Tests of measuring one candidate --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureTesting.h"
#include <sys/resource.h>

using namespace dietcode;

namespace {

class MeasureJobTest : public testing::Test {
protected:
  void SetUp() override {
    auto made = JobFolder::create(root.path("f"));
    ASSERT_TRUE(made) << messageOf(made);
    folder = std::make_unique<JobFolder>(*made);
    addScaleFiles(*folder);
    auto opened = openDevice("virtual:t4");
    ASSERT_TRUE(opened) << messageOf(opened);
    device = std::move(*opened);
  }
  Record measure(const Job &job) {
    return measureJob(job, folder->path(), *device);
  }
  Record measurePtx(const std::string &ptx) {
    return measure(makeScaleJob(*folder, "x", ptx));
  }
  void expect(const Record &record, RecordStatus status,
              const std::string &part) {
    EXPECT_EQ(nameOf(record.status), nameOf(status)) << record.error;
    EXPECT_NE(record.error.find(part), std::string::npos) << record.error;
    EXPECT_TRUE(record.runs.empty());
    EXPECT_FALSE(record.verified);
    EXPECT_EQ(record.schedule, "x");
  }

  TestFolder root;
  std::unique_ptr<JobFolder> folder;
  std::unique_ptr<Device> device;
};

} // namespace

TEST_F(MeasureJobTest, rightCandidate) {
  Record record = measurePtx(scalePtx());
  EXPECT_EQ(nameOf(record.status), "ok") << record.error;
  EXPECT_TRUE(record.verified);
  EXPECT_EQ(record.registers, 32);
  EXPECT_EQ(record.threads, 256);
  EXPECT_EQ(record.blocksPerSM, 4);
  ASSERT_EQ(record.runs.size(), 1u);
  EXPECT_EQ(record.runs[0].blocks, 1 << 22);
  // 8 GiB over 320 GB/s at best: the buffers are as large as they seem.
  EXPECT_GT(record.runs[0].seconds, 0.02);
  // But no memory is touched that no block of the few that run touches.
  rusage usage;
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 2 << 20);
}

TEST_F(MeasureJobTest, timesAreReproducible) {
  Job job = makeScaleJob(*folder, "x");
  std::string first = printRecord(measure(job));
  for (int i = 0; i < 3; ++i) {
    auto other = openDevice("virtual:t4");
    ASSERT_TRUE(other);
    EXPECT_EQ(printRecord(measureJob(job, folder->path(), **other)), first);
  }
}

TEST_F(MeasureJobTest, refusedPtx) {
  expect(measurePtx(scalePtx("frobnicate.f32 %f1, %f2;")),
         RecordStatus::LaunchError, "data/x.ptx:");
  expect(measurePtx(""), RecordStatus::LaunchError, "data/x.ptx");
  Job job = makeScaleJob(*folder, "x");
  job.kernels = {{"shrink", 0}};
  expect(measure(job), RecordStatus::LaunchError,
         "there is no kernel 'shrink'; the module has scale");
  job = makeScaleJob(*folder, "x");
  job.verify[0].launches[0].block = {2048, 1, 1};
  expect(measure(job), RecordStatus::LaunchError, "outside of the limits");
  job = makeScaleJob(*folder, "x");
  job.verify[0].launches[0].args.pop_back();
  expect(measure(job), RecordStatus::LaunchError,
         "kernel 'scale' has 3 parameters, got 2");
  job = makeScaleJob(*folder, "x");
  job.time[0].launches[0].args[2] = JobArgument::u64(1);
  Record record = measure(job);
  EXPECT_EQ(record.error, "parameter 2 of kernel 'scale' has 4 bytes, got 8");
  EXPECT_TRUE(record.runs.empty());
}

TEST_F(MeasureJobTest, findings) {
  expect(measurePtx(scalePtx(outOfBoundsPtx)), RecordStatus::Finding,
         "out-of-bounds");
  Job job = makeScaleJob(*folder, "x");
  job.buffers[1] = {job.buffers[1].bytes, BufferInit::Uninitialized, ""};
  expect(measure(job), RecordStatus::Finding, "uninitialised memory");
}

/// What is found does not depend on where memory happens to be.
TEST_F(MeasureJobTest, messagesAreReproducible) {
  std::string far = "add.s64 %rd4, %rd4, 100000;";
  Record record = measurePtx(scalePtx(far));
  expect(record, RecordStatus::Finding,
         "99776 bytes past the end of allocation 'buffer 0' of 224 bytes");
  std::vector<char> moved(1000);
  auto other = openDevice("virtual:t4");
  ASSERT_TRUE(other);
  device = std::move(*other);
  EXPECT_EQ(measurePtx(scalePtx(far)).error, record.error);
}

TEST_F(MeasureJobTest, endlessLoop) {
  ::setenv("DIETCODE_VGPU_MAX_INSTRUCTIONS", "10000", 1);
  auto limited = openDevice("virtual:t4");
  ::unsetenv("DIETCODE_VGPU_MAX_INSTRUCTIONS");
  ASSERT_TRUE(limited);
  device = std::move(*limited);
  expect(measurePtx(scalePtx(endlessPtx)), RecordStatus::Timeout,
         "instructions");
}

TEST_F(MeasureJobTest, wrongResults) {
  expect(measurePtx(scalePtx(wrongPtx)), RecordStatus::WrongResult,
         "element [0, 0] of buffer 0 is 1.5, but should be 1: the error is "
         "0.5 of its magnitude, more than 1e-06");
  expect(measurePtx(scalePtx(halfWrittenPtx)), RecordStatus::WrongResult,
         "element [2, 4] of buffer 0 is nan, but should be 41: it was not "
         "written");
  Job job = makeScaleJob(*folder, "x", scalePtx());
  job.verify[0].outputs[0].sizes = {4, 8};
  std::vector<double> expected;
  for (int i = 0; i < 32; ++i)
    expected.push_back(2 * i + 1);
  ASSERT_TRUE(folder->addFile("data/expected.f64", bytesOf(expected)));
  expect(measure(job), RecordStatus::WrongResult,
         "byte 128 of buffer 0 changed from 0xff to 0x00, although no output "
         "has it");
  job.verify[0].untouched = false;
  EXPECT_EQ(nameOf(measure(job).status), "ok");
}

namespace {
/// Quadruples: the second launch doubles what the first left in buffer 4.
Job makeChainedJob(JobFolder &folder) {
  Job job = makeScaleJob(folder, "x");
  uint64_t bytes = 4 * checkedElements;
  job.buffers.push_back({bytes, BufferInit::Uninitialized, ""});
  job.buffers.back().isScratch = true;
  job.buffers.push_back({uint64_t(4) << 20, BufferInit::Uninitialized, ""});
  std::vector<double> expected;
  for (unsigned i = 0; i < checkedElements; ++i)
    expected.push_back(4 * i + 2);
  EXPECT_TRUE(folder.addFile("data/expected.f64", bytesOf(expected)));
  auto chain = [](JobSequence &launches, int scratch) {
    launches.push_back(launches.front());
    launches[0].args[0] = JobArgument::pointer(scratch);
    launches[1].args[1] = JobArgument::pointer(scratch);
  };
  chain(job.verify[0].launches, 4);
  chain(job.time[0].launches, 5);
  return job;
}
} // namespace

TEST_F(MeasureJobTest, severalLaunches) {
  Job job = makeChainedJob(*folder);
  Record record = measure(job);
  EXPECT_EQ(nameOf(record.status), "ok") << record.error;
  EXPECT_TRUE(record.verified);
  ASSERT_EQ(record.runs.size(), 1u);
  EXPECT_EQ(record.runs[0].blocks, 1 << 22);
  // Whoever leaves out the first one reads what was not written.
  job.verify[0].launches.erase(job.verify[0].launches.begin());
  expect(measure(job), RecordStatus::Finding, "uninitialised memory");
  // Only in scratch buffers does it not matter what is left.
  job = makeChainedJob(*folder);
  job.buffers[4].isScratch = false;
  expect(measure(job), RecordStatus::WrongResult, "of buffer 4 changed");
}

/// Each launch counts. What the first one writes is still in L2 if it fits.
TEST_F(MeasureJobTest, timesOfSeveralLaunches) {
  auto secondsOf = [&](uint32_t elements, size_t launches) {
    Job job = makeScaleJob(*folder, "x", scalePtx(), elements);
    job.buffers.push_back(job.buffers[2]);
    job.time[0].launches.resize(launches, job.time[0].launches[0]);
    // x to y, and y to z.
    if (launches == 2) {
      job.time[0].launches[1].args[0] = JobArgument::pointer(4);
      job.time[0].launches[1].args[1] = JobArgument::pointer(2);
    }
    Record record = measure(job);
    EXPECT_EQ(record.runs.size(), 1u) << record.error;
    return record.runs.empty() ? 0 : record.runs[0].seconds;
  };
  constexpr uint32_t small = 1 << 18, large = 1 << 24;
  EXPECT_LT(secondsOf(small, 2), 1.99 * secondsOf(small, 1));
  EXPECT_GT(secondsOf(small, 2), 1.2 * secondsOf(small, 1));
  EXPECT_NEAR(secondsOf(large, 2) / secondsOf(large, 1), 2, 1e-9);
}

TEST_F(MeasureJobTest, magnitudesAndStrides) {
  Job job = makeScaleJob(*folder, "x", scalePtx(wrongPtx));
  // Every second element, and errors relative to 1000.
  JobOutput &output = job.verify[0].outputs[0];
  output.sizes = {20};
  output.strides = {2};
  output.magnitudes = "data/magnitudes.f64";
  output.tolerance = 0.1;
  job.verify[0].untouched = false;
  std::vector<double> expected, magnitudes(20, 1000);
  for (int i = 0; i < 20; ++i)
    expected.push_back(4 * i + 1);
  ASSERT_TRUE(folder->addFile("data/expected.f64", bytesOf(expected)));
  ASSERT_TRUE(folder->addFile(output.magnitudes, bytesOf(magnitudes)));
  EXPECT_EQ(nameOf(measure(job).status), "ok");
  output.tolerance = 0.01;
  expect(measure(job), RecordStatus::WrongResult,
         "element [19] of buffer 0 is 115.5, but should be 77: the error is "
         "0.0385 of its magnitude 1000, more than 0.01");
}

TEST_F(MeasureJobTest, filesOfTheWrongSize) {
  Job job = makeScaleJob(*folder, "x");
  ASSERT_TRUE(folder->addFile("data/x.bin", "short"));
  expect(measure(job), RecordStatus::LaunchError,
         "'data/x.bin' has 5 bytes, buffer 1 has 160");
  job.buffers[1].file = "data/none.bin";
  expect(measure(job), RecordStatus::LaunchError, "No such file");
  addScaleFiles(*folder);
  ASSERT_TRUE(folder->addFile("data/expected.f64", "short"));
  expect(measure(makeScaleJob(*folder, "x")), RecordStatus::LaunchError,
         "'data/expected.f64' has 5 bytes, but an output of 40 elements needs "
         "320");
}

TEST(DeviceTest, names) {
  auto device = openDevice("virtual:t4");
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->name(), "virtual:t4");
  EXPECT_TRUE((*device)->isModel());
  EXPECT_EQ((*device)->spec().chip, "sm_75");
  EXPECT_EQ(messageOf(openDevice("t4")).substr(0, 44),
            "t4: there is no such device; use one of virt");
}

TEST(DeviceTest, memory) {
  auto device = openDevice("virtual:t4");
  ASSERT_TRUE(device);
  for (BufferUse use : {BufferUse::Checked, BufferUse::Timed}) {
    Expected<DevicePointer> pointer = (*device)->allocate(100, use, "b");
    ASSERT_TRUE(pointer) << messageOf(pointer);
    EXPECT_TRUE((*device)->copyToDevice(*pointer, "abc", 3));
    char text[4] = "";
    EXPECT_TRUE((*device)->copyToHost(text, *pointer, 3));
    EXPECT_STREQ(text, "abc");
    EXPECT_FALSE((*device)->copyToHost(text, *pointer + 98, 3));
    EXPECT_TRUE((*device)->free(*pointer));
    EXPECT_FALSE((*device)->free(*pointer));
  }
  EXPECT_FALSE((*device)->allocate(~uint64_t(0), BufferUse::Timed, "b"));
  EXPECT_FALSE((*device)->allocate(~uint64_t(0), BufferUse::Checked, "b"));
}
