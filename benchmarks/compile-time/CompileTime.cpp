//===- CompileTime.cpp - How long compiling an operator takes -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a file from text to PTX and the LLVM dialect several times on one
// core and prints where the time goes: DietCode's passes, MLIR's, and LLVM,
// which makes PTX of the kernels in `gpu-module-to-binary`. Times are of the
// processor, so that other work on the machine counts little.
//
//===----------------------------------------------------------------------===//

#include "dietcode/InitAllDietCode.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mlir;
using namespace mlir::dietcode;

static llvm::cl::opt<std::string> inputFile(
    llvm::cl::Positional, llvm::cl::desc("<file>"),
    llvm::cl::init(DIETCODE_BENCHMARK_INPUTS "/compile-time/qkv.mlir"));
static llvm::cl::opt<unsigned>
    runs("runs", llvm::cl::desc("Compilations to take the median of"),
         llvm::cl::init(7));
static llvm::cl::opt<unsigned>
    maxKernels("max-kernels", llvm::cl::desc("As of dietcode-to-llvm"),
               llvm::cl::init(8));
static llvm::cl::opt<bool> perPass("passes",
                                   llvm::cl::desc("Print a line per pass"));

static double millisecondsSince(std::clock_t start) {
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

namespace {

using Times = llvm::MapVector<StringRef, double>;

/// Adds up the time of each pass under its command-line name.
class PassTimer : public PassInstrumentation {
public:
  explicit PassTimer(Times &times) : times(times) {}

  void runBeforePass(Pass *, Operation *) override {
    starts.push_back(std::clock());
  }
  void runAfterPass(Pass *pass, Operation *) override {
    double time = millisecondsSince(starts.pop_back_val());
    // What nests other passes has no name.
    if (!pass->getArgument().empty())
      times[pass->getArgument()] += time;
  }
  void runAfterPassFailed(Pass *, Operation *) override { starts.pop_back(); }

private:
  Times &times;
  SmallVector<std::clock_t> starts;
};

/// The times of one compilation in milliseconds.
struct Compilation {
  double parse = 0, total = 0;
  Times passes;
  size_t kernels = 0, ptxBytes = 0;

  double sum(function_ref<bool(StringRef)> filter) const {
    double result = 0;
    for (const auto &[name, time] : passes)
      if (filter(name))
        result += time;
    return result;
  }
};

} // namespace

static bool isDietCode(StringRef pass) { return pass.contains("dietcode"); }
static bool isLLVM(StringRef pass) { return pass == "gpu-module-to-binary"; }
static bool isMLIR(StringRef pass) {
  return !isDietCode(pass) && !isLLVM(pass);
}

static void countKernels(ModuleOp module, Compilation &result) {
  module.walk([&](gpu::BinaryOp binary) {
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      StringRef ptx = object.getObject().getValue();
      result.kernels += ptx.count(".entry ");
      result.ptxBytes += ptx.size();
    }
  });
}

static FailureOr<Compilation> compile(const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Compilation result;
  std::clock_t start = std::clock();
  auto module = parseSourceFile<ModuleOp>(inputFile, &context);
  if (!module)
    return failure();
  result.parse = millisecondsSince(start);
  PassManager pm(&context);
  pm.addInstrumentation(std::make_unique<PassTimer>(result.passes));
  DietCodeToLLVMOptions options;
  options.maxKernels = maxKernels;
  buildDietCodeToLLVMPipeline(pm, options);
  if (failed(pm.run(*module)))
    return failure();
  result.total = millisecondsSince(start);
  countKernels(*module, result);
  return result;
}

/// The median over the compilations of what `get` says.
static double median(ArrayRef<Compilation> compilations,
                     function_ref<double(const Compilation &)> get) {
  SmallVector<double> values = llvm::map_to_vector(compilations, get);
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

static void printRow(StringRef what, double time) {
  llvm::outs() << llvm::formatv("  {0,-44}{1,10:F1} ms\n", what, time);
}

static void printPasses(ArrayRef<Compilation> compilations) {
  for (const auto &[pass, time] : compilations.front().passes)
    printRow(("  " + pass).str(),
             median(compilations, [pass = pass](const Compilation &c) {
               return c.passes.lookup(pass);
             }));
}

static void print(const Compilation &first,
                  ArrayRef<Compilation> compilations) {
  llvm::outs() << llvm::formatv(
      "{0}\n{1} kernels, {2} KiB of PTX; processor time, median of {3} runs on "
      "one core\n",
      inputFile, first.kernels, first.ptxBytes / 1024, compilations.size());
  auto sumOf = [&](bool (*filter)(StringRef)) {
    return median(compilations,
                  [&](const Compilation &c) { return c.sum(filter); });
  };
  printRow("DietCode's passes", sumOf(isDietCode));
  printRow("LLVM, from LLVM dialect to PTX", sumOf(isLLVM));
  printRow("rest: MLIR's passes", sumOf(isMLIR));
  printRow("rest: parsing, verifying", median(compilations, [](const auto &c) {
             return c.total - c.sum([](StringRef) { return true; });
           }));
  printRow("total",
           median(compilations, [](const auto &c) { return c.total; }));
  printRow("total of the first run in a process", first.total);
  if (perPass)
    printPasses(compilations);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Compile-time benchmark of DietCode\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  registerAllDietCodeDialects(registry);

  FailureOr<Compilation> first = compile(registry);
  if (failed(first))
    return EXIT_FAILURE;
  SmallVector<Compilation> compilations;
  for (unsigned run = 0; run < std::max(1u, runs.getValue()); ++run) {
    FailureOr<Compilation> compilation = compile(registry);
    if (failed(compilation))
      return EXIT_FAILURE;
    compilations.push_back(*compilation);
  }
  print(*first, compilations);
  return EXIT_SUCCESS;
}
