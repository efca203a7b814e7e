//===- Explain.cpp - Explanations by the C interface ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "dietcode/Run/ShapeOptions.h"
#include "dietcode/Tune/Explanation.h"

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;
using namespace mlir::dietcode;
namespace capi = ::dietcode::capi;

/// Explains a copy, in which operators without a dispatch get one. Emits an
/// error where that fails.
static bool explain(ModuleOp module, const ShapeValues &values,
                    const dietcode_explain_options &options,
                    std::string &json) {
  OwningOpRef<ModuleOp> copy(module.clone());
  FailureOr<Explainable> subject =
      prepareExplanation(*copy, orEmpty(options.entry), orEmpty(options.model),
                         orEmpty(options.records));
  if (failed(subject))
    return false;
  FailureOr<std::vector<OperatorExplanation>> explanations = explainShape(
      subject->function, values, subject->known.model, subject->known.records);
  if (failed(explanations))
    return false;
  json = printJson(*explanations);
  return true;
}

extern "C" DIETCODE_EXPORT dietcode_status dietcode_module_explain(
    dietcode_module *module, const char *shape,
    const dietcode_explain_options *options, dietcode_text *text) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (!text)
      return failWith(DIETCODE_INVALID_ARGUMENT, "'text' is null");
    *text = {};
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
    ShapeValues values;
    if (shape && *shape) {
      Expected<ShapeValues> parsed = parseShapeValues(shape);
      if (!parsed)
        return failWith(DIETCODE_INVALID_ARGUMENT, parsed.error().message);
      values = std::move(*parsed);
    }
    std::string json;
    Outcome outcome = (*found)->context->run(DIETCODE_COMPILE_ERROR, [&] {
      return explain(*(*found)->op, values, given, json);
    });
    if (outcome)
      *text = copyText(json);
    return outcome;
  });
}
