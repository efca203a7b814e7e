//===- Tune.cpp - Tuning by the C interface -------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "dietcode/Device/Device.h"
#include "dietcode/Tune/Tune.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace dietcode;
using namespace dietcode::capi;
using namespace mlir;
using mlir::dietcode::TuneOptions;

static Outcome checkOptions(const dietcode_tune_options &options) {
  auto invalid = [](const char *what) {
    return failWith(DIETCODE_INVALID_ARGUMENT, what);
  };
  if (Outcome known = checkStruct("options", options.struct_size,
                                  sizeof(dietcode_tune_options));
      !known)
    return known;
  if (options.trials == 0 && !options.model_only)
    return invalid("options: no trials leave nothing to choose from; give a "
                   "budget, or model_only");
  if (options.batch == 0 || options.max_kernels == 0)
    return invalid("options: batch and max_kernels must be at least 1");
  if (!(options.seconds >= 0))
    return invalid("options: seconds must not be negative");
  if (!(options.timeout_seconds > 0))
    return invalid("options: timeout_seconds must be positive");
  if (std::isnan(options.max_regret))
    return invalid("options: max_regret must be a number");
  return {};
}

static TuneOptions translate(const dietcode_tune_options &given) {
  TuneOptions options;
  options.entry = orEmpty(given.entry);
  options.device = given.device ? given.device : std::string(defaultDeviceName);
  options.recordsFile = orEmpty(given.records);
  options.modelFile = orEmpty(given.model);
  options.trials = given.trials;
  options.seconds = given.seconds;
  options.batch = given.batch;
  options.selection = {given.max_kernels, given.max_regret};
  options.modelOnly = given.model_only != 0;
  options.verify = given.skip_checks == 0;
  options.seed = given.seed;
  options.workers = given.workers > 0
                        ? given.workers
                        : std::max(1u, std::thread::hardware_concurrency());
  options.timeoutSeconds = given.timeout_seconds;
  options.measureProgram = orEmpty(given.measure_program);
  return options;
}

/// Tunes a copy, which takes the place of the module if all goes well.
static Outcome tune(Module &module, const dietcode_tune_options &given,
                    std::string &report) {
  TuneOptions options = translate(given);
  std::atomic<bool> interrupted = false;
  options.interrupted = [&] {
    if (given.stop && *given.stop != 0)
      interrupted = true;
    return interrupted.load();
  };
  if (given.progress)
    options.progress = [&](const TuneProgress &progress) {
      dietcode_tune_progress c = {progress.task.c_str(), progress.trials,
                                  progress.maxTrials, progress.seconds,
                                  progress.best};
      if (given.progress(given.progress_user, &c) != 0)
        interrupted = true;
    };
  Outcome outcome = module.context->run(DIETCODE_COMPILE_ERROR, [&] {
    OwningOpRef<ModuleOp> copy(module.op->clone());
    if (failed(mlir::dietcode::raiseForTuning(*copy, options.device)))
      return false;
    FailureOr<TuneReport> tuned = mlir::dietcode::tuneModule(*copy, options);
    if (failed(tuned))
      return false;
    report = printJson(*tuned);
    module.op = std::move(copy);
    return true;
  });
  if (!outcome && interrupted)
    return failWith(DIETCODE_INTERRUPTED,
                    "interrupted; what was measured is in the records");
  return outcome;
}

extern "C" DIETCODE_EXPORT dietcode_status dietcode_module_tune(
    dietcode_module *module, const dietcode_tune_options *options,
    dietcode_text *report) {
  return atBoundary(__func__, [&]() -> Outcome {
    if (report)
      *report = {};
    auto found = lookUp<Modules>(module, "module");
    if (!found)
      return tl::unexpected(found.error());
    dietcode_tune_options given = DIETCODE_TUNE_OPTIONS_INIT;
    if (options)
      given = *options;
    if (Outcome valid = checkOptions(given); !valid)
      return valid;
    std::string json;
    if (Outcome tuned = tune(**found, given, json); !tuned)
      return tuned;
    if (report)
      *report = copyText(json);
    return {};
  });
}
