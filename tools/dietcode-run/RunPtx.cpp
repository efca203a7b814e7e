//===- RunPtx.cpp - The --ptx mode of dietcode-run ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPtx.h"
#include "dietcode/Run/Runner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace dietcode;
using namespace dietcode::vgpu;
using mlir::dietcode::RunStatus;

/// The device that `name` means, with or without "virtual:" in front; the
/// default one if it is empty.
static const DeviceSpec *findDevice(llvm::StringRef name) {
  if (name.empty())
    name = "t4";
  name.consume_front("virtual:");
  return lookupDevice(std::string_view(name.data(), name.size()));
}

/// What to run it for, and which checkers watch.
static Expected<void> setMode(const PtxOptions &options, LaunchConfig &config) {
  if (options.functional && options.time)
    return fail("--functional and --time exclude each other; without them, the "
                "kernel is run and its time estimated");
  if (options.check && options.time)
    return fail("--check needs all blocks to run, and --time runs only the few "
                "that the estimate takes; leave one of them out");
  config.functionalOnly = options.functional;
  config.timeOnly = options.time;
  config.usePtxas = true;
  if (options.check) {
    config.checks = CheckOptions::all();
    return {};
  }
  Expected<CheckOptions> checks = checkOptionsFromEnvironment();
  if (!checks)
    return fail(checks.error().message);
  config.checks = *checks;
  return {};
}

static Expected<PtxJob> makeJob(const PtxOptions &options) {
  PtxJob job;
  if (Expected<void> mode = setMode(options, job.config); !mode)
    return fail(mode.error().message);
  job.file = options.file;
  job.kernel = options.kernel;
  Expected<std::array<int64_t, 3>> grid = parseExtents(options.grid, "--grid");
  if (!grid)
    return fail(grid.error().message);
  Expected<std::array<int64_t, 3>> block =
      parseExtents(options.block, "--block");
  if (!block)
    return fail(block.error().message);
  job.config.grid = *grid;
  job.config.block = *block;
  job.config.dynamicSharedBytes = options.sharedBytes;
  Expected<uint64_t> limit = instructionLimitFromEnvironment();
  if (!limit)
    return fail(limit.error().message);
  job.config.maxWarpInstructionsPerBlock = *limit;
  for (const std::string &text : options.arguments) {
    Expected<PtxArgument> argument = parsePtxArgument(text);
    if (!argument)
      return fail(argument.error().message);
    job.arguments.push_back(std::move(*argument));
  }
  return job;
}

static void printPtxText(const PtxJobResult &result, const std::string &device,
                         const PtxOptions &options) {
  const LaunchReport &report = result.report;
  llvm::outs() << llvm::formatv("{0} on {1} (model, not a measurement)\n",
                                result.kernel, device);
  auto row = [](llvm::StringRef name, const std::string &value) {
    llvm::outs() << llvm::formatv("  {0,-26}{1}\n", name, value);
  };
  if (!options.functional)
    row("time", llvm::formatv("{0:f2} us, bound by {1}",
                              report.virtualSeconds * 1e6, report.limiter()));
  row("warp instructions", std::to_string(report.instructions.total));
  row("resident blocks per SM", std::to_string(report.residentBlocksPerSM));
  row("registers per thread",
      llvm::formatv("{0} ({1})", report.registersPerThread,
                    report.registerSource));
  row("shared bytes per block", std::to_string(report.sharedBytesPerBlock));
  row("sectors read, written",
      llvm::formatv("{0}, {1}", report.sectorsRead, report.sectorsWritten));
  if (options.check)
    row("checkers", report.uncheckedPages
                        ? llvm::formatv("no finding; {0} pages of memory were "
                                        "too many to watch",
                                        report.uncheckedPages)
                              .str()
                        : "no finding");
  if (options.time)
    row("outputs", "not written: --time runs only some blocks");
  if (report.replay.valid)
    llvm::outs() << report.replay.toText();
}

static void printPtxJson(const PtxJobResult &result, const std::string &device,
                         const PtxOptions &options) {
  const LaunchReport &report = result.report;
  llvm::json::Object object{
      {"device", device},
      {"kernel", result.kernel},
      {"warpInstructions", report.instructions.total},
      {"residentBlocksPerSM", report.residentBlocksPerSM},
      {"registersPerThread", report.registersPerThread},
      {"registerSource", report.registerSource},
      {"sharedBytesPerBlock", report.sharedBytesPerBlock},
      {"sectorsRead", report.sectorsRead},
      {"sectorsWritten", report.sectorsWritten},
  };
  if (!options.functional) {
    object["seconds"] = report.virtualSeconds;
    object["bound"] = report.limiter();
  }
  if (options.check)
    object["uncheckedPages"] = report.uncheckedPages;
  if (report.replay.valid)
    object["timing"] =
        llvm::cantFail(llvm::json::parse(report.replay.toJson()));
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(object)));
}

int dietcode::runPtx(const PtxOptions &options) {
  auto failWith = [](const std::string &message, RunStatus status) {
    llvm::errs() << "dietcode-run: error: " << message << "\n";
    return static_cast<int>(status);
  };
  const DeviceSpec *device = findDevice(options.device);
  if (!device)
    return failWith("unknown device '" + options.device + "'; known devices: " +
                        llvm::join(knownDeviceNames(), ", "),
                    RunStatus::Failed);
  Expected<PtxJob> job = makeJob(options);
  if (!job)
    return failWith(job.error().message, RunStatus::Failed);
  FailureKind kind = FailureKind::Refused;
  Finding finding;
  Expected<PtxJobResult> result = runPtxJob(*job, *device, &kind, &finding);
  if (!result && kind == FailureKind::Finding && options.json)
    llvm::outs() << toJson(finding) << "\n";
  if (!result)
    return failWith(result.error().message, kind == FailureKind::Finding
                                                ? RunStatus::Finding
                                                : RunStatus::Failed);
  std::string name = virtualName(*device);
  if (!result->report.registerNote.empty())
    llvm::errs() << "dietcode-run: warning: " << result->report.registerNote
                 << "\n";
  if (options.json)
    printPtxJson(*result, name, options);
  else
    printPtxText(*result, name, options);
  return static_cast<int>(RunStatus::Ok);
}
