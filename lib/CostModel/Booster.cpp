//===- Booster.cpp - Gradient-boosted trees, by XGBoost -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file that includes XGBoost. A booster is the document of its trees,
// and a handle that evaluates them; the handle is always loaded from the
// document, so that what was just trained predicts what it will after it has
// been saved.
//
//===----------------------------------------------------------------------===//

#include "dietcode/CostModel/Booster.h"

#include "BoosterDocument.h"
#include "BoosterInput.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <xgboost/c_api.h>

using namespace dietcode;

static constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
static constexpr std::string_view kReserved = "dietcode.";
static const char *const kLabelOffset = "dietcode.label_offset";
static const char *const kLabelScale = "dietcode.label_scale";

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

namespace {

template <int (*Free)(void *)>
struct Deleter {
  void operator()(void *handle) const { Free(handle); }
};
using Matrix = std::unique_ptr<void, Deleter<XGDMatrixFree>>;
using Handle = std::unique_ptr<void, Deleter<XGBoosterFree>>;

} // namespace

/// XGBoost keeps its verbosity and its log once per thread.
static void silence() {
  thread_local const bool silent =
      XGBSetGlobalConfig(R"({"verbosity": 0})") == 0 &&
      XGBRegisterLogCallback([](const char *) {}) == 0;
  static_cast<void>(silent);
}

/// The error of the call that just failed on this thread. XGBoost's text goes
/// on with a stack trace, and begins with a time and a line of its source:
/// "[11:36:56] ./src/common/json.cc:407: Expecting ...".
static tl::unexpected<Error> failure(const std::string &action) {
  std::string text = XGBGetLastError();
  text.resize(std::min(text.find('\n'), text.size()));
  if (!text.empty() && text[0] == '[')
    if (size_t end = text.find(": "); end != std::string::npos)
      text.erase(0, end + 2);
  return fail("XGBoost cannot " + action + ": " + text);
}

static std::optional<double> readNumber(const std::string &text) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// May be called from several threads: predictions in place keep their results
/// per thread, unlike those from a matrix of XGBoost's.
static Expected<std::vector<double>> evaluate(void *handle, const float *values,
                                              size_t rows, size_t columns) {
  silence();
  std::string array =
      R"({"data": [)" + numberText(reinterpret_cast<uintptr_t>(values)) +
      R"(, true], "shape": [)" + numberText(rows) + ", " + numberText(columns) +
      R"(], "typestr": "<f4", "version": 3})";
  const bst_ulong *shape = nullptr;
  bst_ulong dimensions = 0;
  const float *results = nullptr;
  if (XGBoosterPredictFromDense(
          handle, array.c_str(),
          R"({"type": 0, "training": false, "iteration_begin": 0,
              "iteration_end": 0, "strict_shape": false, "cache_id": 0,
              "missing": NaN})",
          nullptr, &shape, &dimensions, &results) != 0)
    return failure("predict");
  if (dimensions != 1 || shape[0] != rows)
    return fail("XGBoost predicted something other than one number a row");
  return std::vector<double>(results, results + rows);
}

//===----------------------------------------------------------------------===//
// Boosters
//===----------------------------------------------------------------------===//

struct Booster::Impl {
  Expected<void> load(BoosterDocument source);

  BoosterDocument document;
  Handle handle;
  double labelOffset = 0;
  double labelScale = 1;
};

/// Makes a document of XGBoost's or of a file ready to predict.
Expected<void> Booster::Impl::load(BoosterDocument source) {
  silence();
  document = std::move(source);
  const Document &notes = std::as_const(document).attributes();
  if (notes.contains(kLabelOffset) || notes.contains(kLabelScale)) {
    auto offset = readNumber(stringMember(&notes, kLabelOffset));
    auto scale = readNumber(stringMember(&notes, kLabelScale));
    if (!offset || !scale)
      return fail("the scale of its labels is not a number");
    labelOffset = *offset;
    labelScale = *scale;
  }

  // XGBoost has its own idea of strings, so it gets no notes.
  Document json = document.json;
  json["learner"]["attributes"] = Document::object();
  std::string text = json.dump();
  BoosterHandle created = nullptr;
  if (XGBoosterCreate(nullptr, 0, &created) != 0)
    return failure("create a booster");
  handle.reset(created);
  if (XGBoosterSetParam(created, "nthread", "1") != 0 ||
      XGBoosterLoadModelFromBuffer(created, text.data(), text.size()) != 0)
    return failure("load the trees");

  // The first prediction configures the booster, which later ones, maybe at the
  // same time, find done.
  std::vector<float> row(document.columns, kMissing);
  auto result = evaluate(created, row.data(), 1, row.size());
  if (!result)
    return tl::unexpected(result.error());
  return {};
}

Booster::Booster(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Booster::Booster(Booster &&) noexcept = default;
Booster &Booster::operator=(Booster &&) noexcept = default;
Booster::~Booster() = default;

Expected<Booster> Booster::make(Expected<BoosterDocument> document) {
  if (!document)
    return tl::unexpected(document.error());
  auto impl = std::make_unique<Impl>();
  if (auto loaded = impl->load(std::move(*document)); !loaded)
    return fail("a booster cannot be used: " + loaded.error().message);
  return Booster(std::move(impl));
}

Expected<std::vector<double>>
Booster::predict(const FeatureMatrix &matrix) const {
  if (auto checked = checkMatrix(matrix); !checked)
    return tl::unexpected(checked.error());
  if (matrix.columns != columns())
    return fail("a booster of " + std::to_string(columns()) +
                " features cannot predict from " +
                std::to_string(matrix.columns));
  if (matrix.rows() == 0)
    return std::vector<double>();
  auto results = evaluate(impl->handle.get(), matrix.values.data(),
                          matrix.rows(), matrix.columns);
  if (results)
    for (double &result : *results)
      result = impl->labelOffset + impl->labelScale * result;
  return results;
}

static Expected<BoosterDocument> readDocument(std::string_view bytes) {
  auto json = parseDocument(bytes);
  if (!json)
    return fail("a booster " + json.error().message);
  auto document = checkBooster(*json);
  if (!document)
    return fail("a booster cannot be used: " + document.error().message);
  return document;
}

Expected<Booster> Booster::deserialize(std::string_view bytes) {
  return make(readDocument(bytes));
}

std::string Booster::serialize(Format format) const {
  return writeDocument(impl->document.json, format);
}

size_t Booster::columns() const { return impl->document.columns; }

std::optional<std::string> Booster::attribute(const std::string &name) const {
  const Document *value =
      findMember(&std::as_const(impl->document).attributes(), name);
  if (!value)
    return std::nullopt;
  return value->get<std::string>();
}

Expected<void> Booster::setAttribute(const std::string &name,
                                     const std::string &value) {
  if (name.compare(0, kReserved.size(), kReserved) == 0)
    return fail("the attribute '" + name + "' cannot be set");
  if (!isUtf8(name) || !isUtf8(value))
    return fail("an attribute is not UTF-8");
  impl->document.attributes()[name] = value;
  return {};
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// A matrix of XGBoost's with labels and weights.
static Expected<Matrix> makeMatrix(const FeatureMatrix &features,
                                   const Samples &samples) {
  DMatrixHandle handle = nullptr;
  size_t rows = features.rows();
  if (XGDMatrixCreateFromMat_omp(features.values.data(), rows, features.columns,
                                 kMissing, &handle, /*nthread=*/1) != 0)
    return failure("take the features");
  Matrix matrix(handle);
  if (XGDMatrixSetFloatInfo(handle, "label", samples.labels.data(), rows) !=
          0 ||
      XGDMatrixSetFloatInfo(handle, "weight", samples.weights.data(), rows) !=
          0)
    return failure("take the labels");
  return matrix;
}

/// One thread, exact splits, and a generator that is seeded for each tree: the
/// generator is the thread's, not the booster's.
static Expected<Handle> makeBooster(void *matrix,
                                    const BoosterOptions &options) {
  BoosterHandle handle = nullptr;
  if (XGBoosterCreate(&matrix, 1, &handle) != 0)
    return failure("create a booster");
  Handle booster(handle);
  uint64_t seed = (options.seed ^ options.seed >> 32) & 0xffffff;
  const std::pair<const char *, std::string> params[] = {
      {"verbosity", "0"},
      {"nthread", "1"},
      {"tree_method", "exact"},
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"seed", numberText(seed)},
      {"seed_per_iteration", "1"},
      {"max_depth", numberText(options.maxDepth)},
      {"eta", numberText(options.learningRate)},
      {"min_child_weight", numberText(options.minChildWeight)},
      {"subsample", numberText(options.subsample)},
      {"lambda", numberText(options.lambda)}};
  for (const auto &[name, value] : params)
    if (XGBoosterSetParam(handle, name, value.c_str()) != 0)
      return failure("set " + std::string(name));
  return booster;
}

/// XGBoost's JSON model of the trees.
static Expected<std::string> trainTrees(void *matrix,
                                        const BoosterOptions &options) {
  auto booster = makeBooster(matrix, options);
  if (!booster)
    return tl::unexpected(booster.error());
  for (unsigned round = 0; round < options.rounds; ++round)
    if (XGBoosterUpdateOneIter(booster->get(), static_cast<int>(round),
                               matrix) != 0)
      return failure("train");
  bst_ulong size = 0;
  const char *bytes = nullptr;
  if (XGBoosterSaveModelToBuffer(booster->get(), R"({"format": "json"})", &size,
                                 &bytes) != 0)
    return failure("write the trees");
  return std::string(bytes, size);
}

Expected<Booster> Booster::train(const FeatureMatrix &matrix,
                                 const std::vector<double> &labels,
                                 const std::vector<double> &weights,
                                 const BoosterOptions &options) {
  silence();
  auto samples = makeSamples(matrix, labels, weights);
  if (!samples)
    return tl::unexpected(samples.error());
  if (auto checked = checkOptions(options); !checked)
    return tl::unexpected(checked.error());
  auto data = makeMatrix(matrix, *samples);
  if (!data)
    return tl::unexpected(data.error());
  auto trees = trainTrees(data->get(), options);
  if (!trees)
    return tl::unexpected(trees.error());
  auto document = readDocument(*trees);
  if (document) {
    document->attributes()[kLabelOffset] = numberText(samples->offset);
    document->attributes()[kLabelScale] = numberText(samples->scale);
  }
  return make(std::move(document));
}
