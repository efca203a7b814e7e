//===- CandidateEvaluator.cpp - Compile, verify and time candidates -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/CandidateEvaluator.h"

#include "dietcode/Target/Ptxas.h"
#include "dietcode/Tune/KernelLaunch.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <sys/resource.h>
#include <thread>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;
using ::dietcode::fail;
using ::dietcode::Job;
using ::dietcode::JobBuffer;
using ::dietcode::JobFolder;
using ::dietcode::JobKernel;
using ::dietcode::JobResult;
using ::dietcode::JobTime;
using ::dietcode::PlannedRun;
using ::dietcode::PtxasKernel;
using ::dietcode::PtxasOutcome;
using ::dietcode::PtxasStatus;
using ::dietcode::Record;
using ::dietcode::RecordStatus;
using ::dietcode::Schedule;

static double secondsOf(const timeval &time) {
  return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
}

/// Processor time of the calling thread (RUSAGE_THREAD), or of all children
/// that have ended (RUSAGE_CHILDREN).
static double processorSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static std::string describeToolchain() {
  std::string text = "llvm " LLVM_VERSION_STRING;
  std::string path = ::dietcode::findPtxas();
  std::string version = path.empty() ? "" : ::dietcode::ptxasVersion(path);
  return text + (version.empty() ? ", no ptxas" : ", ptxas " + version);
}

Expected<std::unique_ptr<CandidateEvaluator>>
CandidateEvaluator::create(const EvaluatorOptions &options) {
  std::unique_ptr<CandidateEvaluator> evaluator(
      new CandidateEvaluator(options));
  std::string path = options.jobFolder;
  if (path.empty()) {
    auto root = ::dietcode::TemporaryFolder::create("dietcode-tune");
    if (!root)
      return tl::unexpected(root.error());
    path = root->path();
    evaluator->root.emplace(std::move(*root));
  }
  Expected<JobFolder> folder = JobFolder::create(path);
  if (!folder)
    return tl::unexpected(folder.error());
  evaluator->folder = std::move(*folder);
  evaluator->toolchain = describeToolchain();
  evaluator->childrenBefore = processorSeconds(RUSAGE_CHILDREN);
  return evaluator;
}

// First what still runs is killed, then the folder removed.
CandidateEvaluator::~CandidateEvaluator() { workers.reset(); }

Expected<bool> CandidateEvaluator::startWorkers() {
  if (workers)
    return true;
  ::dietcode::WorkOptions work;
  work.device = options.device;
  work.folder = folder->path();
  work.workers = options.workers;
  work.timeoutSeconds = options.timeoutSeconds;
  work.wait = true;
  auto started = ::dietcode::spawnWorkers(folder->path(), options.workers, work,
                                          options.measureProgram);
  if (!started)
    return tl::unexpected(started.error());
  workers.emplace(std::move(*started));
  return true;
}

Expected<bool> CandidateEvaluator::finish() {
  if (!workers)
    return true;
  if (Expected<bool> stopped = folder->stop(); !stopped)
    return stopped;
  constexpr double kPatience = 10;
  // Up to here the only children that have ended are those of runPtxas.
  double before = processorSeconds(RUSAGE_CHILDREN);
  times.ptxas = before - childrenBefore;
  Expected<int> status = workers->wait(kPatience);
  times.measure = processorSeconds(RUSAGE_CHILDREN) - before;
  workers.reset();
  if (!status)
    return tl::unexpected(status.error());
  return true;
}

Expected<Verification *>
CandidateEvaluator::getVerification(const TuningTask &task) {
  std::unique_ptr<Verification> &verification = verifications[&task];
  if (!verification) {
    auto made = Verification::create(
        task, *folder, "task" + std::to_string(verifications.size()));
    if (!made)
      return fail(task.name +
                  ": cannot evaluate the reference: " + made.error().message);
    verification = std::move(*made);
  }
  return verification.get();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// What ptxas says of the kernels. Spilling is a failure, of whichever of them:
/// such a candidate is not worth shipping.
static void readPtxas(PreparedCandidate &candidate,
                      const PtxasOutcome &outcome) {
  Record &record = candidate.record;
  if (outcome.status == PtxasStatus::Absent) {
    candidate.usable = true;
    return;
  }
  if (outcome.status != PtxasStatus::Ok) {
    record.status = RecordStatus::CompileError;
    record.error = outcome.message;
    return;
  }
  for (JobKernel &kernel : candidate.kernels)
    if (const PtxasKernel *report = outcome.report.lookup(kernel.name))
      kernel.registers = report->registers;
  record.registers = candidate.kernels.front().registers;
  for (const auto *names : {&candidate.code.aligned, &candidate.code.general})
    for (const std::string &name : *names)
      if (const PtxasKernel *report = outcome.report.lookup(name))
        record.spillBytes += report->spillStoreBytes + report->spillLoadBytes;
  candidate.usable = record.spillBytes == 0;
  if (candidate.usable)
    return;
  record.status = RecordStatus::Spills;
  record.error = "ptxas spills " + std::to_string(record.spillBytes) +
                 " bytes of registers";
}

PreparedCandidate CandidateEvaluator::prepare(const TuningTask &task,
                                              const Schedule &schedule) {
  PreparedCandidate candidate;
  candidate.schedule = schedule;
  Record &record = candidate.record;
  OperatorOpInterface op = task.ops.front();
  record.op = op.getTraits().signature();
  record.source = task.compiler->getSourceId();
  record.schedule = schedule.name();
  record.device = options.recordName;
  record.toolchain = toolchain;
  record.twin = "aligned";
  double start = processorSeconds(RUSAGE_THREAD);
  Expected<CompiledCandidate> code = task.compiler->compile(schedule);
  double build = processorSeconds(RUSAGE_THREAD) - start;
  if (code) {
    candidate.code = std::move(*code);
    record.twin = candidate.code.aligned.empty() ? "general" : "aligned";
    for (const std::string &name : candidate.code.getMeasured())
      candidate.kernels.push_back({name, 0});
    DeviceAttr device = getDevice(op);
    readPtxas(candidate,
              ::dietcode::runPtxas(candidate.code.ptx, device.getChip(),
                                   schedule.name()));
  } else {
    record.status = RecordStatus::CompileError;
    record.error = code.error().message;
  }
  std::lock_guard<std::mutex> lock(timesMutex);
  times.build += build;
  return candidate;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// `bytes` bytes of indices of `range` elements: all of them, far apart.
static std::string makeIndices(uint64_t bytes, unsigned width, int64_t range) {
  constexpr uint64_t kStride = 2654435761; // A prime, so that all are met.
  std::string contents(bytes, '\0');
  for (uint64_t i = 0; (i + 1) * width <= bytes; ++i) {
    uint64_t index = i * kStride % std::max<uint64_t>(range, 1);
    std::memcpy(&contents[i * width], &index, width); // Little endian.
  }
  return contents;
}

/// Buffers of the sizes that a run needs: what does not fit into a cache must
/// not depend on what else is timed. What the contents are does not matter,
/// unless they are indices.
static Expected<bool> addBuffers(Job &job, JobFolder &folder,
                                 OperatorOpInterface op,
                                 const Schedule &schedule,
                                 ArrayRef<int64_t> shape) {
  for (unsigned operand : llvm::seq<unsigned>(0, op->getNumOperands())) {
    JobBuffer &buffer = job.buffers.emplace_back();
    buffer.bytes = getOperandBytes(op, operand, shape);
    std::optional<int64_t> range = getIndexRange(op, operand, shape);
    if (!range)
      continue;
    unsigned width = llvm::divideCeil(
        getElementTypeOrSelf(op->getOperand(operand)).getIntOrFloatBitWidth(),
        8);
    buffer.init = ::dietcode::BufferInit::File;
    buffer.file =
        "data/" + job.id + "-indices" + std::to_string(job.buffers.size() - 1);
    Expected<bool> added =
        folder.addFile(buffer.file, makeIndices(buffer.bytes, width, *range));
    if (!added)
      return added;
  }
  JobBuffer &workspace = job.buffers.emplace_back();
  workspace.bytes = getWorkspaceBytes(op, schedule, shape);
  workspace.isScratch = true;
  return true;
}

/// The job of a candidate. Its buffers are those of the verification, followed
/// by those of each run that is timed.
Expected<bool> CandidateEvaluator::submit(const TuningTask &task,
                                          const PreparedCandidate &candidate,
                                          const Plan &plan,
                                          const std::string &id) {
  OperatorOpInterface op = task.ops.front();
  Job job;
  job.id = id;
  job.device = options.device;
  job.ptx = "data/" + id + ".ptx";
  job.kernels = candidate.kernels;
  job.record = candidate.record;
  if (options.verify)
    if (Expected<bool> added =
            verifications.at(&task)->addTo(job, candidate.schedule);
        !added)
      return added;
  const Schedule &schedule = candidate.schedule;
  for (const PlannedRun &run :
       plan(schedule, static_cast<int>(candidate.record.registers))) {
    SmallVector<int64_t> shape = task.problemShape(run.shape);
    JobTime timed;
    timed.launches =
        makeLaunches(op, schedule, shape, run.blocks / schedule.split,
                     static_cast<int>(job.buffers.size()));
    for (auto [name, extent] :
         llvm::zip_equal(op.getTiledDimNames(), op.getTiledShape(shape)))
      timed.shape.emplace_back(name.str(), extent);
    if (Expected<bool> added = addBuffers(job, *folder, op, schedule, shape);
        !added)
      return added;
    job.time.push_back(std::move(timed));
  }
  if (Expected<bool> added = folder->addFile(job.ptx, candidate.code.ptx);
      !added)
    return added;
  return folder->addJob(job);
}

static bool hasPassed(const CandidateEvaluator::Deadline &deadline) {
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

/// Fills in results until all are there, the deadline has passed, or somebody
/// has interrupted; then what was measured is kept.
Expected<bool> CandidateEvaluator::awaitResults(
    std::map<std::string, std::optional<Record>> &results, Deadline deadline) {
  size_t open = results.size();
  while (open > 0) {
    bool interrupted = isInterrupted();
    Expected<std::vector<JobResult>> arrived = folder->collect();
    if (!arrived)
      return tl::unexpected(arrived.error());
    for (JobResult &result : *arrived) {
      auto at = results.find(result.id);
      // What fails then may do so because of the interruption.
      if (at == results.end() ||
          (interrupted && result.record.status != RecordStatus::Ok))
        continue;
      at->second = std::move(result.record);
      --open;
      if (!root)
        continue;
      (void)folder->remove(result.id);
      (void)llvm::sys::fs::remove(root->path() + "/data/" + result.id + ".ptx");
    }
    // Ctrl-C ends the measuring process as well.
    if (open > 0 && !workers->running() && !isInterrupted())
      return fail("the measuring process ended before its jobs were done");
    bool isLate = open < results.size() && hasPassed(deadline);
    if (open > 0 && (isLate || interrupted)) {
      for (auto &[id, record] : results)
        if (!record)
          (void)folder->remove(id);
      return true;
    }
    if (open > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Expected<std::vector<Record>>
CandidateEvaluator::evaluate(const TuningTask &task,
                             ArrayRef<Schedule> schedules, const Plan &plan,
                             Deadline deadline) {
  if (options.verify)
    if (auto made = getVerification(task); !made)
      return tl::unexpected(made.error());
  if (Expected<bool> started = startWorkers(); !started)
    return tl::unexpected(started.error());
  std::vector<PreparedCandidate> prepared(schedules.size());
  std::vector<std::string> ids(schedules.size());
  std::map<std::string, std::optional<Record>> results;
  for (std::string &id : ids) {
    std::string number = std::to_string(nextJob++);
    id = std::string(8 - std::min<size_t>(8, number.size()), '0') + number;
  }
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  std::optional<::dietcode::Error> error;
  std::mutex mutex;
  auto build = [&] {
    for (size_t i; !stop && (i = next++) < schedules.size();) {
      if (i > 0 && hasPassed(deadline))
        break;
      prepared[i] = prepare(task, schedules[i]);
      prepared[i].isDone = true;
      stop = stop || isInterrupted();
      if (!prepared[i].usable || stop)
        continue;
      Expected<bool> submitted = submit(task, prepared[i], plan, ids[i]);
      std::lock_guard<std::mutex> lock(mutex);
      if (submitted)
        results[ids[i]];
      else if (!error)
        error = submitted.error();
      stop = stop || error;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.workers; ++i)
    threads.emplace_back(build);
  for (std::thread &thread : threads)
    thread.join();
  if (error)
    return tl::unexpected(*error);
  if (Expected<bool> done = awaitResults(results, deadline); !done)
    return tl::unexpected(done.error());
  std::vector<Record> records;
  for (size_t i = 0; i < schedules.size(); ++i) {
    auto submitted = results.find(ids[i]);
    if (submitted != results.end() && submitted->second)
      records.push_back(std::move(*submitted->second));
    else if (submitted == results.end() && prepared[i].isDone &&
             !isInterrupted())
      records.push_back(prepared[i].record);
  }
  return records;
}
