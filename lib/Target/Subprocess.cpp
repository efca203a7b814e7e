//===- Subprocess.cpp - Running a program to its end ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child stays in the process group of its parent, so that an interrupt from
// the terminal ends both.
//
//===----------------------------------------------------------------------===//

#include "Subprocess.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace dietcode {
namespace {

using Clock = std::chrono::steady_clock;

/// More than that of output is read and dropped.
constexpr size_t mostOutput = size_t(1) << 22;

/// Exit status of a child that is not the program; that of shells.
constexpr int notExecuted = 127;

/// The child's part; other threads may have held any lock, so that only system
/// calls are allowed. It ends with its parent, even if that is killed.
[[noreturn]] void execute(char *const *argv, int outputPipe, int inputFile,
                          pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  int null = open("/dev/null", O_RDONLY);
  bool ready = getppid() == parent && dup2(null, 0) == 0 &&
               dup2(outputPipe, 1) == 1 && dup2(outputPipe, 2) == 2;
  if (inputFile == 3) // Copying it to itself would leave it close-on-exec.
    ready = ready && fcntl(3, F_SETFD, 0) == 0;
  else if (inputFile >= 0)
    ready = ready && dup2(inputFile, 3) == 3;
  if (ready)
    execv(argv[0], argv);
  _exit(notExecuted);
}

pid_t spawn(const std::vector<std::string> &command, int outputPipe,
            int inputFile) {
  std::vector<char *> argv;
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid == 0)
    execute(argv.data(), outputPipe, inputFile, parent);
  return pid;
}

/// Reads until the child closes its end; false if the time is over first.
bool drain(int pipe, Clock::time_point deadline, std::string &output) {
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    if (left.count() <= 0)
      return false;
    pollfd wait = {pipe, POLLIN, 0};
    int ready = poll(&wait, 1, static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno != EINTR)
      return false;
    if (ready <= 0)
      continue;
    char buffer[4096];
    ssize_t n = read(pipe, buffer, sizeof(buffer));
    if (n == 0)
      return true;
    if (n > 0 && output.size() < mostOutput)
      output.append(buffer, static_cast<size_t>(n));
  }
}

/// The child may close its output and go on, so this keeps to the time as well.
bool waitUntil(pid_t pid, Clock::time_point deadline, int &status) {
  useconds_t pause = 200;
  while (true) {
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR))
      return true;
    if (Clock::now() >= deadline)
      return false;
    usleep(pause);
    pause = pause < 10000 ? 2 * pause : pause;
  }
}

} // namespace

ProcessResult runProcess(const std::vector<std::string> &command,
                         double timeoutSeconds, int inputFile) {
  ProcessResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return result;
  pid_t pid = spawn(command, ends[1], inputFile);
  result.started = pid > 0;
  close(ends[1]);
  if (result.started) {
    Clock::time_point deadline =
        Clock::now() +
        std::chrono::microseconds(static_cast<int64_t>(timeoutSeconds * 1e6));
    int status = 0;
    if (!drain(ends[0], deadline, result.output) ||
        !waitUntil(pid, deadline, status)) {
      result.timedOut = true;
      kill(pid, SIGKILL);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    }
    result.exitStatus =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.started = result.exitStatus != notExecuted || !result.output.empty();
  }
  close(ends[0]);
  return result;
}

} // namespace dietcode
