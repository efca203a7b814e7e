//===- FolderFiles.h - The files of a job folder ----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_MEASURE_FOLDERFILES_H
#define DIETCODE_LIB_MEASURE_FOLDERFILES_H

#include "dietcode/Support/Expected.h"
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// Names in a folder in order, hidden ones left out.
Expected<std::vector<std::string>> listFolder(const std::string &path);

/// The ids of the files <id>.json in a folder.
Expected<std::vector<std::string>> listIds(const std::string &path);

/// Writes a file that appears with all of its contents. False if there is one
/// of this name: it stays as it is.
Expected<bool> publishFile(const std::string &path, std::string_view text);

bool fileExists(const std::string &path);

/// host:pid of this process.
std::string processName();

} // namespace dietcode

#endif // DIETCODE_LIB_MEASURE_FOLDERFILES_H
