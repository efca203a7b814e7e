//===- MeasureJobs.cpp - Measuring jobs in children -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Device/CudaDevice.h"
#include "ChildProcess.h"
#include "dietcode/Support/File.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <utility>
#include <vector>

using namespace dietcode;

namespace {

class Pool {
public:
  Pool(JobQueue &queue, const MeasureOptions &options,
       const std::function<bool()> &interrupted)
      : queue(queue), options(options), interrupted(interrupted) {}

  Expected<bool> run() {
    while (!interrupted || !interrupted()) {
      Expected<bool> started = startJobs();
      if (!started)
        return started;
      if (children.empty() && !*started && !queue.mayHaveMore())
        return true;
      wait();
      if (Expected<bool> ok = queue.tick(); !ok)
        return ok;
      if (Expected<bool> ok = finishJobs(); !ok)
        return ok;
    }
    children.clear(); // Kills and reaps them.
    return false;
  }

private:
  /// Whether it started any.
  Expected<bool> startJobs();
  Expected<std::optional<Job>> takeJob();
  Expected<bool> finishJobs();
  void wait();

  /// Signals are looked at this often, should one come just before poll.
  static constexpr int busyMs = 50;
  static constexpr int leastIdleMs = 10;
  static constexpr int mostIdleMs = 500;

  JobQueue &queue;
  const MeasureOptions &options;
  const std::function<bool()> &interrupted;
  std::vector<ChildProcess> children;
  std::optional<Job> held; ///< For a GPU, until nothing else is running.
  bool isGpuInUse = false; ///< By the only child.
  int idleMs = leastIdleMs;
};

} // namespace

/// The next job that may start now.
Expected<std::optional<Job>> Pool::takeJob() {
  if (!held) {
    Expected<std::optional<Job>> job = queue.next();
    if (!job)
      return job;
    held = std::move(*job);
  }
  if (!held)
    return std::nullopt;
  bool needsGpu = parseCudaName(deviceOf(*held, options)).has_value();
  if (needsGpu && !children.empty())
    return std::nullopt;
  isGpuInUse = needsGpu;
  return std::exchange(held, std::nullopt);
}

Expected<bool> Pool::startJobs() {
  bool any = false;
  if (children.empty())
    isGpuInUse = false;
  // Two that run at the same time would disturb each other's times.
  while (!isGpuInUse && children.size() < std::max(1u, options.workers)) {
    Expected<std::optional<Job>> job = takeJob();
    if (!job)
      return tl::unexpected(job.error());
    if (!*job)
      break;
    Expected<ChildProcess> child =
        ChildProcess::start(std::move(**job), options);
    if (!child)
      return tl::unexpected(child.error());
    children.push_back(std::move(*child));
    any = true;
  }
  if (any)
    idleMs = leastIdleMs;
  return any;
}

/// Until something happens. A queue that is empty is looked at less and less
/// often, since it may be on another machine.
void Pool::wait() {
  int timeout = std::min(busyMs, idleMs);
  if (children.empty()) {
    timeout = idleMs;
    idleMs = std::min(2 * idleMs, mostIdleMs);
  }
  std::vector<pollfd> descriptors;
  for (const ChildProcess &child : children)
    descriptors.push_back({child.descriptor(), POLLIN, 0});
  ::poll(descriptors.data(), static_cast<nfds_t>(descriptors.size()), timeout);
}

Expected<bool> Pool::finishJobs() {
  for (size_t i = 0; i < children.size();) {
    std::optional<Record> record = children[i].advance();
    if (!record) {
      ++i;
      continue;
    }
    // A signal may have ended the child, too.
    if (interrupted && interrupted())
      return true;
    ChildProcess child = std::move(children[i]);
    children.erase(children.begin() + static_cast<ptrdiff_t>(i));
    if (Expected<bool> ok = queue.done(child.job(), *record); !ok)
      return ok;
  }
  return true;
}

Expected<bool> dietcode::measureJobs(JobQueue &queue,
                                     const MeasureOptions &options,
                                     const std::function<bool()> &interrupted) {
  return Pool(queue, options, interrupted).run();
}
