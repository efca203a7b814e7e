//===- AskDevice.cpp - What a device is, without using it here ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Measure/Measure.h"
#include "dietcode/Support/File.h"

#include <cerrno>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace dietcode;

/// What the child says starts with one of these.
static constexpr char kName = '+', kError = '-';

static Expected<std::string> ask(const std::string &name) {
  // Says more of a device that is too old than its name does.
  if (auto known = lookupDeviceByName(name); !known)
    return tl::unexpected(known.error());
  return recordNameOf(name);
}

[[noreturn]] static void answer(const std::string &name, int pipe) {
  Expected<std::string> known = ask(name);
  std::string text = known ? kName + *known : kError + known.error().message;
  // Less than a pipe holds: it is written at once.
  bool isWritten =
      ::write(pipe, text.data(), text.size()) == ssize_t(text.size());
  ::_exit(isWritten ? 0 : 1);
}

static Expected<std::string> askInChild(const std::string &name) {
  int ends[2];
  if (::pipe(ends) != 0)
    return fail(name + ": cannot make a pipe: " + errnoText(errno));
  pid_t child = ::fork();
  if (child == 0)
    answer(name, ends[1]);
  int error = errno;
  ::close(ends[1]);
  Expected<std::string> text =
      child > 0 ? readDescriptor(ends[0], "the answer of a process")
                : fail(name + ": cannot make a process: " + errnoText(error));
  ::close(ends[0]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    continue;
  if (!text)
    return text;
  if (text->empty())
    return fail(name + ": the process that asked about it died");
  if (text->front() == kError)
    return fail(text->substr(1));
  return text->substr(1);
}

Expected<std::string> dietcode::askRecordName(const std::string &name) {
  if (std::string_view(name).substr(0, virtualDevicePrefix.size()) ==
      virtualDevicePrefix)
    return ask(name);
  static std::map<std::string, Expected<std::string>> answers;
  auto at = answers.find(name);
  if (at == answers.end())
    at = answers.emplace(name, askInChild(name)).first;
  return at->second;
}
