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
#include "llvm/Support/raw_ostream.h"

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

CandidateCompiler::CandidateCompiler(OperatorOpInterface op) {
  registerRunDialects(registry);
  llvm::raw_string_ostream os(source);
  isolate(op)->print(os);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Serves every shape of the operator in `module` by one micro-kernel.
static void dispatchTo(ModuleOp module, const Schedule &schedule) {
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  auto microKernel = MicroKernelOp::create(
      builder, loc, "simt_" + schedule.name(),
      ScheduleAttr::get(context, schedule), FloatAttr(), FloatAttr());
  auto symbol = FlatSymbolRefAttr::get(microKernel);
  auto dispatch = DispatchOp::create(
      builder, loc, builder.getStringAttr("only"), builder.getArrayAttr({}),
      builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({}),
      builder.getArrayAttr({symbol}), symbol);
  module.walk([&](OperatorOpInterface op) {
    op.setDispatchAttr(FlatSymbolRefAttr::get(dispatch));
  });
}

/// The names of the kernels in PTX. The table of kernels that an object may
/// have is there only for machine code.
static SmallVector<StringRef> getEntries(StringRef ptx) {
  SmallVector<StringRef> entries;
  while (true) {
    StringRef rest = ptx.split(".entry ").second;
    if (rest.empty())
      return entries;
    entries.push_back(
        rest.take_until([](char c) { return c == '(' || c <= ' '; }));
    ptx = rest;
  }
}

static Expected<CompiledCandidate> readKernels(ModuleOp module) {
  CompiledCandidate candidate;
  module.walk([&](gpu::BinaryOp binary) {
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    candidate.ptx = object.getObject().getValue().str();
  });
  for (StringRef name : getEntries(candidate.ptx))
    (name.ends_with("_aligned") ? candidate.aligned : candidate.general) =
        name.str();
  if (candidate.aligned.empty() && candidate.general.empty())
    return fail("the pipeline generated no kernel");
  return candidate;
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
  DietCodeToLLVMOptions options;
  PassManager pm(&context);
  buildGenerateKernelsPipeline(pm, options);
  buildLowerToLLVMPipeline(pm, options);
  if (failed(pm.run(*module)))
    return fail(message.empty() ? "the pipeline failed" : message);
  return readKernels(*module);
}
