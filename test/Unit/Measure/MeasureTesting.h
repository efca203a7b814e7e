//===- MeasureTesting.h - Candidates for tests ------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_MEASURE_MEASURETESTING_H
#define DIETCODE_TEST_UNIT_MEASURE_MEASURETESTING_H

#include "../Record/RecordTesting.h"
#include "dietcode/Measure/JobFolder.h"
#include <cstring>
#include <vector>

namespace dietcode {

/// y[i] = 2 x[i] for i < n, with lines of PTX in front of the store of %f2 to
/// [%rd4].
inline std::string scalePtx(const std::string &beforeStore = "") {
  return R"(.version 6.5
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 y, .param .u64 x, .param .u32 n) {
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 ret;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd5, %rd1, %rd3;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd5];
  add.rn.f32 %f2, %f1, %f1;
)" + beforeStore +
         R"(
  st.global.f32 [%rd4], %f2;
  ret;
})";
}

/// What may be wrong with a candidate.
inline const char *const endlessPtx = "again:\n  bra again;";
inline const char *const outOfBoundsPtx = "add.s64 %rd4, %rd4, 4096;";
inline const char *const wrongPtx = "add.rn.f32 %f2, %f2, %f1;";
inline const char *const halfWrittenPtx =
    "setp.ge.u32 %p2, %r4, 20;\n  @%p2 ret;";

template <typename T>
std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

constexpr unsigned checkedElements = 40;

inline void addScaleFiles(JobFolder &folder) {
  std::vector<float> x;
  std::vector<double> expected;
  for (unsigned i = 0; i < checkedElements; ++i) {
    x.push_back(static_cast<float>(i) + 0.5f);
    expected.push_back(2 * x.back());
  }
  ASSERT_TRUE(folder.addFile("data/x.bin", bytesOf(x)));
  ASSERT_TRUE(folder.addFile("data/expected.f64", bytesOf(expected)));
}

/// A job that verifies 40 elements of `ptx` and times 2^30 of them, or fewer.
inline Job makeScaleJob(JobFolder &folder, const std::string &id,
                        const std::string &ptx = scalePtx(),
                        uint32_t timedElements = 1u << 30) {
  Job job;
  job.id = id;
  job.device = "virtual:t4";
  job.ptx = "data/" + id + ".ptx";
  job.kernels = {{"scale", 32}};
  job.record = makeRecord(id);
  job.record.runs.clear();
  uint64_t bytes = 4 * checkedElements, large = uint64_t(4) * timedElements;
  job.buffers = {{bytes + 64, BufferInit::NaN, ""},
                 {bytes, BufferInit::File, "data/x.bin"},
                 {large, BufferInit::Uninitialized, ""},
                 {large, BufferInit::Uninitialized, ""}};
  JobLaunch checked;
  checked.grid = {2, 1, 1};
  checked.block = {32, 1, 1};
  checked.args = {JobArgument::pointer(0), JobArgument::pointer(1),
                  JobArgument::u32(checkedElements)};
  JobOutput output;
  output.sizes = {5, 8};
  output.strides = {8, 1};
  output.expected = "data/expected.f64";
  output.tolerance = 1e-6;
  job.verify = {{{checked}, {output}}};
  JobLaunch timed;
  timed.grid = {timedElements / 256, 1, 1};
  timed.block = {256, 1, 1};
  timed.args = {JobArgument::pointer(2), JobArgument::pointer(3),
                JobArgument::u32(timedElements)};
  job.time = {{{timed}, {{"n", timedElements}}}};
  auto ok = folder.addFile(job.ptx, ptx);
  EXPECT_TRUE(ok) << messageOf(ok);
  return job;
}

} // namespace dietcode

#endif // DIETCODE_TEST_UNIT_MEASURE_MEASURETESTING_H
