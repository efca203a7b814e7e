//===- Tuning.cpp - Tuning that can be interrupted ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python runs the handlers of signals in the main thread, and only between two
// of its own instructions. So tuning is another thread's, and the caller's
// waits for it, looks for signals, and passes on what progress there is.
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Program.h"
#include "Workspace.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <thread>

namespace nb = nanobind;
using namespace dietcode::python;

namespace {

struct Progress {
  std::string operatorName;
  uint64_t trials, maxTrials;
  double seconds, best;
};

/// Options of the C interface, and the texts that they point to.
struct TuneOptions {
  std::optional<std::string> device, entry, records, model, measureProgram;
  dietcode_tune_options c = DIETCODE_TUNE_OPTIONS_INIT;
};

/// One run of the tuner.
class Tuner {
public:
  Tuner(const std::string &text, const std::string &name,
        const TuneOptions &options)
      : text(text), name(name), options(options.c) {
    this->options.stop = &stop;
    this->options.progress = note;
    this->options.progress_user = this;
  }

  /// Calls `onProgress`, unless it is None, in this thread. Throws what that or
  /// a signal handler raises, once the tuner has ended.
  std::pair<std::string, std::string> run(nb::handle onProgress);

private:
  static int note(void *self, const dietcode_tune_progress *progress);
  void work();
  bool await(std::deque<Progress> &arrived);

  const std::string &text, &name;
  dietcode_tune_options options;
  volatile int stop = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Progress> queue;
  bool isDone = false;
  std::exception_ptr failure;
  std::pair<std::string, std::string> tuned; ///< The module and the report.
};

} // namespace

int Tuner::note(void *user, const dietcode_tune_progress *progress) {
  auto *self = static_cast<Tuner *>(user);
  std::lock_guard<std::mutex> lock(self->mutex);
  self->queue.push_back({progress->operator_name, progress->trials,
                         progress->max_trials, progress->seconds,
                         progress->best});
  self->changed.notify_one();
  return 0;
}

void Tuner::work() {
  try {
    Workspace workspace(text, name);
    dietcode_text report = {};
    check(dietcode_module_tune(workspace.getModule(), &options, &report));
    tuned.second = take(report);
    tuned.first = workspace.print();
  } catch (...) {
    failure = std::current_exception();
  }
  std::lock_guard<std::mutex> lock(mutex);
  isDone = true;
  changed.notify_one();
}

/// Waits for a moment; false once the tuner has ended.
bool Tuner::await(std::deque<Progress> &arrived) {
  nb::gil_scoped_release release;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, std::chrono::milliseconds(50),
                   [&] { return isDone || !queue.empty(); });
  arrived.swap(queue);
  return !isDone;
}

std::pair<std::string, std::string> Tuner::run(nb::handle onProgress) {
  std::thread worker([this] { work(); });
  std::exception_ptr raised;
  for (bool goesOn = true; goesOn;) {
    std::deque<Progress> arrived;
    goesOn = await(arrived);
    try {
      if (!raised && PyErr_CheckSignals() != 0)
        throw nb::python_error();
      for (const Progress &one : arrived)
        if (!raised && !onProgress.is_none())
          onProgress(one.operatorName, one.trials, one.maxTrials, one.seconds,
                     one.best);
    } catch (...) {
      raised = std::current_exception();
      stop = 1;
    }
  }
  worker.join();
  if (raised)
    std::rethrow_exception(raised);
  if (failure)
    std::rethrow_exception(failure);
  return std::move(tuned);
}

void dietcode::python::registerTuning(nb::module_ &module) {
  nb::class_<TuneOptions>(module, "TuneOptions")
      .def(nb::init<>())
      .def_rw("device", &TuneOptions::device, nb::arg().none())
      .def_rw("entry", &TuneOptions::entry, nb::arg().none())
      .def_rw("records", &TuneOptions::records, nb::arg().none())
      .def_rw("model", &TuneOptions::model, nb::arg().none())
      .def_rw("measure_program", &TuneOptions::measureProgram, nb::arg().none())
#define OPTION(NAME)                                                           \
  def_prop_rw(                                                                 \
      #NAME, [](const TuneOptions &self) { return self.c.NAME; },              \
      [](TuneOptions &self, decltype(dietcode_tune_options::NAME) value) {     \
        self.c.NAME = value;                                                   \
      })
      .OPTION(trials)
      .OPTION(seconds)
      .OPTION(batch)
      .OPTION(max_kernels)
      .OPTION(max_regret)
      .OPTION(seed)
      .OPTION(workers)
      .OPTION(timeout_seconds)
      .OPTION(model_only)
      .OPTION(skip_checks);
#undef OPTION
  module.def(
      "tune",
      [](const std::string &text, const std::string &name, TuneOptions options,
         nb::handle onProgress) {
        options.c.device = orNull(options.device);
        options.c.entry = orNull(options.entry);
        options.c.records = orNull(options.records);
        options.c.model = orNull(options.model);
        options.c.measure_program = orNull(options.measureProgram);
        return Tuner(text, name, options).run(onProgress);
      },
      nb::arg("text"), nb::arg("name"), nb::arg("options"),
      nb::arg("on_progress").none());
}
