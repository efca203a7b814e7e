//===- FolderFiles.cpp - The files of a job folder ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FolderFiles.h"
#include "dietcode/Support/File.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dietcode;

Expected<std::vector<std::string>>
dietcode::listFolder(const std::string &path) {
  DIR *folder = ::opendir(path.c_str());
  if (!folder)
    return fail("cannot open folder '" + path + "': " + errnoText(errno));
  std::vector<std::string> names;
  while (const dirent *entry = ::readdir(folder))
    if (entry->d_name[0] != '.')
      names.push_back(entry->d_name);
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

Expected<std::vector<std::string>> dietcode::listIds(const std::string &path) {
  Expected<std::vector<std::string>> names = listFolder(path);
  if (!names)
    return names;
  constexpr std::string_view suffix = ".json";
  std::vector<std::string> ids;
  for (const std::string &name : *names)
    if (name.size() > suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      ids.push_back(name.substr(0, name.size() - suffix.size()));
  return ids;
}

bool dietcode::fileExists(const std::string &path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::string dietcode::processName() {
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  return std::string(host) + ":" + std::to_string(::getpid());
}

/// Where there are no hard links, two steps have to do. Returns errno, or 0.
static int renameWithoutLink(const std::string &from, const std::string &to) {
  if (fileExists(to))
    return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Expected<bool> dietcode::publishFile(const std::string &path,
                                     std::string_view text) {
  size_t slash = path.rfind('/');
  std::string temporary = path.substr(0, slash + 1) + ".tmp." + processName() +
                          "." + path.substr(slash + 1);
  if (Expected<bool> ok =
          writeFileAtomically(temporary, text, Durability::Process);
      !ok)
    return ok;
  int error = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (error == EPERM || error == ENOTSUP || error == ENOSYS)
    error = renameWithoutLink(temporary, path);
  ::unlink(temporary.c_str());
  if (error && error != EEXIST)
    return fail("cannot write '" + path + "': " + errnoText(error));
  return error == 0;
}
