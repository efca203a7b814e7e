//===- TemporaryFolder.h - A folder that goes with its process --*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SUPPORT_TEMPORARYFOLDER_H
#define DIETCODE_SUPPORT_TEMPORARYFOLDER_H

#include "dietcode/Support/Expected.h"
#include <string>

namespace dietcode {

/// A new folder in TMPDIR, or /tmp, that is removed at the end. A process that
/// is killed leaves its folder behind; the next one that makes a folder of the
/// same name removes it, which a lock on folders in use tells it from.
class TemporaryFolder {
public:
  /// Makes `name`-XXXXXX.
  static Expected<TemporaryFolder> create(const std::string &name);

  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&other) noexcept;

  const std::string &path() const { return root; }

private:
  TemporaryFolder(std::string root, int lock)
      : root(std::move(root)), lock(lock) {}

  std::string root;
  int lock = -1; ///< The folder itself, locked as long as it is open.
};

} // namespace dietcode

#endif // DIETCODE_SUPPORT_TEMPORARYFOLDER_H
