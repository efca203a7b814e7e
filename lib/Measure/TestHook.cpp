//===- TestHook.cpp - Misbehaving on demand, for tests --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestHook.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

using namespace dietcode;

static void eatMemory() {
  // Untouched, since it is address space that is limited.
  std::vector<std::unique_ptr<char[]>> eaten;
  while (true)
    eaten.emplace_back(new char[size_t(64) << 20]);
}

static void misbehave(const std::string &how, Job &job, int pipe) {
  if (how == "crash") {
    std::signal(SIGSEGV, SIG_DFL); // A sanitizer has a handler.
    std::raise(SIGSEGV);
  }
  if (how == "abort")
    std::abort();
  if (how == "exit")
    ::_exit(3);
  if (how == "hang")
    while (true)
      ::pause();
  if (how == "half") {
    const char text[] = "{\"v\":1,\"operator\":";
    ssize_t n = ::write(pipe, text, std::strlen(text));
    ::_exit(n > 0 ? 0 : 1);
  }
  if (how == "memory")
    eatMemory();
  for (JobVerify &run : job.verify) {
    if (how == "partial")
      run.launches.back().grid = {1, 1, 1};
    for (JobOutput &output : run.outputs)
      if (how == "wrong")
        output.expected = output.magnitudes;
  }
}

void dietcode::runTestHook(Job &job, int pipe) {
  const char *env = std::getenv("DIETCODE_MEASURE_INJECT");
  std::string rest = env ? env : "";
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::string entry = rest.substr(0, comma);
    rest.erase(0, comma + 1);
    size_t colon = entry.find(':');
    if (colon == std::string::npos)
      continue;
    std::string part = entry.substr(colon + 1);
    if (job.id.find(part) != std::string::npos ||
        job.record.schedule.find(part) != std::string::npos)
      misbehave(entry.substr(0, colon), job, pipe);
  }
}
