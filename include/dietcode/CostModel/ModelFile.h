//===- ModelFile.h - Trained cost models as files ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file holds some named boosters, what they were trained for, and a checksum.
// The extension of its name says how it is spelt: .ubj for UBJSON, .json for
// JSON. docs/model-files.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_MODELFILE_H
#define DIETCODE_COSTMODEL_MODELFILE_H

#include "dietcode/CostModel/Booster.h"
#include "dietcode/Support/Expected.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// What the boosters of a file were trained for.
struct ModelMetadata {
  std::string device;  ///< E.g. "virtual:t4".
  std::string schema;  ///< featureSchemaHash() of the features.
  std::string version; ///< Of the DietCode that wrote it; empty: this one.
};

/// Boosters by name, e.g. "full-wave".
using NamedBoosters = std::map<std::string, Booster>;

/// What a file holds.
struct SavedModel {
  ModelMetadata metadata;
  NamedBoosters boosters;
};

/// Writes a file beside `path` and renames it, so that a file that is there is
/// replaced as a whole or, on an error, not at all.
Expected<void> saveModel(const std::string &path, const NamedBoosters &boosters,
                         const ModelMetadata &metadata);

/// Reads a file that must have been written for this device and these features;
/// what it was written for instead is in the error.
Expected<SavedModel> loadModel(const std::string &path, std::string_view device,
                               std::string_view schema);

/// A stable hash, 64-bit FNV-1a in hexadecimal, of names of features in the
/// order of their columns.
std::string featureSchemaHash(const std::vector<std::string_view> &names);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_MODELFILE_H
