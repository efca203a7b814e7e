//===- Explain.cpp - Explanations by the C interface ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "dietcode/Run/ShapeOptions.h"
#include "dietcode/Tune/Overview.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;
using namespace mlir::dietcode;
namespace capi = ::dietcode::capi;

/// What to print of a copy of the module, in which operators without a dispatch
/// got one. Emits an error and gives nothing where that fails.
using Printer = std::function<std::optional<std::string>(Explainable &)>;

static bool print(ModuleOp module, const dietcode_explain_options &options,
                  const Printer &printer, std::string &json) {
  OwningOpRef<ModuleOp> copy(module.clone());
  FailureOr<Explainable> subject =
      prepareExplanation(*copy, orEmpty(options.entry), orEmpty(options.model),
                         orEmpty(options.records));
  if (failed(subject))
    return false;
  std::optional<std::string> printed = printer(*subject);
  json = printed.value_or("");
  return printed.has_value();
}

static Outcome explain(dietcode_module *module,
                       const dietcode_explain_options *options,
                       dietcode_text &text, const Printer &printer) {
  auto found = lookUp<Modules>(module, "module");
  if (!found)
    return tl::unexpected(found.error());
  dietcode_explain_options given = DIETCODE_EXPLAIN_OPTIONS_INIT;
  if (options)
    given = *options;
  if (Outcome known = checkStruct("options", given.struct_size,
                                  sizeof(dietcode_explain_options));
      !known)
    return known;
  std::string json;
  Outcome outcome = (*found)->context->run(DIETCODE_COMPILE_ERROR, [&] {
    return print(*(*found)->op, given, printer, json);
  });
  if (outcome)
    text = copyText(json);
  return outcome;
}

extern "C" DIETCODE_EXPORT dietcode_status dietcode_module_explain(
    dietcode_module *module, const char *shape,
    const dietcode_explain_options *options, dietcode_text *text) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    *text = {};
    ShapeValues values;
    if (shape && *shape) {
      Expected<ShapeValues> parsed = parseShapeValues(shape);
      if (!parsed)
        return failWith(DIETCODE_INVALID_ARGUMENT, parsed.error().message);
      values = std::move(*parsed);
    }
    return explain(module, options, *text,
                   [&](Explainable &subject) -> std::optional<std::string> {
                     FailureOr<std::vector<OperatorExplanation>> explanations =
                         explainShape(subject.function, values,
                                      subject.known.model,
                                      subject.known.records);
                     if (failed(explanations))
                       return std::nullopt;
                     return printJson(*explanations);
                   });
  });
}

extern "C" DIETCODE_EXPORT dietcode_status dietcode_module_overview(
    dietcode_module *module, const dietcode_explain_options *options,
    dietcode_text *text) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    *text = {};
    return explain(module, options, *text,
                   [](Explainable &subject) -> std::optional<std::string> {
                     OverviewParts parts{
                         !listInstances(subject.function).empty(),
                         /*curve=*/true, !subject.known.records.empty()};
                     FailureOr<std::vector<OperatorOverview>> operators =
                         makeOverview(subject.function, subject.known, parts);
                     if (failed(operators))
                       return std::nullopt;
                     return printJson(subject.function, *operators, parts);
                   });
  });
}
