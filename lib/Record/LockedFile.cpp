//===- LockedFile.cpp - A file that nobody else changes -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LockedFile.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

LockedFile::LockedFile(LockedFile &&other) noexcept
    : file(std::exchange(other.file, -1)) {}

LockedFile::~LockedFile() {
  if (file >= 0)
    ::close(file);
}

static int lock(int file, int operation) {
  int result;
  do
    result = ::flock(file, operation);
  while (result != 0 && errno == EINTR);
  return result;
}

static bool isNamed(int file, const std::string &path) {
  struct stat opened, named;
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Expected<LockedFile> LockedFile::open(const std::string &path, Mode mode) {
  // Appending reads, too: whether the last line has an end.
  int flags = mode == Append ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY;
  const char *what = mode == Append ? "cannot append to '" : "cannot open '";
  while (true) {
    int file = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (file < 0)
      return fail(what + path + "': " + errnoText(errno));
    LockedFile locked(file);
    bool isLocked = lock(file, mode == Read ? LOCK_SH : LOCK_EX) == 0;
    // Where there are no locks one can still read.
    if (!isLocked && mode != Read)
      return fail("cannot lock '" + path + "': " + errnoText(errno));
    if (mode == Read || isNamed(file, path))
      return locked;
  }
}
