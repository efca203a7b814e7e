//===- Bundle.h - Folders that come into being at once ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_ARTEFACT_BUNDLE_H
#define DIETCODE_ARTEFACT_BUNDLE_H

#include "dietcode/Support/Expected.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::dietcode {

/// A file of a bundle: its path within, and its contents.
using BundleFile = std::pair<std::string, std::string>;

/// Makes the folder `path` hold these files and nothing else. A bundle that is
/// there is replaced as a whole; another folder or file is an error. Whatever
/// fails, what was there before still is.
::dietcode::Expected<void> writeBundle(const std::string &path,
                                       const std::vector<BundleFile> &files);

} // namespace mlir::dietcode

#endif // DIETCODE_ARTEFACT_BUNDLE_H
