//===- ExplanationReport.cpp - Explanations as text and JSON --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplanationJson.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::CostSource;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static StringRef describe(CostSource source) {
  switch (source) {
  case CostSource::Analytical:
    return "by the device table";
  case CostSource::Predicted:
    return "predicted";
  case CostSource::Measured:
    return "from measurements";
  }
  llvm_unreachable("unknown source");
}

static void print(raw_ostream &os, StringRef what,
                  const ExplainedKernel &kernel, double chosenSeconds) {
  os << llvm::formatv("  {0}{1}: {2:F1} us {3}", what, kernel.symbol,
                      1e6 * kernel.estimate.seconds, describe(kernel.source));
  if (kernel.estimate.seconds != chosenSeconds)
    os << llvm::formatv(" ({0}{1:P1})",
                        kernel.estimate.seconds > chosenSeconds ? "+" : "",
                        kernel.estimate.seconds / chosenSeconds - 1);
  os << "\n";
}

static void print(raw_ostream &os, const OperatorExplanation &explanation) {
  os << explanation.name << ": " << explanation.shape << "\n";
  for (const std::string &step : explanation.path)
    os << "  " << step << "\n";
  os << "  " << explanation.leaf << "\n";
  if (!explanation.nothing.empty()) {
    os << "  chosen    " << explanation.chosen.symbol << ": "
       << explanation.nothing << "\n";
    return;
  }
  const ::dietcode::CostEstimate &chosen = explanation.chosen.estimate;
  print(os, "chosen    ", explanation.chosen, chosen.seconds);
  os << llvm::formatv("            {0}, {1:P0} occupancy\n", explain(chosen),
                      chosen.occupancy);
  if (!explanation.runnerUp.symbol.empty())
    print(os, "runner-up ", explanation.runnerUp, chosen.seconds);
  print(os, "best known ", explanation.best, chosen.seconds);
}

std::string
mlir::dietcode::printText(ArrayRef<OperatorExplanation> explanations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const OperatorExplanation &explanation : explanations)
    print(os, explanation);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static StringRef nameOf(CostSource source) {
  switch (source) {
  case CostSource::Analytical:
    return "table";
  case CostSource::Predicted:
    return "predicted";
  case CostSource::Measured:
    return "measured";
  }
  llvm_unreachable("unknown source");
}

llvm::json::Object mlir::dietcode::toJson(const ExplainedKernel &kernel) {
  // JSON has no infinity.
  auto orNull = [](double seconds) {
    return std::isfinite(seconds) ? llvm::json::Value(seconds)
                                  : llvm::json::Value(nullptr);
  };
  return llvm::json::Object{
      {"kernel", kernel.symbol},
      {"seconds", orNull(kernel.estimate.seconds)},
      {"predicted_seconds", orNull(kernel.predictedSeconds)},
      {"source", nameOf(kernel.source)},
      {"measured_here", kernel.isMeasuredHere}};
}

llvm::json::Object
mlir::dietcode::toJson(const OperatorExplanation &explanation) {
  llvm::json::Object object{{"operator", explanation.name},
                            {"source", explanation.source},
                            {"shape", explanation.shape},
                            {"path", llvm::json::Array(explanation.path)},
                            {"leaf", explanation.leaf}};
  if (!explanation.nothing.empty()) {
    object["chosen"] =
        llvm::json::Object{{"kernel", explanation.chosen.symbol}};
    object["nothing"] = explanation.nothing;
    return object;
  }
  const ::dietcode::CostEstimate &chosen = explanation.chosen.estimate;
  object["chosen"] = toJson(explanation.chosen);
  object["blocks"] = chosen.blocks;
  object["blocks_per_sm"] = chosen.blocksPerSM;
  object["waves"] = chosen.waves;
  object["padding_waste"] = chosen.paddingWaste;
  object["occupancy"] = chosen.occupancy;
  object["bound_seconds"] = explanation.boundSeconds;
  object["bound"] = StringRef(chosen.bound.data(), chosen.bound.size());
  if (!explanation.runnerUp.symbol.empty())
    object["runner_up"] = toJson(explanation.runnerUp);
  object["best_known"] = toJson(explanation.best);
  return object;
}

std::string
mlir::dietcode::printJson(ArrayRef<OperatorExplanation> explanations) {
  llvm::json::Array array;
  for (const OperatorExplanation &explanation : explanations)
    array.push_back(toJson(explanation));
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array))).str();
}
