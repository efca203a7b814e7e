//===- dietcode-run.cpp - Runs a function on the device and checks it -----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes: 0 for success, 1 for a mistake of the user or a wrong result, 4
// for a finding of a checker, such as an access out of bounds.
//
//===----------------------------------------------------------------------===//

#include "RunPtx.h"
#include "Support/PipelineFlags.h"
#include "Support/ToolInput.h"
#include "dietcode/Run/Runner.h"
#include "dietcode/Runtime/ShapeMisses.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;

namespace {

namespace cl = llvm::cl;

cl::OptionCategory category("dietcode-run options");

cl::list<std::string> positional(
    cl::Positional,
    cl::desc("<file of MLIR, or - for stdin; with --ptx: arguments>"),
    cl::cat(category));
cl::opt<std::string>
    ptxFile("ptx", cl::value_desc("file.ptx"), cl::cat(category),
            cl::desc("Run a kernel of this file on the virtual GPU instead; "
                     "the positional arguments are those of the kernel: "
                     "i32:V u32:V i64:V u64:V f32:V f64:V value:FILE "
                     "in:FILE inout:FILE:OUT out:BYTES:FILE zero:BYTES"));
cl::opt<std::string> kernel("kernel", cl::value_desc("name"), cl::cat(category),
                            cl::desc("With --ptx, the kernel to run (default: "
                                     "the only one)"));
cl::opt<std::string> grid("grid", cl::value_desc("X,Y,Z"), cl::cat(category),
                          cl::init("1"), cl::desc("With --ptx, blocks"));
cl::opt<std::string> block("block", cl::value_desc("X,Y,Z"), cl::cat(category),
                           cl::init("1"),
                           cl::desc("With --ptx, threads of a block"));
cl::opt<int64_t> sharedBytes("shared", cl::value_desc("bytes"),
                             cl::cat(category), cl::init(0),
                             cl::desc("With --ptx, dynamic shared memory"));
cl::opt<bool> functional("functional", cl::cat(category),
                         cl::desc("With --ptx, run the kernel without an "
                                  "estimate of its time"));
cl::opt<bool>
    timeOnly("time", cl::cat(category),
             cl::desc("With --ptx, run only the few blocks that an estimate of "
                      "the time takes, and write no output"));
cl::opt<std::string>
    entryName("entry", cl::value_desc("function"), cl::cat(category),
              cl::desc("Function to run (default: the only public one)"));
cl::list<std::string> shapes(
    "shape", cl::value_desc("T=37,..."), cl::cat(category),
    cl::desc("Values of the shape variables; repeat it for several runs"));
cl::list<std::string> argumentShapes(
    "arg-shapes", cl::value_desc("592x768,768x2304:2400x1+1,=3,..."),
    cl::cat(category),
    cl::desc("Sizes of each tensor or buffer argument, optionally with strides "
             "and offset, and values of scalar ones; repeat it for several "
             "runs"));
cl::list<std::string> inputs(
    "input", cl::value_desc("file.npy"), cl::cat(category),
    cl::desc("Values of the tensor or buffer arguments in order, random where "
             "there is no file"));
cl::list<std::string> outputs(
    "output", cl::value_desc("file.npy"), cl::cat(category),
    cl::desc("Where to write the results in order, or the last buffer argument "
             "of a function without results"));
cl::opt<uint64_t> seed("seed", cl::cat(category), cl::init(0),
                       cl::desc("Seed of the random values"));
cl::opt<bool>
    check("check", cl::cat(category),
          cl::desc("Let all checkers of the virtual GPU watch the kernels; "
                   "without --ptx, unless DIETCODE_VGPU_CHECK is set, and "
                   "compare with a reference in double precision"));
cl::opt<double> tolerance(
    "tolerance", cl::cat(category), cl::init(1e-5),
    cl::desc("Largest error that --check accepts, relative to the magnitude of "
             "the terms of an element, |A| |B| for a product, and beyond "
             "rounding to an output in f16 (default: 1e-5)"));
cl::opt<bool> json("json", cl::cat(category),
                   cl::desc("Print one JSON object instead of a table"));

PipelineFlags pipelineFlags(category);
cl::opt<std::string>
    chip("chip", cl::cat(category),
         cl::desc("Architecture to generate code for (default: "
                  "that of the device)"));
cl::opt<bool> planMemory(
    "plan-memory", cl::cat(category),
    cl::desc("Allocate the buffers of a call at once, as compiled programs do; "
             "checkers and estimates of the virtual GPU go by allocations"));

cl::opt<std::string>
    missLog("miss-log", cl::value_desc("file"), cl::cat(category),
            cl::desc("Append the shapes outside of the declared ranges, for "
                     "dietcode-tune --misses"));

/// The file of MLIR.
std::string inputFile;

int failWith(const llvm::Twine &message) {
  llvm::errs() << "dietcode-run: error: " << message << "\n";
  return static_cast<int>(RunStatus::Failed);
}

/// Prints errors and warnings as one line each, without the source, and what
/// is said many times (for each candidate kernel, say) once.
LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  const char *kind = nullptr;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    kind = "error";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    kind = "warning";
  if (!kind)
    return success();
  std::string line;
  llvm::raw_string_ostream os(line);
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (place && place.getLine())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  else
    os << (inputFile == "-" ? "<stdin>" : StringRef(inputFile));
  os << ": " << kind << ": " << diagnostic.str() << "\n";
  static llvm::StringSet<> printed;
  if (printed.insert(line).second)
    llvm::errs() << line;
  return success();
}

/// The first of some options that is given, or null.
template <typename... Options>
const cl::Option *firstGiven(const Options &...options) {
  const cl::Option *first = nullptr;
  auto look = [&](const cl::Option &option) {
    if (!first && option.getNumOccurrences())
      first = &option;
  };
  (look(options), ...);
  return first;
}

/// Refuses options that mean something only with --ptx, or only without.
Expected<void> checkMode() {
  bool isPtx = !ptxFile.empty();
  const cl::Option *stray =
      isPtx
          ? firstGiven(entryName, shapes, argumentShapes, inputs, outputs, seed,
                       tolerance, chip, pipelineFlags.ptxVersion,
                       pipelineFlags.maxKernels, pipelineFlags.maxRegret,
                       planMemory, missLog)
          : firstGiven(kernel, grid, block, sharedBytes, functional, timeOnly);
  if (!stray)
    return {};
  return ::dietcode::fail(
      "--" + stray->ArgStr.str() +
      (isPtx ? " is for MLIR, not for --ptx" : " needs --ptx"));
}

/// One request per occurrence of --shape and --arg-shapes, which go together if
/// both are given as often, or if one is given once.
Expected<std::vector<RunRequest>> makeRequests() {
  size_t count = std::max({shapes.size(), argumentShapes.size(), size_t(1)});
  if (shapes.size() > 1 && argumentShapes.size() > 1 &&
      shapes.size() != argumentShapes.size())
    return ::dietcode::fail(
        "--shape is given " + std::to_string(shapes.size()) +
        " times and --arg-shapes " + std::to_string(argumentShapes.size()) +
        " times; give both as often, or one of them once");
  if (!outputs.empty() && count > 1)
    return ::dietcode::fail("--output needs exactly one run, but there are " +
                            std::to_string(count));
  std::vector<RunRequest> requests(count);
  for (size_t i = 0; i < count; ++i) {
    requests[i].seed = seed;
    if (!shapes.empty()) {
      auto values =
          ::dietcode::parseShapeValues(shapes[shapes.size() > 1 ? i : 0]);
      if (!values)
        return ::dietcode::fail(values.error().message);
      requests[i].variables = std::move(*values);
    }
    if (!argumentShapes.empty()) {
      auto parsed = ::dietcode::parseArgumentShapes(
          argumentShapes[argumentShapes.size() > 1 ? i : 0]);
      if (!parsed)
        return ::dietcode::fail(parsed.error().message);
      requests[i].shapes = std::move(*parsed);
    }
    for (const std::string &file : inputs) {
      auto array = ::dietcode::readNpy(file);
      if (!array)
        return ::dietcode::fail("--input: " + array.error().message);
      requests[i].inputs.push_back(std::move(*array));
    }
  }
  return requests;
}

RunStatus run(ModuleOp module, ArrayRef<RunRequest> requests,
              ::dietcode::Report &report) {
  FailureOr<func::FuncOp> entry = findEntry(module, entryName);
  if (failed(entry))
    return RunStatus::Failed;
  DietCodeToLLVMOptions options;
  pipelineFlags.apply(options);
  options.chip = chip;
  options.reportMisses = !missLog.empty();
  options.planMemory = planMemory;
  RunSettings settings;
  settings.check = check;
  settings.tolerance = tolerance;
  settings.outputFiles.assign(outputs.begin(), outputs.end());
  return runFunction(*entry, requests, options, settings, report);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs a function on the device and checks its results\n");

  if (Expected<void> mode = checkMode(); !mode)
    return failWith(mode.error().message);
  if (!ptxFile.empty())
    return ::dietcode::runPtx({ptxFile, kernel, grid, block, sharedBytes,
                               pipelineFlags.device, positional, json,
                               functional, timeOnly, check});
  // Before anything asks for the device.
  if (check)
    setenv("DIETCODE_VGPU_CHECK", "all", /*overwrite=*/0);
  setenv("DIETCODE_VGPU_REGISTERS", "ptxas", /*overwrite=*/0);
  if (!missLog.empty())
    if (auto opened = ::dietcode::runtime::setMissLog(missLog); !opened)
      return failWith(opened.error().message);
  if (positional.size() > 1)
    return failWith("there is more than one input: '" + positional[0] +
                    "' and '" + positional[1] + "'");
  inputFile = positional.empty() ? "" : positional.front();
  auto sources = openInput(inputFile);
  if (!sources)
    return failWith(sources.error().message);
  if (!(tolerance >= 0))
    return failWith("--tolerance must be a number that is not negative");
  Expected<std::vector<RunRequest>> requests = makeRequests();
  if (!requests)
    return failWith(requests.error().message);

  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  ScopedDiagnosticHandler handler(&context, printDiagnostic);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(*sources, &context);
  if (!module)
    return static_cast<int>(RunStatus::Failed);

  ::dietcode::Report report;
  RunStatus status = run(*module, *requests, report);
  if (json && (!report.runs.empty() || !report.finding.empty()))
    ::dietcode::printJson(report, llvm::outs());
  else if (!report.runs.empty())
    ::dietcode::printTable(report, llvm::outs());
  return static_cast<int>(status);
}
