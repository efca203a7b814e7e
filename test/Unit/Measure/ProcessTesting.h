//===- ProcessTesting.h - Running dietcode-measure --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_MEASURE_PROCESSTESTING_H
#define DIETCODE_TEST_UNIT_MEASURE_PROCESSTESTING_H

#include "MeasureTesting.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dietcode {

using Seconds = std::chrono::duration<double>;

/// A run of the tool, whose orphans become children of the test.
class ToolRun {
public:
  ToolRun(std::vector<std::string> arguments, std::string outputFile = "",
          std::vector<std::string> environment = {}) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    arguments.insert(arguments.begin(), MEASURE_TOOL);
    pid = ::fork();
    if (pid != 0)
      return;
    for (std::string &entry : environment)
      ::putenv(entry.data());
    int file = ::open(outputFile.empty() ? "/dev/null" : outputFile.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  ~ToolRun() {
    if (pid <= 0)
      return;
    ::kill(pid, SIGKILL);
    wait();
  }

  void signal(int number) { ::kill(pid, number); }
  /// The exit status, or 128 and the signal.
  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

private:
  pid_t pid;
};

/// How many processes are left, each of which it ends. Those that are about to
/// end get a moment to do so.
inline int countOrphans() {
  int running = 0;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (true) {
    pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0 && errno == ECHILD)
      return 0;
    if (pid != 0)
      continue;
    running = 1;
    if (std::chrono::steady_clock::now() > end)
      return running;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Waits for something, at most ten seconds.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline size_t countFiles(const std::string &path) {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    count += entry.path().filename().string()[0] != '.';
  return count;
}

} // namespace dietcode

#endif // DIETCODE_TEST_UNIT_MEASURE_PROCESSTESTING_H
