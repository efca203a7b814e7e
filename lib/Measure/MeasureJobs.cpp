//===- MeasureJobs.cpp - Measuring jobs in children -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "dietcode/Support/File.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
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
  int idleMs = leastIdleMs;
};

} // namespace

Expected<bool> Pool::startJobs() {
  bool any = false;
  while (children.size() < std::max(1u, options.workers)) {
    Expected<std::optional<Job>> job = queue.next();
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
