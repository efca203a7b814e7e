//===- DeviceProgram.cpp - A function compiled for the device -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/DeviceProgram.h"

#include "EntryModule.h"
#include "dietcode/Run/KernelExplainer.h"
#include "dietcode/Runtime/Runtime.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::KernelReport;
namespace runtime = ::dietcode::runtime;

extern "C" void mgpuMemFree(void *pointer, void *stream);

namespace {

/// Lets kernels access the arguments, and nothing around them, for as long as
/// it lives.
class RegisteredArguments {
public:
  explicit RegisteredArguments(const std::vector<RunArgument> &arguments) {
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      if (!argument.tensor || argument.tensor->spanBytes() == 0)
        continue;
      pointers.push_back(argument.tensor->first());
      runtime::registerHostMemory(pointers.back(), argument.tensor->spanBytes(),
                                  "argument " + std::to_string(index));
    }
  }
  ~RegisteredArguments() {
    for (void *pointer : pointers)
      runtime::unregisterHostMemory(pointer);
  }
  RegisteredArguments(const RegisteredArguments &) = delete;
  RegisteredArguments &operator=(const RegisteredArguments &) = delete;

private:
  SmallVector<void *> pointers;
};

/// Frees results that the program has allocated on the device.
void freeResults(const std::vector<RunResult> &results,
                 const std::vector<RunArgument> &arguments) {
  for (void *buffer : getOwnedBuffers(results, arguments))
    runtime::guardedCall([&] { mgpuMemFree(buffer, nullptr); }, nullptr);
}

LogicalResult runPipeline(ModuleOp module, const DietCodeToLLVMOptions &options,
                          void (*build)(OpPassManager &,
                                        const DietCodeToLLVMOptions &)) {
  PassManager pm(module.getContext());
  build(pm, options);
  return pm.run(module);
}

void buildAfterSelect(OpPassManager &pm, const DietCodeToLLVMOptions &options) {
  buildGenerateKernelsPipeline(pm, options);
  buildLowerToLLVMPipeline(pm, options);
}

/// What sectors hold, which LaunchReport counts.
constexpr uint64_t kSectorBytes = 32;

KernelReport describe(const runtime::LaunchRecord &launch,
                      const KernelChoice &choice) {
  KernelReport kernel{launch.kernel,
                      choice.microKernel,
                      choice.why,
                      launch.grid,
                      launch.block,
                      launch.sharedBytes,
                      launch.seconds.value_or(0),
                      std::nullopt,
                      ""};
  const auto &report = launch.report;
  if (!report)
    return kernel;
  kernel.traffic = {report->sectorsRead * kSectorBytes,
                    report->sectorsWritten * kSectorBytes, report->dramBytes};
  if (report->replay.valid)
    kernel.timing = report->replay.toJson();
  return kernel;
}

std::vector<KernelReport>
describeLaunches(const std::vector<runtime::LaunchRecord> &launches,
                 func::FuncOp entry, ArrayRef<RunArgument> arguments) {
  SmallVector<std::string> names;
  for (const runtime::LaunchRecord &launch : launches)
    names.push_back(launch.kernel);
  std::vector<KernelChoice> choices = explainKernels(entry, arguments, names);
  std::vector<KernelReport> kernels;
  for (auto [launch, choice] : llvm::zip(launches, choices))
    kernels.push_back(describe(launch, choice));
  return kernels;
}

} // namespace

FailureOr<DeviceProgram>
DeviceProgram::create(func::FuncOp entry,
                      const DietCodeToLLVMOptions &options) {
  DeviceProgram program;
  program.name = entry.getSymName().str();
  FailureOr<OwningOpRef<ModuleOp>> module = copyForEntry(entry);
  if (failed(module))
    return failure();
  program.selected = std::move(*module);
  FunctionType type = entry.getFunctionType();
  if (failed(runPipeline(*program.selected, options, buildSelectPipeline)))
    return failure();
  OwningOpRef<ModuleOp> lowered(program.selected->clone());
  if (failed(runPipeline(*lowered, options, buildAfterSelect)))
    return failure();
  auto function = JitFunction::create(*lowered, program.name, type);
  if (failed(function))
    return failure();
  program.function = std::move(*function);
  // Global constructors load the kernels onto the device. If they fail, the
  // destructors must not run: there would be nothing to unload.
  runtime::RuntimeFailure failure;
  if (!runtime::guardedCall([&] { program.function->initialize(); },
                            &failure)) {
    (void)program.function.release();
    return emitError(entry.getLoc()) << failure.message;
  }
  return program;
}

DeviceCall DeviceProgram::call(std::vector<RunArgument> &arguments) {
  DeviceCall outcome;
  runtime::RuntimeFailure failure;
  auto guard = [&](llvm::function_ref<void()> body) {
    return runtime::guardedCall(body, &failure);
  };
  runtime::startLaunchLog();
  std::optional<std::vector<RunResult>> results;
  {
    RegisteredArguments registered(arguments);
    results = function->call(arguments, guard);
  }
  std::vector<runtime::LaunchRecord> launches = runtime::takeLaunchLog();
  ::dietcode::vgpu::AllocationCounts counts = runtime::countAllocations();
  outcome.allocations = counts.allocations;
  outcome.peakBytes = counts.peakBytes;
  if (!results) {
    outcome.error = std::move(failure.message);
    outcome.isFinding = failure.kind == runtime::FailureKind::Finding;
    if (auto finding = runtime::lastFinding(); finding && outcome.isFinding)
      outcome.finding = ::dietcode::vgpu::toJson(*finding);
    return outcome;
  }
  for (const RunResult &result : *results)
    outcome.outputs.push_back(result.toNpy());
  freeResults(*results, arguments);
  auto entry = selected->lookupSymbol<func::FuncOp>(name);
  for (auto [argument, type] : llvm::zip(arguments, entry.getArgumentTypes()))
    if (isa<MemRefType>(type))
      outcome.outputs.push_back(argument.tensor->toNpy());
  outcome.kernels = describeLaunches(launches, entry, arguments);
  return outcome;
}

std::string DeviceProgram::describeDevice() {
  return runtime::deviceDescription();
}
