//===- ChildProcess.cpp - One job in a process of its own -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "TestHook.h"
#include "dietcode/Support/File.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace dietcode;

std::string dietcode::deviceOf(const Job &job, const MeasureOptions &options) {
  if (!options.device.empty())
    return options.device;
  if (!job.device.empty())
    return job.device;
  const char *env = std::getenv("DIETCODE_DEVICE");
  return env && *env ? env : std::string(defaultDeviceName);
}

/// The record of a job that did not get as far as measuring.
static Record failedRecord(const Job &job, const std::string &device,
                           RecordStatus status, const std::string &why) {
  Record record = job.record;
  record.runs.clear();
  record.device = askRecordName(device).value_or(device);
  record.registers = job.kernels.front().registers;
  record.verified = false;
  record.status = status;
  record.error = why;
  return record;
}

//===----------------------------------------------------------------------===//
// In the child
//===----------------------------------------------------------------------===//

/// Address space that is in use already; 0 if nobody knows.
static uint64_t addressSpaceInUse() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

static void limitMemory(const Job &job, const MeasureOptions &options) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return; // Their shadows take terabytes of address space.
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return;
#endif
#endif
  // The driver of a real device maps all of the host's memory.
  std::string device = deviceOf(job, options);
  if (options.memoryBytes == 0 || device.rfind(virtualDevicePrefix, 0) != 0)
    return;
  unsigned __int128 bytes = options.memoryBytes;
  bytes += addressSpaceInUse();
  for (const JobBuffer &buffer : job.buffers)
    bytes += buffer.bytes;
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || bytes >= limit.rlim_max)
    return;
  limit.rlim_cur = static_cast<rlim_t>(bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

/// Makes this process one that may do anything at the cost of its job only.
static void isolate(const Job &job, const MeasureOptions &options,
                    pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (::getppid() != parent)
    ::_exit(1);
  // The parent, which a terminal's Ctrl-C is for, kills this process.
  ::setpgid(0, 0);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  unsigned threads = std::max(1u, cores / std::max(1u, options.workers));
  ::setenv("DIETCODE_VGPU_THREADS", std::to_string(threads).c_str(),
           /*overwrite=*/0);
  limitMemory(job, options);
}

static Record measure(Job job, const MeasureOptions &options, int pipe) {
  std::string name = deviceOf(job, options);
  RecordStatus status = RecordStatus::Crash;
  std::string why;
  try {
    runTestHook(job, pipe);
    Expected<std::unique_ptr<Device>> device = openDevice(name);
    if (device)
      return measureJob(job, options.folder, **device);
    status = RecordStatus::LaunchError;
    why = device.error().message;
  } catch (const std::bad_alloc &) {
    why = "out of memory: the limit is " +
          std::to_string(options.memoryBytes >> 20) +
          " MiB besides the buffers";
  } catch (const std::exception &error) {
    why = error.what();
  }
  return failedRecord(job, name, status, why);
}

[[noreturn]] static void runChild(const Job &job, const MeasureOptions &options,
                                  pid_t parent, int pipe) {
  isolate(job, options, parent);
  std::string line = printRecord(measure(job, options, pipe)) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    ssize_t n = ::write(pipe, rest.data(), rest.size());
    if (n < 0 && errno != EINTR)
      ::_exit(1);
    if (n > 0)
      rest.remove_prefix(static_cast<size_t>(n));
  }
  ::_exit(0);
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

ChildProcess::ChildProcess(Job job, double timeoutSeconds)
    : work(std::move(job)), timeoutSeconds(timeoutSeconds) {
  // A year is forever, and fits into the clock.
  std::chrono::duration<double> timeout(std::min(timeoutSeconds, 3.2e7));
  end = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
}

Expected<ChildProcess> ChildProcess::start(Job job,
                                           const MeasureOptions &options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail("cannot make a pipe: " + errnoText(errno));
  ChildProcess child(std::move(job), options.timeoutSeconds);
  child.device = deviceOf(child.work, options);
  pid_t parent = ::getpid();
  child.pid = ::fork();
  int error = errno;
  if (child.pid == 0) {
    ::close(ends[0]);
    runChild(child.work, options, parent, ends[1]);
  }
  ::close(ends[1]);
  child.pipe = ends[0];
  if (child.pid < 0)
    return fail("cannot start a process: " + errnoText(error));
  ::fcntl(child.pipe, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : work(std::move(other.work)), timeoutSeconds(other.timeoutSeconds),
      end(other.end), pid(std::exchange(other.pid, -1)),
      pipe(std::exchange(other.pipe, -1)), device(std::move(other.device)),
      text(std::move(other.text)) {}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept {
  std::swap(work, other.work);
  std::swap(timeoutSeconds, other.timeoutSeconds);
  std::swap(end, other.end);
  std::swap(pid, other.pid);
  std::swap(pipe, other.pipe);
  std::swap(device, other.device);
  std::swap(text, other.text);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill();
  if (pipe >= 0)
    ::close(pipe);
}

void ChildProcess::kill() {
  if (pid <= 0)
    return;
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  pid = -1;
}

static std::string signalName(int signal) {
#ifdef __GLIBC__
  if (const char *name = ::sigabbrev_np(signal))
    return std::string("SIG") + name;
#endif
  return "signal " + std::to_string(signal);
}

/// The child's last word, or why there is none.
Record ChildProcess::takeRecord() {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  pid = -1;
  if (!text.empty() && text.back() == '\n')
    if (Expected<Record> record =
            parseRecord(std::string_view(text).substr(0, text.size() - 1)))
      return std::move(*record);
  std::string why = "the measuring process ";
  if (WIFSIGNALED(status))
    why += "was killed by " + signalName(WTERMSIG(status));
  else
    why += "ended with exit status " + std::to_string(WEXITSTATUS(status));
  return failedRecord(work, device, RecordStatus::Crash,
                      why + (text.empty() ? " before it had a result"
                                          : " in the middle of its result"));
}

std::optional<Record> ChildProcess::advance() {
  char buffer[1 << 14];
  while (true) {
    ssize_t n = ::read(pipe, buffer, sizeof(buffer));
    if (n > 0) {
      text.append(buffer, static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      break;
    return takeRecord();
  }
  if (Clock::now() < end)
    return std::nullopt;
  kill();
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", timeoutSeconds);
  return failedRecord(work, device, RecordStatus::Timeout,
                      std::string("no result after ") + seconds + " s");
}
