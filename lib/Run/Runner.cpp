//===- Runner.cpp - Runs a function on the device and checks it -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Runner.h"

#include "ArgumentLayout.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Run/Compare.h"
#include "dietcode/Run/DeviceProgram.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;
using ::dietcode::Report;
using ::dietcode::RunReport;

void mlir::dietcode::registerRunDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<DietCodeDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

FailureOr<func::FuncOp> mlir::dietcode::findEntry(ModuleOp module,
                                                  StringRef name) {
  SmallVector<func::FuncOp> candidates;
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool matches =
        name.empty() ? function.isPublic() : function.getSymName() == name;
    if (function.isExternal())
      continue;
    names.push_back(function.getSymName());
    if (matches)
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  if (names.empty())
    return emitError(module.getLoc()) << "the module has no function to run";
  InFlightDiagnostic diag = emitError(module.getLoc());
  if (name.empty())
    diag << "the module has " << candidates.size()
         << " public functions; choose one with --entry";
  else
    diag << "--entry: there is no function @" << name << " with a body";
  return diag << "; it defines " << llvm::join(names, ", ");
}

namespace {

/// Runs the requests for one compiled function.
class Runner {
public:
  Runner(func::FuncOp entry, const RunSettings &settings, Report &report)
      : entry(entry), settings(settings), report(report) {}

  LogicalResult compile(const DietCodeToLLVMOptions &options);
  RunStatus run(const RunRequest &request);

private:
  RunStatus fail(const Twine &message, RunStatus status = RunStatus::Failed) {
    emitError(entry.getLoc()) << message;
    return status;
  }
  std::string outputName(size_t index);
  RunStatus checkFences(const std::vector<RunArgument> &arguments);
  RunStatus checkOutputs(ArrayRef<::dietcode::NpyArray> outputs,
                         ArrayRef<ReferenceOutput> references, RunReport &run);
  RunStatus writeOutputs(ArrayRef<::dietcode::NpyArray> outputs);

  func::FuncOp entry;
  const RunSettings &settings;
  Report &report;
  std::optional<DeviceProgram> program;
  std::optional<Reference> reference;
};

} // namespace

/// e.g. "T=37", or the shapes of the arguments.
static std::string describeShapes(const RunRequest &request,
                                  ArrayRef<RunArgument> arguments) {
  std::vector<std::string> pieces;
  for (auto &[name, value] : request.variables)
    pieces.push_back(name + "=" + std::to_string(value));
  if (pieces.empty())
    for (const RunArgument &argument : arguments)
      if (argument.tensor)
        pieces.push_back(
            ::dietcode::printSizes(argument.tensor->getLayout().sizes));
  return llvm::join(pieces, ",");
}

/// Emits an error of the runtime. A failed shape check starts with the place it
/// was compiled from, "file.mlir:3:8: ".
static void emitRuntimeError(func::FuncOp entry, StringRef shapes,
                             StringRef message) {
  Location loc = entry.getLoc();
  SmallVector<StringRef> parts;
  if (llvm::Regex("^(.+):([0-9]+):([0-9]+): (.*)$").match(message, &parts)) {
    unsigned line = 0, column = 0;
    if (!parts[2].getAsInteger(10, line) && !parts[3].getAsInteger(10, column))
      loc = FileLineColLoc::get(entry.getContext(), parts[1], line, column);
    message = parts[4];
  }
  emitError(loc) << shapes << ": " << message;
}

LogicalResult Runner::compile(const DietCodeToLLVMOptions &options) {
  FailureOr<DeviceProgram> compiled = DeviceProgram::create(entry, options);
  if (failed(compiled))
    return failure();
  program = std::move(*compiled);
  if (!settings.check)
    return success();
  FailureOr<Reference> created = Reference::create(entry);
  if (failed(created))
    return failure();
  reference = std::move(*created);
  return success();
}

/// The outputs are the results and then the buffer arguments.
std::string Runner::outputName(size_t index) {
  if (index < entry.getNumResults())
    return "result " + std::to_string(index);
  size_t buffer = index - entry.getNumResults();
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (isa<MemRefType>(type) && buffer-- == 0)
      return "argument " + std::to_string(i);
  return "output " + std::to_string(index);
}

RunStatus Runner::checkFences(const std::vector<RunArgument> &arguments) {
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.tensor)
      if (auto stray = argument.tensor->findStrayWrite()) {
        emitArgumentError(entry, index) << *stray;
        // Host code wrote it, so there is no kernel to name.
        report.finding =
            llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{
                                     {"kind", "stray-write"},
                                     {"argument", static_cast<int64_t>(index)},
                                     {"message", *stray}}));
        return RunStatus::Finding;
      }
  return RunStatus::Ok;
}

RunStatus Runner::checkOutputs(ArrayRef<::dietcode::NpyArray> outputs,
                               ArrayRef<ReferenceOutput> references,
                               RunReport &run) {
  run.maxError = 0;
  for (auto [index, output, expected] : llvm::enumerate(outputs, references)) {
    Comparison comparison =
        compare(output, expected, settings.tolerance, outputName(index));
    run.maxError = std::max(*run.maxError, comparison.maxError);
    if (comparison.mistake && run.ok) {
      run.ok = false;
      fail(run.shapes + ": " + *comparison.mistake);
    }
  }
  return run.ok ? RunStatus::Ok : RunStatus::Failed;
}

/// A function without results has its output in its last buffer.
RunStatus Runner::writeOutputs(ArrayRef<::dietcode::NpyArray> outputs) {
  if (entry.getNumResults())
    outputs = outputs.take_front(entry.getNumResults());
  else
    outputs = outputs.take_back(1);
  for (auto [file, output] : llvm::zip(settings.outputFiles, outputs))
    if (Expected<void> written = ::dietcode::writeNpy(file, output); !written)
      return fail("--output: " + written.error().message);
  return RunStatus::Ok;
}

RunStatus Runner::run(const RunRequest &request) {
  FailureOr<std::vector<RunArgument>> arguments = makeArguments(entry, request);
  if (failed(arguments))
    return RunStatus::Failed;
  ReferenceInputs inputs;
  if (reference) {
    auto copies = Reference::prepare(*arguments);
    if (!copies)
      return fail(copies.error().message);
    inputs = std::move(*copies);
  }
  std::string shapes = describeShapes(request, *arguments);
  DeviceCall call = program->call(*arguments);
  if (!call.error.empty()) {
    emitRuntimeError(entry, shapes, call.error);
    report.finding = std::move(call.finding);
    return call.isFinding ? RunStatus::Finding : RunStatus::Failed;
  }
  if (RunStatus status = checkFences(*arguments); status != RunStatus::Ok)
    return status;

  RunReport run;
  run.shapes = std::move(shapes);
  run.kernels = std::move(call.kernels);
  run.allocations = call.allocations;
  run.peakBytes = call.peakBytes;
  for (const ::dietcode::KernelReport &kernel : run.kernels)
    run.seconds += kernel.seconds;
  RunStatus status = RunStatus::Ok;
  if (reference)
    status =
        checkOutputs(call.outputs, reference->evaluate(std::move(inputs)), run);
  if (status == RunStatus::Ok)
    status = writeOutputs(call.outputs);
  report.runs.push_back(std::move(run));
  return status;
}

/// Whether there is an output for each file.
static LogicalResult checkOutputFiles(func::FuncOp entry,
                                      const RunSettings &settings) {
  size_t outputs = entry.getNumResults();
  if (!outputs)
    outputs = llvm::any_of(entry.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  if (settings.outputFiles.size() <= outputs)
    return success();
  return emitError(entry.getLoc())
         << "--output is given " << settings.outputFiles.size()
         << " times, but '" << entry.getSymName() << "' has " << outputs
         << " outputs";
}

RunStatus mlir::dietcode::runFunction(func::FuncOp entry,
                                      ArrayRef<RunRequest> requests,
                                      const DietCodeToLLVMOptions &options,
                                      const RunSettings &settings,
                                      Report &report) {
  if (failed(checkOutputFiles(entry, settings)))
    return RunStatus::Failed;
  for (const RunRequest &request : requests)
    if (failed(checkRequest(entry, request)))
      return RunStatus::Failed;
  report.device = DeviceProgram::describeDevice();
  report.entry = entry.getSymName().str();
  report.tolerance = settings.tolerance;
  Runner runner(entry, settings, report);
  if (failed(runner.compile(options)))
    return RunStatus::Failed;
  RunStatus worst = RunStatus::Ok;
  for (const RunRequest &request : requests) {
    size_t rows = report.runs.size();
    RunStatus status = runner.run(request);
    worst = std::max(worst, status);
    if (report.runs.size() == rows)
      break;
  }
  return worst;
}
