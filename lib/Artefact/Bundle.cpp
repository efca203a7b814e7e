//===- Bundle.cpp - Folders that come into being at once ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/Bundle.h"

#include "dietcode/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using ::dietcode::Expected;
using ::dietcode::fail;
namespace fs = std::filesystem;

/// By which a bundle is told from a folder of somebody else.
static constexpr const char *kMarker = "dietcode-bundle.txt";

static tl::unexpected<::dietcode::Error> cannotWrite(const std::string &path,
                                                     const std::string &why) {
  return fail("cannot write '" + path + "': " + why);
}

static Expected<void>
writeFiles(const std::string &folder,
           const std::vector<mlir::dietcode::BundleFile> &files) {
  std::vector<mlir::dietcode::BundleFile> all = files;
  std::string list = "Made by dietcode-compile --emit=bundle, which replaces "
                     "this folder as a whole:\n";
  for (auto &[name, contents] : files)
    list += name + "\n";
  all.push_back({kMarker, list});
  for (auto &[name, contents] : all) {
    std::error_code error;
    fs::path path = fs::path(folder) / name;
    fs::create_directories(path.parent_path(), error);
    if (error)
      return cannotWrite(path.parent_path(), error.message());
    auto written = ::dietcode::writeFileAtomically(
        path, contents, ::dietcode::Durability::Process);
    if (!written)
      return tl::unexpected(written.error());
  }
  return {};
}

/// Renames `fresh` to `path`, and what was there to `fresh`.
static int exchange(const std::string &fresh, const std::string &path,
                    bool exists) {
  if (!exists)
    return ::rename(fresh.c_str(), path.c_str()) == 0 ? 0 : errno;
  return ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str(),
                     RENAME_EXCHANGE) == 0
             ? 0
             : errno;
}

Expected<void>
mlir::dietcode::writeBundle(const std::string &given,
                            const std::vector<BundleFile> &files) {
  std::string path = given;
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  std::error_code error;
  bool exists = fs::exists(fs::symlink_status(path, error));
  if (exists && !fs::is_regular_file(fs::path(path) / kMarker, error))
    return cannotWrite(path, "it exists and is no bundle; remove it, or choose "
                             "another name");
  std::string fresh = path + ".tmp" + std::to_string(::getpid());
  fs::remove_all(fresh, error);
  if (!fs::create_directory(fresh, error))
    return cannotWrite(path, error.message());
  Expected<void> written = writeFiles(fresh, files);
  if (written)
    if (int code = exchange(fresh, path, exists))
      written = cannotWrite(path, ::dietcode::errnoText(code));
  fs::remove_all(fresh, error);
  return written;
}
