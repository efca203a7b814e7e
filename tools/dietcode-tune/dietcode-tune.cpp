//===- dietcode-tune.cpp - Tunes the operators of a file ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/ToolInput.h"
#include "dietcode/Device/Device.h"
#include "dietcode/Run/Runner.h"
#include "dietcode/Support/File.h"
#include "dietcode/Tune/MissedShapes.h"
#include "dietcode/Tune/Tune.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::TuneProgress;
using ::dietcode::TuneReport;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options of dietcode-tune");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file>"),
                                      cl::cat(category));
static cl::opt<std::string>
    outputFile("o",
               cl::desc("Where the tuned IR goes (default: standard "
                        "output)"),
               cl::value_desc("file"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> entry("entry",
                                  cl::desc("Function to tune (default: all)"),
                                  cl::cat(category));
static cl::opt<std::string>
    records("records",
            cl::desc("JSON lines of measurements: read, and appended to"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    misses("misses",
           cl::desc("Log of calls outside of the declared ranges, of a program "
                    "compiled with report-misses: tune for these shapes, too"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    modelFile("model",
              cl::desc("Trained cost model (.ubj or .json): read if it is "
                       "there, and written"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    device("device", cl::desc("Device to measure on, e.g. virtual:t4"),
           cl::init(std::string(::dietcode::defaultDeviceName)),
           cl::cat(category));
static cl::opt<unsigned> trials("trials", cl::desc("Candidates to measure"),
                                cl::init(200), cl::cat(category));
static cl::opt<double> seconds("seconds",
                               cl::desc("Start no batch after this time"),
                               cl::init(0), cl::cat(category));
static cl::opt<unsigned>
    batch("batch", cl::desc("Candidates between two trainings of the model"),
          cl::init(32), cl::cat(category));
static cl::opt<unsigned>
    maxKernels("max-kernels",
               cl::desc("Most micro-kernels that one operator may use"),
               cl::init(8), cl::cat(category));
static cl::opt<double>
    maxRegret("max-regret",
              cl::desc("Largest predicted regret that is accepted at any shape "
                       "of the range, e.g. 0.25 (default: any)"),
              cl::init(-1), cl::cat(category));
static cl::opt<bool>
    modelOnly("model-only",
              cl::desc("Choose by the model and the records; measure nothing"),
              cl::cat(category));
static cl::opt<bool> exhaustive(
    "exhaustive",
    cl::desc("Measure every candidate on every instance, which takes "
             "long"),
    cl::cat(category));
static cl::list<std::string>
    space("space",
          cl::desc("Values of a parameter that candidates have, e.g. "
                   "split=1,2,4; block_m, block_n, block_k, thread_m, "
                   "thread_n, stages, split, vector, order (mn, nm, mnm), "
                   "instruction; of operators on rows rows.block_m, "
                   "rows.block_n, rows.thread_n, rows.vector. May be given for "
                   "several (default: docs/tuning.md)"),
          cl::value_desc("axis=values"), cl::cat(category));
static cl::opt<double>
    slack("slack",
          cl::desc("With --exhaustive: leave out instances at which the model "
                   "puts a candidate further than this from the best, e.g. "
                   "0.15"),
          cl::init(std::numeric_limits<double>::infinity()), cl::cat(category));
static cl::opt<unsigned>
    sample("sample",
           cl::desc("With --exhaustive: measure only so many candidates, at "
                    "random by --seed"),
           cl::init(0), cl::cat(category));
static cl::opt<bool>
    noVerify("no-verify",
             cl::desc("Time candidates without comparing their results"),
             cl::cat(category));
static cl::opt<unsigned long long> seed("seed",
                                        cl::desc("Of all that is random"),
                                        cl::init(0), cl::cat(category));
static cl::opt<unsigned>
    workers("workers",
            cl::desc("Candidates to build and to measure at a time (default: "
                     "one for each processor)"),
            cl::init(0), cl::cat(category));
static cl::opt<double>
    timeout("timeout", cl::desc("Seconds that measuring a candidate may take"),
            cl::init(60), cl::cat(category));
static cl::opt<std::string>
    keepJobs("keep-jobs",
             cl::desc("Keep the jobs of all measured candidates, and their "
                      "results, in this new folder: dietcode-measure repeats "
                      "them on another device"),
             cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> json("json",
                          cl::desc("Print the report as JSON to the standard "
                                   "output; needs -o"),
                          cl::cat(category));

static volatile std::sig_atomic_t interruptSignal = 0;

/// The first signal lets the tuner stop and tidy up, but not for long.
static void onSignal(int signal) {
  if (!interruptSignal)
    alarm(1);
  interruptSignal = signal;
}

/// Whoever measures ends with this process, and the next tuner removes what is
/// left of its jobs.
static void onAlarm(int) {
  constexpr char kMessage[] = "error: interrupted\n";
  // There is nobody to tell if this fails.
  [[maybe_unused]] ssize_t n =
      write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(128 + interruptSignal);
}

static void installHandlers() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = onAlarm;
  sigaction(SIGALRM, &action, nullptr);
}

static int failWith(const Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

/// A bar with the best so far, the rate and the time left, where somebody
/// watches.
static void printProgress(const TuneProgress &progress) {
  constexpr unsigned kWidth = 24;
  double done = double(progress.trials) / double(progress.maxTrials);
  auto filled = static_cast<unsigned>(done * kWidth);
  double rate = double(progress.trials) / progress.seconds;
  double left = double(progress.maxTrials - progress.trials) / rate;
  llvm::errs() << llvm::formatv(
      "\r\x1b[K[{0}{1}] {2}/{3} {4}: best {5:F1} us, {6:F1}/s, {7:F0} s left",
      std::string(filled, '='), std::string(kWidth - filled, ' '),
      progress.trials, progress.maxTrials, progress.task, 1e6 * progress.best,
      rate, left);
  if (progress.trials >= progress.maxTrials)
    llvm::errs() << "\n";
}

static ::dietcode::Expected<::dietcode::ScheduleSpace> makeSpace() {
  ::dietcode::ScheduleSpace made;
  for (const std::string &axis : space)
    if (auto set = ::dietcode::setAxis(made, axis); !set)
      return tl::unexpected(set.error());
  return made;
}

/// Mistakes on the command line, before anything is read.
static std::optional<std::string> checkOptions() {
  if (modelOnly && exhaustive)
    return "--model-only measures nothing and --exhaustive everything; give "
           "one of them";
  if (!(slack >= 0))
    return "--slack must not be negative";
  if (slack.getNumOccurrences() > 0 && !exhaustive)
    return "--slack limits --exhaustive; give both";
  if (sample.getNumOccurrences() > 0 && (!exhaustive || sample == 0))
    return "--sample is a positive number, and limits --exhaustive; give both";
  if (!modelOnly && !exhaustive && trials == 0)
    return "--trials=0 leaves nothing to choose from; give a budget, or "
           "--model-only";
  if (seconds < 0 || seconds != seconds)
    return "--seconds must not be negative";
  if (!(timeout > 0))
    return "--timeout must be positive";
  if (auto made = makeSpace(); !made)
    return "--space: " + made.error().message;
  if (batch == 0 || maxKernels == 0)
    return "--batch and --max-kernels must be at least 1";
  if (maxRegret != maxRegret)
    return "--max-regret must be a number";
  if (json && outputFile == "-")
    return "--json prints the report to the standard output, so the tuned IR "
           "needs a file: give -o";
  if (modelOnly && !keepJobs.empty())
    return "--keep-jobs has no meaning with --model-only, which makes no jobs";
  if (modelOnly && noVerify)
    return "--no-verify has no meaning with --model-only, which runs nothing";
  return std::nullopt;
}

/// Files that could not be written at the end, or of which one would replace
/// the other.
static std::optional<std::string> checkFiles() {
  if (auto can = ::dietcode::checkWritable(outputFile); !can)
    return can.error().message;
  if (!keepJobs.empty() && llvm::sys::fs::exists(keepJobs))
    return "--keep-jobs: '" + keepJobs +
           "' is there already; give the name of a new folder";
  std::vector<std::pair<StringRef, StringRef>> files = {{"-o", outputFile},
                                                        {"--records", records},
                                                        {"--model", modelFile},
                                                        {"--misses", misses}};
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!files[i].second.empty() && files[i].second != "-" &&
          files[j].second != "-" &&
          (files[i].second == files[j].second ||
           llvm::sys::fs::equivalent(files[i].second, files[j].second)))
        return (files[j].first + " and " + files[i].first +
                " are the same file: '" + files[i].second + "'")
            .str();
  return std::nullopt;
}

static TuneOptions makeOptions() {
  TuneOptions options;
  options.entry = entry;
  options.device = device;
  options.recordsFile = records;
  options.modelFile = modelFile;
  options.trials = trials;
  options.seconds = seconds;
  options.batch = batch;
  options.selection = {maxKernels, maxRegret};
  options.modelOnly = modelOnly;
  options.exhaustive = exhaustive;
  options.slack = slack;
  options.sample = sample;
  options.space = *makeSpace();
  options.verify = !noVerify;
  options.seed = seed;
  options.workers =
      workers > 0 ? workers : std::max(1u, std::thread::hardware_concurrency());
  options.timeoutSeconds = timeout;
  options.jobFolder = keepJobs;
  options.interrupted = [] { return interruptSignal != 0; };
  if (isatty(STDERR_FILENO))
    options.progress = printProgress;
  return options;
}

/// Makes instances of the shapes of the log.
static std::optional<std::string> readMisses(ModuleOp module) {
  size_t skipped = 0;
  auto read = ::dietcode::runtime::readMissLog(misses, &skipped);
  if (!read)
    return read.error().message;
  std::vector<std::string> notes;
  addMissedShapes(module, *read, notes);
  if (skipped > 0)
    notes.push_back("skipped " + std::to_string(skipped) +
                    " lines that tell of no call");
  for (const std::string &note : notes)
    llvm::errs() << "note: " << misses << ": " << note << "\n";
  return std::nullopt;
}

static int tune(ModuleOp module) {
  if (failed(raiseForTuning(module, device)))
    return 1;
  if (!misses.empty())
    if (std::optional<std::string> mistake = readMisses(module))
      return failWith(*mistake);
  FailureOr<TuneReport> report = tuneModule(module, makeOptions());
  alarm(0);
  if (interruptSignal) {
    failWith("interrupted");
    return 128 + interruptSignal;
  }
  if (failed(report))
    return 1;
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  text += "\n";
  if (auto written = ::dietcode::writeFileAtomically(outputFile, text);
      !written)
    return failWith(written.error().message);
  if (json)
    llvm::outs() << ::dietcode::printJson(*report);
  else
    llvm::errs() << ::dietcode::printTable(*report);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Tunes all shapes of the operators of a file in one search, and writes "
      "the file back with the micro-kernels and the dispatch among them.\n");
  if (std::optional<std::string> mistake = checkOptions())
    return failWith(*mistake);
  if (std::optional<std::string> mistake = checkFiles())
    return failWith(*mistake);
  installHandlers();
  auto sources = openInput(inputFile);
  if (!sources)
    return failWith(sources.error().message);
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  return runOnModule(*sources, context, tune);
}
