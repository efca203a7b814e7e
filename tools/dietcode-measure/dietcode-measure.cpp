//===- dietcode-measure.cpp - Measures candidates -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies and times candidates, each in a process of its own, on whatever
// device is asked for: the jobs of a folder that others may share, or those of
// a file. Needs no LLVM. Exit codes: 0 if every job has got its result,
// whatever the result is; 1 for any error; 130 and 143 after SIGINT and
// SIGTERM.
//
//===----------------------------------------------------------------------===//

#include "JobList.h"
#include "dietcode/Measure/JobFolder.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

using namespace dietcode;

namespace {

volatile std::sig_atomic_t receivedSignal = 0;

void noteSignal(int signal) { receivedSignal = signal; }

/// Leaves poll with EINTR, so that the children are killed at once.
void handleSignals() {
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
  // Errors of write rather than ends of this process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

/// Whether whoever holds the other end of standard input has closed it.
bool isInputClosed() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0)
    return false;
  char c;
  return ::read(STDIN_FILENO, &c, 1) == 0;
}

struct Options {
  WorkOptions work;
  std::string folder;
  std::string jobs;
  std::string output = "-";
  unsigned memoryMiB = 4096;
  unsigned rounds = 1;
  bool untilEof = false;
  bool once = false;
  bool quiet = false;
};

void addOptions(CLI::App &app, Options &options) {
  app.add_option(
      "folder", options.folder,
      "Job folder, or with --jobs where the files of the jobs are (default: "
      "the folder of the jobs)");
  app.add_option("--jobs", options.jobs,
                 "Measure the jobs of this file, one a line (-: stdin)");
  app.add_option("-o,--output", options.output,
                 "With --jobs, append the records to this file (default: "
                 "standard output)");
  app.add_option("--device", options.work.device,
                 "Device to measure on, e.g. virtual:t4 (default: the jobs' "
                 "own); of a folder, take only jobs for it");
  app.add_option("--rounds", options.rounds,
                 "With --jobs, time each job so often, and all others in "
                 "between")
      ->check(CLI::Range(1u, 1000u));
  app.add_option("--workers", options.work.workers,
                 "Jobs at a time; one on a GPU")
      ->check(CLI::Range(1u, 1024u));
  app.add_option("--timeout", options.work.timeoutSeconds,
                 "Seconds that a job may take")
      ->check(CLI::PositiveNumber);
  app.add_option("--memory", options.memoryMiB,
                 "MiB that a job may allocate besides its buffers (0: no "
                 "limit)");
  app.add_option("--lease", options.work.leaseSeconds,
                 "Seconds after which a silent worker counts as dead")
      ->check(CLI::PositiveNumber);
  CLI::Option *once = app.add_flag(
      "--once", options.once,
      "Go on until each job of the folder has a result (the default)");
  app.add_flag("--wait", options.work.wait,
               "Go on until there is a file 'stop' in the folder")
      ->excludes(once);
  app.add_flag("--until-eof", options.untilEof,
               "End when standard input is closed, as it is when the program "
               "at its other end dies");
  app.add_flag("--quiet", options.quiet, "Print only errors");
}

int report(const std::string &error) {
  std::fprintf(stderr, "dietcode-measure: error: %s\n", error.c_str());
  return 1;
}

std::string folderOf(const std::string &file) {
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash + 1);
}

Expected<bool> measureList(const Options &options,
                           const std::function<bool()> &interrupted) {
  Expected<JobList> list =
      JobList::open(options.jobs, options.output, options.rounds);
  if (!list)
    return tl::unexpected(list.error());
  // Better one error than a record of it for each job.
  for (const Job &job : list->jobs())
    if (options.work.device.empty() && !job.device.empty())
      if (auto known = askRecordName(job.device); !known)
        return fail("job '" + job.id + "': " + known.error().message);
  MeasureOptions own = options.work;
  own.folder = options.folder.empty() ? folderOf(options.jobs) : options.folder;
  Expected<bool> done = measureJobs(*list, own, interrupted);
  if (done && *done && !options.quiet)
    std::fprintf(stderr, "dietcode-measure: %s\n", list->summary().c_str());
  return done;
}

int run(Options &options) {
  options.work.memoryBytes = uint64_t(options.memoryMiB) << 20;
  if (!options.work.device.empty())
    if (auto known = askRecordName(options.work.device); !known)
      return report(known.error().message);
  bool isAbandoned = false;
  auto interrupted = [&] {
    isAbandoned = isAbandoned || (options.untilEof && isInputClosed());
    return receivedSignal != 0 || isAbandoned;
  };
  Expected<bool> done =
      options.jobs.empty()
          ? workOnFolder(options.folder, options.work, interrupted)
          : measureList(options, interrupted);
  if (!done)
    return report(done.error().message);
  return *done || isAbandoned ? 0 : 128 + receivedSignal;
}

std::string failureText(const CLI::App *, const CLI::Error &error) {
  return "dietcode-measure: error: " + std::string(error.what()) + "\n";
}

} // namespace

int main(int argc, char **argv) {
  handleSignals();
  CLI::App app("Verifies and times candidates, see docs/measuring.md");
  app.failure_message(failureText);
  Options options;
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  if (options.folder.empty() && options.jobs.empty())
    return report("give a job folder, or --jobs FILE");
  if (options.jobs.empty() && options.rounds > 1)
    return report("--rounds is for --jobs: those of a folder come and go");
  if (!options.jobs.empty() && (options.work.wait || options.once))
    return report("--wait and --once are for job folders, not for --jobs");
  return run(options);
}
