//===- Dispatch.cpp - What a dispatch decision costs ----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects micro-kernels for an operator, makes native code of its dispatch
// alone, and times it on random shapes of the declared range, so that branches
// are not predicted for free. `ns_per_decision` is the time of a call less that
// of a call which decides nothing.
//
//===----------------------------------------------------------------------===//

#include "dietcode/InitAllDietCode.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <benchmark/benchmark.h>
#include <ctime>
#include <random>

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// Dispatches over fewer dimensions ignore the rest of the shape.
constexpr size_t kMaxDims = 3;
constexpr size_t kShapes = 4096;
using Shape = std::array<int64_t, kMaxDims>;
using Decision = int64_t (*)(int64_t, int64_t, int64_t);

/// The native code of one dispatch.
struct CompiledDispatch {
  std::unique_ptr<ExecutionEngine> engine;
  Decision decide = nullptr;
  Decision decideNothing = nullptr;
  ::dietcode::Box domain;
  size_t cases = 0;
  std::vector<Shape> shapes;
};

} // namespace

/// func.func @name(%0: index, %1: index, %2: index) -> index
static func::FuncOp createFunction(OpBuilder &builder, StringRef name) {
  SmallVector<Type> inputs(kMaxDims, builder.getIndexType());
  auto type = builder.getFunctionType(inputs, builder.getIndexType());
  return func::FuncOp::create(builder, builder.getUnknownLoc(), name, type);
}

/// Replaces all functions of the module by the decision of its first dispatch.
static LogicalResult isolateDispatch(ModuleOp module,
                                     CompiledDispatch &compiled) {
  auto dispatches = module.getOps<DispatchOp>();
  if (dispatches.empty())
    return module.emitError("no dispatch was selected");
  DispatchOp dispatch = *dispatches.begin();
  compiled.domain = dispatch.getDomainBox();
  compiled.cases = dispatch.getKernels().size();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function.erase();

  auto builder = OpBuilder::atBlockEnd(module.getBody());
  for (StringRef name : {"decide", "decide_nothing"}) {
    func::FuncOp function = createFunction(builder, name);
    ImplicitLocOpBuilder b(function.getLoc(), builder);
    b.setInsertionPointToStart(function.addEntryBlock());
    ValueRange sizes = function.getArguments();
    Value result = sizes.front();
    if (name == "decide")
      result = SelectOp::create(b, FlatSymbolRefAttr::get(dispatch),
                                sizes.take_front(compiled.domain.size()));
    func::ReturnOp::create(b, result);
  }
  return success();
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createConvertDietCodeDispatchToSCFPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

/// Random shapes of the domain, the same in every run.
static std::vector<Shape> sampleShapes(const ::dietcode::Box &domain) {
  std::mt19937_64 random(1);
  std::vector<Shape> shapes(kShapes, Shape{});
  for (Shape &shape : shapes)
    for (auto [size, interval] : llvm::zip(shape, domain))
      size = std::uniform_int_distribution<int64_t>(interval.lower,
                                                    interval.upper)(random);
  return shapes;
}

static LogicalResult compile(MLIRContext &context, StringRef file,
                             CompiledDispatch &compiled) {
  std::string path = (DIETCODE_BENCHMARK_INPUTS "/" + file).str();
  auto module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return failure();
  PassManager pm(&context);
  buildSelectPipeline(pm, {});
  if (failed(pm.run(*module)) || failed(isolateDispatch(*module, compiled)) ||
      failed(lowerToLLVM(*module)))
    return failure();

  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(*module, options);
  if (!engine)
    return module->emitError() << llvm::toString(engine.takeError());
  compiled.engine = std::move(*engine);
  auto lookup = [&](StringRef name) {
    return reinterpret_cast<Decision>(
        llvm::cantFail(compiled.engine->lookup(name)));
  };
  compiled.decide = lookup("decide");
  compiled.decideNothing = lookup("decide_nothing");
  compiled.shapes = sampleShapes(compiled.domain);
  return success();
}

namespace {

/// Visits the shapes in an order that does not repeat, since branch predictors
/// learn one that does. Each call waits for the result of the one before, so
/// that it is the latency that is measured.
class ShapeWalk {
public:
  ShapeWalk(Decision decide, const std::vector<Shape> &shapes)
      : decide(decide), shapes(shapes) {}

  void step() {
    const Shape &shape = shapes[(state >> 33) % kShapes];
    uint64_t result = decide(shape[0], shape[1], shape[2]);
    // A linear congruential generator.
    state = state * 6364136223846793005u + 1442695040888963407u + result;
  }

private:
  Decision decide;
  const std::vector<Shape> &shapes;
  uint64_t state = 1;
};

} // namespace

/// Of the processor, so that other work on the machine counts little.
static double nanosecondsSince(std::clock_t start) {
  return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Nanoseconds of a call that decides nothing.
static double measureEmptyCall(const CompiledDispatch &compiled) {
  constexpr int kCalls = 4'000'000;
  ShapeWalk walk(compiled.decideNothing, compiled.shapes);
  std::clock_t start = std::clock();
  for (int call = 0; call < kCalls; ++call)
    walk.step();
  return nanosecondsSince(start) / kCalls;
}

static void benchmarkEmptyCall(benchmark::State &state,
                               const CompiledDispatch &compiled) {
  ShapeWalk walk(compiled.decideNothing, compiled.shapes);
  for (auto _ : state)
    walk.step();
}

static void benchmarkDispatch(benchmark::State &state,
                              const CompiledDispatch &compiled) {
  double emptyCall = measureEmptyCall(compiled);
  std::clock_t start = std::clock();
  ShapeWalk walk(compiled.decide, compiled.shapes);
  for (auto _ : state)
    walk.step();
  state.counters["ns_per_decision"] =
      nanosecondsSince(start) / static_cast<double>(state.iterations()) -
      emptyCall;
  state.counters["dims"] = static_cast<double>(compiled.domain.size());
  state.counters["cases"] = static_cast<double>(compiled.cases);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllDietCodeDialects(registry);
  MLIRContext context(registry);

  CompiledDispatch bert, any;
  if (failed(compile(context, "bert/qkv.mlir", bert)) ||
      failed(compile(context, "dispatch/any-shape.mlir", any)))
    return EXIT_FAILURE;
  benchmark::RegisterBenchmark("EmptyCall", benchmarkEmptyCall,
                               std::cref(bert));
  benchmark::RegisterBenchmark("Dispatch/bert-qkv", benchmarkDispatch,
                               std::cref(bert));
  benchmark::RegisterBenchmark("Dispatch/any-shape", benchmarkDispatch,
                               std::cref(any));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
