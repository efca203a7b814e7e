//===- File.cpp - Reading and replacing files -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Support/File.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

std::string dietcode::errnoText(int error) { return std::strerror(error); }

Expected<std::string> dietcode::readDescriptor(int descriptor,
                                               const std::string &path) {
  // Some devices, such as /dev/zero, never end.
  constexpr size_t kMostOfDevice = size_t(1) << 26;
  struct stat info;
  bool isDevice = ::fstat(descriptor, &info) == 0 && S_ISCHR(info.st_mode);
  std::string text;
  char buffer[1 << 16];
  while (true) {
    if (isDevice && text.size() > kMostOfDevice)
      return fail("cannot read '" + path + "': it is a device without an end");
    ssize_t n = ::read(descriptor, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail("cannot read '" + path + "': " + errnoText(errno));
    if (n == 0)
      return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

/// Returns errno, or 0.
static int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

Expected<std::string> dietcode::readFile(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail("cannot open '" + path + "': " + errnoText(errno));
  Expected<std::string> text = readDescriptor(descriptor, path);
  ::close(descriptor);
  return text;
}

static tl::unexpected<Error> cannotWrite(const std::string &path, int error) {
  return fail("cannot write '" + path + "': " + errnoText(error));
}

static Expected<bool> writeDirectly(const std::string &path,
                                    std::string_view text) {
  int descriptor = path == "-" ? ::dup(STDOUT_FILENO)
                               : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return cannotWrite(path, errno);
  int error = writeAll(descriptor, text);
  if (::close(descriptor) != 0 && !error)
    error = errno;
  if (error)
    return cannotWrite(path, error);
  return true;
}

/// The file that a path means, symbolic links followed.
static std::string resolve(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

Expected<bool> dietcode::checkWritable(const std::string &path) {
  if (path == "-")
    return true;
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT)
    return cannotWrite(path, errno);
  if (exists && S_ISDIR(info.st_mode))
    return cannotWrite(path, EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return cannotWrite(path, errno);
  if (exists && !S_ISREG(info.st_mode))
    return true;
  std::string target = resolve(path);
  size_t slash = target.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : target.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return cannotWrite(path, errno);
  return true;
}

Expected<bool> dietcode::writeFileAtomically(const std::string &path,
                                             std::string_view text,
                                             Durability durability) {
  struct stat info;
  bool exists = path != "-" && ::stat(path.c_str(), &info) == 0;
  if (path == "-" || (exists && !S_ISREG(info.st_mode)))
    return writeDirectly(path, text);
  // Renaming would replace a file that must not be written to.
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return cannotWrite(path, errno);
  std::string target = resolve(path);
  std::string temporary = target + ".tmp" + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return cannotWrite(path, errno);
  int error = writeAll(descriptor, text);
  if (!error && exists && ::fchmod(descriptor, info.st_mode & 07777) != 0)
    error = errno;
  if (!error && durability == Durability::Machine && ::fsync(descriptor) != 0)
    error = errno;
  if (::close(descriptor) != 0 && !error)
    error = errno;
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
    error = errno;
  if (!error)
    return true;
  ::unlink(temporary.c_str());
  return cannotWrite(path, error);
}
