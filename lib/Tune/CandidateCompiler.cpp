//===- CandidateCompiler.cpp - Kernels of one operator to measure ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Tune/CandidateCompiler.h"

#include "dietcode/Dialect/DietCode/Pipelines/Pipelines.h"
#include "dietcode/Run/Runner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;
using ::dietcode::fail;
using ::dietcode::Schedule;

static constexpr StringLiteral kFunctionName = "candidate";

//===----------------------------------------------------------------------===//
// The operator on its own
//===----------------------------------------------------------------------===//

/// A module with a copy of `op` in a function of its operands.
static OwningOpRef<ModuleOp> isolate(OperatorOpInterface op) {
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(op.getLoc()));
  if (DeviceAttr device = getDevice(op))
    (*module)->setAttr(DietCodeDialect::getDeviceAttrName(), device);
  builder.setInsertionPointToEnd(module->getBody());
  auto type =
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  auto function =
      func::FuncOp::create(builder, op.getLoc(), kFunctionName, type);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  mapping.map(op->getOperands(), body->getArguments());
  Operation *copy = builder.clone(*op, mapping);
  cast<OperatorOpInterface>(copy).setDispatchAttr(nullptr);
  func::ReturnOp::create(builder, op.getLoc(), copy->getResults());
  return module;
}

static std::string printAlone(OperatorOpInterface op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  isolate(op)->print(os);
  return text;
}

static std::string identify(StringRef source) {
  return llvm::utohexstr(llvm::xxh3_64bits(source), /*LowerCase=*/true,
                         /*Width=*/16);
}

std::string mlir::dietcode::identifySource(OperatorOpInterface op) {
  return identify(printAlone(op));
}

CandidateCompiler::CandidateCompiler(OperatorOpInterface op)
    : source(printAlone(op)) {
  registerRunDialects(registry);
}

std::string CandidateCompiler::getSourceId() const { return identify(source); }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Serves every shape of the operator in `module` by one micro-kernel.
static void dispatchTo(ModuleOp module, const Schedule &schedule) {
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  auto microKernel = MicroKernelOp::create(builder, loc, schedule.kernelName(),
                                           ScheduleAttr::get(context, schedule),
                                           FloatAttr(), FloatAttr());
  auto symbol = FlatSymbolRefAttr::get(microKernel);
  auto dispatch = DispatchOp::create(
      builder, loc, builder.getStringAttr("only"), builder.getArrayAttr({}),
      builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({}),
      builder.getArrayAttr({symbol}), symbol);
  module.walk([&](OperatorOpInterface op) {
    op.setDispatchAttr(FlatSymbolRefAttr::get(dispatch));
  });
}

/// The names of the kernels in the order of their launches. The operator is
/// alone and has one micro-kernel, so each twin is launched at one place.
static CompiledCandidate readLaunches(ModuleOp module) {
  CompiledCandidate candidate;
  module.walk([&](gpu::LaunchFuncOp launch) {
    StringRef name = launch.getKernelName().getValue();
    (name.ends_with("_aligned") ? candidate.aligned : candidate.general)
        .push_back(name.str());
  });
  return candidate;
}

static std::string readPtx(ModuleOp module) {
  std::string ptx;
  module.walk([&](gpu::BinaryOp binary) {
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    ptx = object.getObject().getValue().str();
  });
  return ptx;
}

static LogicalResult
run(ModuleOp module,
    function_ref<void(OpPassManager &, const DietCodeToLLVMOptions &)>
        buildPipeline) {
  PassManager pm(module.getContext());
  buildPipeline(pm, DietCodeToLLVMOptions());
  return pm.run(module);
}

Expected<CompiledCandidate>
CandidateCompiler::compile(const Schedule &schedule) const {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  context.loadDialect<DietCodeDialect, func::FuncDialect, gpu::GPUDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, ParserConfig(&context));
  if (!module)
    return fail(message);
  dispatchTo(*module, schedule);
  auto stop = [&] {
    return fail(message.empty() ? "the pipeline failed" : message);
  };
  if (failed(run(*module, buildGenerateKernelsPipeline)))
    return stop();
  CompiledCandidate candidate = readLaunches(*module);
  if (candidate.getMeasured().empty())
    return fail("the pipeline generated no kernel");
  if (failed(run(*module, buildLowerToLLVMPipeline)))
    return stop();
  candidate.ptx = readPtx(*module);
  return candidate;
}
