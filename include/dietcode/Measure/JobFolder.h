//===- JobFolder.h - Jobs and results in a shared folder --------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seam between those who compile candidates and those who measure them:
//
//   data/                 PTX, operands, references; written before the job
//   jobs/<id>.json        a job, complete when it appears
//   claims/<id>.<n>       who works on it; its time is that of the last sign of
//                         life, and claim n + 1 follows when n is too old
//   results/<id>.json     {"id", "worker", "record"}, once
//   stop                  tells workers to take no further job
//
// Any number of workers on any number of machines may share the folder, and any
// of them may die. Every job gets exactly one result.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_MEASURE_JOBFOLDER_H
#define DIETCODE_MEASURE_JOBFOLDER_H

#include "dietcode/Measure/Measure.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dietcode {

struct JobResult {
  std::string id;
  std::string worker; ///< host:pid of who did it.
  /// If the job's file made no sense, only status and error are set.
  Record record;
};

/// The folder as the one who makes jobs sees it.
class JobFolder {
public:
  /// Makes the folder and its parts unless they are there, and removes an old
  /// stop file.
  static Expected<JobFolder> create(const std::string &path);
  /// An existing one.
  static Expected<JobFolder> open(const std::string &path);

  const std::string &path() const { return root; }

  /// Writes a file of jobs, e.g. "data/a.bin".
  Expected<bool> addFile(const std::string &name, std::string_view contents);
  /// Makes a job visible to workers. Its files must be there, and its id new.
  Expected<bool> addJob(const Job &job);

  /// The results that have come since the last call, ordered by id.
  Expected<std::vector<JobResult>> collect();
  /// Forgets a job whether or not it has a result: removes its job, claims and
  /// result files, but not those in data/.
  Expected<bool> remove(const std::string &id);
  /// Tells the workers to take no further job.
  Expected<bool> stop();

private:
  explicit JobFolder(std::string root) : root(std::move(root)) {}

  std::string root;
  std::set<std::string> collected;
};

struct WorkOptions : MeasureOptions {
  double leaseSeconds = 30; ///< A claim without a sign of life is dead then.
  bool wait = false;        ///< Wait for more jobs until there is a stop file.
};

/// Does the jobs of a folder: those there now, also those of workers that died,
/// or as they come if `wait` is set. False if `interrupted` ended it.
Expected<bool> workOnFolder(const std::string &path, const WorkOptions &options,
                            const std::function<bool()> &interrupted = nullptr);

/// `dietcode-measure` on a folder, as a process of its own: it may be started
/// from a program with threads, and ends when this program does, however it
/// ends.
class MeasureProcess {
public:
  ~MeasureProcess(); ///< Kills it.
  MeasureProcess(MeasureProcess &&other) noexcept;
  MeasureProcess &operator=(MeasureProcess &&other) noexcept;

  /// Whether it still runs. It should until it is told to stop.
  bool running();
  /// Waits until it has ended after JobFolder::stop. Its exit status.
  Expected<int> wait(double seconds);
  void kill();

private:
  friend Expected<MeasureProcess> spawnWorkers(const std::string &, unsigned,
                                               const WorkOptions &,
                                               const std::string &);
  MeasureProcess(int pid, int lifeline) : pid(pid), lifeline(lifeline) {}

  int pid = -1;
  int lifeline = -1; ///< Closing it ends the process.
  std::optional<int> status;
};

/// Starts a process that measures up to `workers` jobs at a time. `program` is
/// dietcode-measure; if empty, the one next to the running program, or else the
/// one on the PATH.
Expected<MeasureProcess> spawnWorkers(const std::string &folder,
                                      unsigned workers,
                                      const WorkOptions &options,
                                      const std::string &program = "");

} // namespace dietcode

#endif // DIETCODE_MEASURE_JOBFOLDER_H
