//===- Booster.h - Gradient-boosted trees -----------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trained half of the cost model: a regression by XGBoost, which is known
// to Booster.cpp only. Whatever XGBoost reports becomes an Error; it prints
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_BOOSTER_H
#define DIETCODE_COSTMODEL_BOOSTER_H

#include "dietcode/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

struct BoosterDocument;

/// One row of features a sample, row after row. NaN says that a value is
/// missing; infinity is an error.
struct FeatureMatrix {
  size_t columns = 0;
  std::vector<float> values;

  size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

/// How to train. The defaults suit 50 to 2000 rows of 20 to 40 features.
struct BoosterOptions {
  unsigned rounds = 300; ///< Number of trees.
  unsigned maxDepth = 4;
  double learningRate = 0.08;
  double minChildWeight = 2; ///< Of a leaf, in rows of average weight.
  double subsample = 0.7;    ///< Fraction of the rows that each tree sees.
  double lambda = 0.3;       ///< L2 penalty of the values of leaves.
  uint64_t seed = 0;
};

/// Trees that predict a number from a row of features.
///
/// Training is deterministic: the same inputs give the same bytes, on one
/// thread, whatever else the machine does. All functions that are const may be
/// called from several threads at once on one booster; different boosters are
/// independent of each other, also while they are trained.
class Booster {
public:
  /// Both spell the document that XGBoost calls its JSON model. XGBoost loads
  /// the JSON, and predicts standardised labels from it; UBJSON is smaller.
  enum class Format { Ubj, Json };

  /// Minimises the weighted squared error. No `weights` means that all rows
  /// count the same; only the ratios of weights matter. Labels may be of any
  /// scale: they are standardised first.
  static Expected<Booster> train(const FeatureMatrix &matrix,
                                 const std::vector<double> &labels,
                                 const std::vector<double> &weights = {},
                                 const BoosterOptions &options = {});

  /// The inverse of serialize(), which recognises the format. Bytes of any kind
  /// are safe: they are an error, or else trees that can be evaluated.
  static Expected<Booster> deserialize(std::string_view bytes);

  Booster(Booster &&) noexcept;
  Booster &operator=(Booster &&) noexcept;
  ~Booster();

  /// One number a row, none for no rows. The matrix must have as many columns
  /// as the one that it was trained on.
  Expected<std::vector<double>> predict(const FeatureMatrix &matrix) const;

  std::string serialize(Format format) const;

  /// Number of features.
  size_t columns() const;

  /// Notes that travel with the trees.
  std::optional<std::string> attribute(const std::string &name) const;

  /// Names and values must be UTF-8; names that begin with "dietcode." are
  /// taken.
  Expected<void> setAttribute(const std::string &name,
                              const std::string &value);

private:
  struct Impl;
  explicit Booster(std::unique_ptr<Impl> impl);
  static Expected<Booster> make(Expected<BoosterDocument> document);

  std::unique_ptr<Impl> impl;
};

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_BOOSTER_H
