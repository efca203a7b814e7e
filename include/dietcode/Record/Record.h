//===- Record.h - What was measured of a micro-kernel -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is one line of JSON: what one micro-kernel, built with one
// toolchain, did on one device. It has no declared shape, range or weight in
// it, so that none of them makes it useless when they change. docs/records.md
// has the fields.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RECORD_RECORD_H
#define DIETCODE_RECORD_RECORD_H

#include "dietcode/Record/RunMeasurement.h"
#include "dietcode/Support/Expected.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietcode {

/// How far a candidate got. All but `Ok` mean that it must not be used.
enum class RecordStatus : uint8_t {
  Ok,
  CompileError, ///< No code came out of the compiler or the assembler.
  Spills,       ///< Refused, since registers spill to local memory.
  LaunchError,  ///< The device refused the code or the launch.
  WrongResult,  ///< An element is wrong or unwritten, or another one touched.
  Finding,      ///< A checker of the virtual GPU found something.
  Crash,        ///< The measuring process died.
  Timeout,      ///< It did not come to an end.
};

/// "ok", "compile-error" and so on, as in a file.
std::string_view nameOf(RecordStatus status);
std::optional<RecordStatus> parseRecordStatus(std::string_view name);

/// A problem's extents by name, in the order of the operator: m, n, k.
using RecordShape = std::vector<std::pair<std::string, int64_t>>;

/// One timed launch.
struct RecordRun {
  RecordShape shape;
  int64_t blocks = 0;  ///< Of the grid.
  double seconds = 0;  ///< Positive and finite.
  std::string unknown; ///< As in Record.
  /// Nothing if the time is a model's.
  std::optional<RunMeasurement> measured = std::nullopt;
};

struct Record {
  /// The key. `op` is "operator" in the file: what is computed, with its types
  /// and layouts, e.g. "matmul f32 nt".
  std::string op;
  /// Identifies what the code was made from, and so whether an operator may
  /// take the record to be of its own micro-kernels; others only learn from it.
  std::string source;
  std::string schedule;  ///< e.g. "128x128x8_8x8".
  std::string twin;      ///< "aligned" or "general".
  std::string device;    ///< e.g. "virtual:t4".
  std::string toolchain; ///< What made the code from the schedule.

  RecordStatus status = RecordStatus::Ok;
  std::string error; ///< Why, unless the status is Ok.

  int64_t registers = 0; ///< Per thread; 0: unknown.
  int64_t spillBytes = 0;
  int64_t sharedBytes = 0; ///< Of a block.
  int64_t threads = 0;     ///< Of a block.
  int64_t blocksPerSM = 0; ///< Resident at once.
  bool verified = false;   ///< Compared with a reference before it was timed.
  std::vector<RecordRun> runs;

  /// Fields that this version does not know, as one JSON object; empty if there
  /// are none. They are written back.
  std::string unknown;
};

/// Equal for records of the same micro-kernel, device and toolchain.
std::string recordKey(const Record &record);

/// The inverse of printRecord. Times that are no positive finite numbers are
/// left out and counted in `droppedTimes`, even where they make the line
/// invalid JSON (NaN, Infinity).
Expected<Record> parseRecord(std::string_view line,
                             unsigned *droppedTimes = nullptr);

/// One line without its end. The order of the fields is fixed, and numbers are
/// as short as reading them back to the same value allows.
std::string printRecord(const Record &record);

/// A newer record of the same key over an older one: the newer one's fields
/// hold, and the runs are those of both, of equal shapes the newer ones. A
/// record that failed has no use for runs, and leaves none.
Record mergeRecords(const Record &older, Record newer);

/// One candidate that was measured in several rounds: the first failure, or
/// what the first round says, with the median time of all. At least one record.
Record mergeRounds(const std::vector<Record> &rounds);

} // namespace dietcode

#endif // DIETCODE_RECORD_RECORD_H
