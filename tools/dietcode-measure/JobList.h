//===- JobList.h - Jobs of one file, records of another ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TOOLS_DIETCODE_MEASURE_JOBLIST_H
#define DIETCODE_TOOLS_DIETCODE_MEASURE_JOBLIST_H

#include "dietcode/Measure/Measure.h"
#include "dietcode/Record/RecordFile.h"
#include <map>
#include <string>
#include <vector>

namespace dietcode {

/// Jobs, one a line, whose records go out in the order of the jobs, however
/// many workers there are.
class JobList : public JobQueue {
public:
  /// "-" is standard input and output. All jobs are read, and the output is
  /// opened, before anything is measured.
  /// All jobs are timed `rounds` times, each once in a round.
  static Expected<JobList> open(const std::string &jobs,
                                const std::string &output, unsigned rounds);

  Expected<std::optional<Job>> next() override;
  Expected<bool> done(const Job &job, const Record &record) override;

  const std::vector<Job> &jobs() const { return all; }
  /// What has become of the jobs, e.g. "3 ok, 1 timeout".
  std::string summary() const;

private:
  Expected<bool> write(const Record &record);

  std::vector<Job> all;
  unsigned rounds = 1;
  size_t started = 0; ///< Of all jobs in all rounds.
  size_t written = 0;
  std::map<std::string, size_t> indices;
  std::map<size_t, std::vector<Record>> measured; ///< In the rounds so far.
  std::map<size_t, Record> waiting; ///< Records whose turn has not come.
  std::map<RecordStatus, unsigned> counts;
  std::optional<RecordWriter> writer; ///< Nothing for standard output.
};

} // namespace dietcode

#endif // DIETCODE_TOOLS_DIETCODE_MEASURE_JOBLIST_H
