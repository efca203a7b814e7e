//===- TemporaryFolder.cpp - A folder that goes with its process ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Support/TemporaryFolder.h"
#include "dietcode/Support/File.h"
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace dietcode;
namespace fs = std::filesystem;

/// Locks a folder, if nobody else has; -1 if that fails.
static int lockFolder(const std::string &path) {
  int folder =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  struct stat locked, named;
  // It may have been removed before it was locked.
  if (::flock(folder, LOCK_EX | LOCK_NB) == 0 &&
      ::fstat(folder, &locked) == 0 && ::lstat(path.c_str(), &named) == 0 &&
      locked.st_ino == named.st_ino && locked.st_uid == ::geteuid())
    return folder;
  ::close(folder);
  return -1;
}

static void removeFolder(const std::string &path) {
  std::error_code error;
  fs::remove_all(path, error);
}

/// Removes the folders of processes that are no more.
static void removeStale(const fs::path &parent, const std::string &prefix) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(parent, error), end; !error && at != end;
       at.increment(error))
    if (at->path().filename().string().compare(0, prefix.size(), prefix) == 0)
      paths.push_back(at->path().string());
  for (const std::string &path : paths) {
    int lock = lockFolder(path);
    if (lock < 0)
      continue;
    removeFolder(path);
    ::close(lock);
  }
}

Expected<TemporaryFolder> TemporaryFolder::create(const std::string &name) {
  const char *variable = std::getenv("TMPDIR");
  std::string parent = variable && *variable ? variable : "/tmp";
  removeStale(parent, name + "-");
  // Another process may take a folder for stale before it is locked.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = parent + "/" + name + "-XXXXXX";
    if (!::mkdtemp(path.data()))
      return fail("cannot make a folder in '" + parent +
                  "': " + errnoText(errno));
    int lock = lockFolder(path);
    if (lock >= 0)
      return TemporaryFolder(std::move(path), lock);
    removeFolder(path);
  }
  return fail("cannot lock a folder in '" + parent +
              "'; set TMPDIR to one on a local disk");
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : root(std::exchange(other.root, {})), lock(std::exchange(other.lock, -1)) {
}

TemporaryFolder &TemporaryFolder::operator=(TemporaryFolder &&other) noexcept {
  std::swap(root, other.root);
  std::swap(lock, other.lock);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  if (root.empty())
    return;
  removeFolder(root);
  ::close(lock);
}
