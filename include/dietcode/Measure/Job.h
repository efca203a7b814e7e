//===- Job.h - One candidate to verify and to time --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job is a JSON object: PTX, launches whose results are known, and launches
// to time. A candidate may need several launches, one after the other, on the
// same buffers. A job says nothing of operators; whoever compiles the candidate
// also makes its operands and its reference. docs/measuring.md has the fields.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_MEASURE_JOB_H
#define DIETCODE_MEASURE_JOB_H

#include "dietcode/Record/Record.h"
#include "dietcode/Support/Expected.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

enum class BufferInit : uint8_t {
  Uninitialized, ///< Reading it before writing it is a finding.
  NaN,           ///< Bytes of 0xff, which may be read.
  File,          ///< The contents of a file, which has the buffer's size.
};

struct JobBuffer {
  uint64_t bytes = 0;
  BufferInit init = BufferInit::Uninitialized;
  std::string file; ///< Of BufferInit::File, relative to the job folder.
  /// Launches of a sequence exchange results in it: what it holds at the end
  /// does not matter.
  bool isScratch = false;
};

/// A kernel of the candidate.
struct JobKernel {
  std::string name;
  int64_t registers = 0; ///< Per thread; 0: unknown.
};

/// A parameter of the kernel: a scalar by value, or a pointer into a buffer.
struct JobArgument {
  int buffer = -1;          ///< Its index; -1 for a scalar.
  uint64_t offset = 0;      ///< In bytes.
  std::string type;         ///< Of a scalar: i32 u32 i64 u64 f32 f64.
  std::vector<char> scalar; ///< Its bytes.

  static JobArgument pointer(int buffer, uint64_t offset = 0);
  static JobArgument i32(int32_t value);
  static JobArgument u32(uint32_t value);
  static JobArgument i64(int64_t value);
  static JobArgument u64(uint64_t value);
  static JobArgument f32(float value);
  static JobArgument f64(double value);
};

struct JobLaunch {
  int kernel = 0; ///< Its index.
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t sharedBytes = 0; ///< Dynamic.
  std::vector<JobArgument> args;
};

/// Launches one after the other, which together are one run of the candidate.
using JobSequence = std::vector<JobLaunch>;

/// Elements of a buffer whose values are known after a run.
struct JobOutput {
  int buffer = 0;
  uint64_t offset = 0;      ///< Of the first element, in bytes.
  std::string type = "f32"; ///< f16 f32 f64 i1 i8 i16 i32 i64.
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides; ///< In elements.
  /// A file of doubles, one for each element, the last index fastest.
  std::string expected;
  /// Another one: what errors are relative to, if it is more than the expected
  /// value's magnitude. May be empty.
  std::string magnitudes;
  double tolerance = 0; ///< Largest |got - expected| / magnitude.
};

/// A run that is verified. Buffers have their initial contents before it.
struct JobVerify {
  JobSequence launches;
  std::vector<JobOutput> outputs;
  /// Whether all bytes of buffers outside of the outputs must stay as they are.
  bool untouched = true;
};

/// A run that is timed, as the sum of its launches. What its buffers hold is
/// left open.
struct JobTime {
  JobSequence launches;
  RecordShape shape;
};

struct Job {
  /// Of letters, digits, '-', '_' and '.', not starting with a '.'; at most 200
  /// of them.
  std::string id;
  std::string device; ///< Empty: whatever device measures it.
  std::string ptx;    ///< A file, relative to the job folder.
  /// At least one; the record has the resources of the first.
  std::vector<JobKernel> kernels;
  /// What the record starts from: key, spill bytes, unknown fields. Status and
  /// runs are what measuring finds.
  Record record;
  std::vector<JobBuffer> buffers;
  std::vector<JobVerify> verify;
  std::vector<JobTime> time;
};

/// A job as one line of JSON, and back.
std::string printJob(const Job &job);
Expected<Job> parseJob(std::string_view text);

/// Whether `id` can name the files of a job.
bool isJobId(std::string_view id);

} // namespace dietcode

#endif // DIETCODE_MEASURE_JOB_H
