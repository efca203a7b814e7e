//===- LockedFile.h - A file that nobody else changes -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RECORD_LOCKEDFILE_H
#define DIETCODE_LIB_RECORD_LOCKEDFILE_H

#include "dietcode/Support/Expected.h"
#include <string>

namespace dietcode {

/// An open file with flock(2) on it, which ends with the object or the process.
class LockedFile {
public:
  enum Mode {
    Read,   ///< Shared with other readers.
    Edit,   ///< Exclusive; for reading, as the file will be replaced.
    Append, ///< Exclusive; makes the file.
  };

  /// Waits for the lock. The file that is locked is the one that the path names
  /// then: somebody may have renamed another one to it meanwhile, and lines
  /// appended to the old one would be lost.
  static Expected<LockedFile> open(const std::string &path, Mode mode);

  LockedFile(LockedFile &&other) noexcept;
  LockedFile &operator=(LockedFile &&) = delete;
  ~LockedFile();

  int descriptor() const { return file; }

private:
  explicit LockedFile(int file) : file(file) {}

  int file;
};

} // namespace dietcode

#endif // DIETCODE_LIB_RECORD_LOCKEDFILE_H
