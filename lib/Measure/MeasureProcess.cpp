//===- MeasureProcess.cpp - dietcode-measure as a child -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Measure/JobFolder.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

using namespace dietcode;

MeasureProcess::MeasureProcess(MeasureProcess &&other) noexcept
    : pid(std::exchange(other.pid, -1)),
      lifeline(std::exchange(other.lifeline, -1)), status(other.status) {}

MeasureProcess &MeasureProcess::operator=(MeasureProcess &&other) noexcept {
  std::swap(pid, other.pid);
  std::swap(lifeline, other.lifeline);
  std::swap(status, other.status);
  return *this;
}

MeasureProcess::~MeasureProcess() { kill(); }

bool MeasureProcess::running() {
  if (pid <= 0)
    return false;
  int result = 0;
  pid_t ended = ::waitpid(pid, &result, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return true;
  status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
  pid = -1;
  return false;
}

Expected<int> MeasureProcess::wait(double seconds) {
  auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (running()) {
    if (std::chrono::steady_clock::now() > end)
      return fail("dietcode-measure did not end within " +
                  std::to_string(seconds) + " s");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!status)
    return fail("dietcode-measure was not started");
  return *status;
}

void MeasureProcess::kill() {
  if (lifeline >= 0)
    ::close(std::exchange(lifeline, -1));
  if (!running())
    return;
  ::kill(pid, SIGTERM);
  if (wait(2))
    return;
  // Its own children die with it.
  ::kill(pid, SIGKILL);
  (void)wait(2);
}

/// The one that was built or installed with the running program.
static std::string findProgram() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path next = self.parent_path() / "dietcode-measure";
  return !error && std::filesystem::exists(next, error) ? next.string()
                                                        : "dietcode-measure";
}

static std::vector<std::string> argumentsOf(const std::string &program,
                                            const std::string &folder,
                                            unsigned workers,
                                            const WorkOptions &options) {
  std::vector<std::string> arguments = {
      program,
      folder,
      "--wait",
      "--until-eof",
      "--quiet",
      "--workers=" + std::to_string(workers),
      "--timeout=" + std::to_string(options.timeoutSeconds),
      "--lease=" + std::to_string(options.leaseSeconds),
      "--memory=" + std::to_string(options.memoryBytes >> 20)};
  if (!options.device.empty())
    arguments.push_back("--device=" + options.device);
  return arguments;
}

Expected<MeasureProcess> dietcode::spawnWorkers(const std::string &folder,
                                                unsigned workers,
                                                const WorkOptions &options,
                                                const std::string &program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail("cannot make a pipe: " + errnoText(errno));
  std::vector<std::string> arguments = argumentsOf(
      program.empty() ? findProgram() : program, folder, workers, options);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, pointers[0], &actions, nullptr,
                             pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (!error)
    return MeasureProcess(pid, ends[1]);
  ::close(ends[1]);
  return fail("cannot start '" + arguments[0] + "': " + errnoText(error));
}
