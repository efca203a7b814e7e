//===- Reference.cpp - Reference results in double precision --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Reference.h"

#include "EntryModule.h"
#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Expected;

namespace {

/// Fused multiply-adds are at least as exact.
void allowContraction(ModuleOp module) {
  auto contract = arith::FastMathFlagsAttr::get(module.getContext(),
                                                arith::FastMathFlags::contract);
  module.walk([&](Operation *op) {
    if (isa<arith::AddFOp, arith::MulFOp>(op))
      op->setAttr("fastmath", contract);
  });
}

LogicalResult lowerToLinalg(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createConvertDietCodeToLinalgPass());
  if (failed(pm.run(module)))
    return failure();
  SmallVector<Operation *> declarations;
  module.walk([&](Operation *op) {
    if (isa<BindShapeOp, WorkloadOp, ShapeVarOp, DispatchOp, MicroKernelOp>(op))
      declarations.push_back(op);
  });
  for (Operation *op : declarations)
    op->erase();
  return success();
}

/// Replaces linalg.softmax, which has no loops, by generics.
LogicalResult decomposeSoftmax(ModuleOp module) {
  SmallVector<linalg::SoftmaxOp> ops;
  module.walk([&](linalg::SoftmaxOp op) { ops.push_back(op); });
  for (linalg::SoftmaxOp op : ops) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(builder);
    if (failed(results))
      return op.emitError("there is no reference for it");
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}

LogicalResult bufferize(ModuleOp module) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createDietCodeAllocateOnDevicePass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  return pm.run(module);
}

LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createDietCodeLowerAssertionsPass());
  pm.addNestedPass<func::FuncOp>(createDietCodeLowerCopiesPass());
  pm.addNestedPass<func::FuncOp>(createDietCodeLowerReshapesPass());
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  // C has neither.
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"rsqrt", "fpowi"};
  pm.addPass(math::createMathExpandOpsPass(expand));
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

/// Compiles a copy of the module of `entry` in double precision.
FailureOr<std::unique_ptr<JitFunction>> compile(func::FuncOp entry,
                                                bool isMagnitude) {
  FailureOr<OwningOpRef<ModuleOp>> copy = copyForEntry(entry);
  if (failed(copy))
    return failure();
  OwningOpRef<ModuleOp> module = std::move(*copy);
  if (failed(lowerToLinalg(*module)) || failed(decomposeSoftmax(*module)) ||
      failed(widenToDouble(*module)))
    return failure();
  if (isMagnitude)
    makeMagnitudes(*module);
  allowContraction(*module);
  StringRef name = entry.getSymName();
  auto widened = module->lookupSymbol<func::FuncOp>(name);
  FunctionType type = widened.getFunctionType();
  if (failed(bufferize(*module)))
    return failure();
  orderLoopsForHost(*module);
  if (failed(lowerToLLVM(*module)))
    return failure();
  return JitFunction::create(*module, name, type);
}

/// The results of a call, then the buffer arguments.
std::vector<ReferenceOutput> collect(const std::vector<RunResult> &results,
                                     const std::vector<RunArgument> &arguments,
                                     ArrayRef<bool> isBuffer) {
  std::vector<ReferenceOutput> outputs;
  for (const RunResult &result : results)
    outputs.push_back({result.layout.sizes, toDoubles(result.toNpy()), {}});
  for (auto [argument, buffer] : llvm::zip(arguments, isBuffer))
    if (buffer)
      outputs.push_back(
          {argument.tensor->getLayout().sizes, argument.tensor->values(), {}});
  return outputs;
}

std::vector<ReferenceOutput> evaluateOne(JitFunction &function,
                                         std::vector<RunArgument> &arguments,
                                         ArrayRef<bool> isBuffer) {
  std::vector<RunResult> results = *function.call(arguments);
  auto outputs = collect(results, arguments, isBuffer);
  for (void *buffer : getOwnedBuffers(results, arguments))
    free(buffer);
  return outputs;
}

} // namespace

FailureOr<Reference> Reference::create(func::FuncOp entry) {
  Reference reference;
  for (Type type : entry.getArgumentTypes())
    reference.isBuffer.push_back(isa<MemRefType>(type));
  auto values = compile(entry, /*isMagnitude=*/false);
  if (failed(values))
    return failure();
  auto magnitudes = compile(entry, /*isMagnitude=*/true);
  if (failed(magnitudes))
    return failure();
  reference.values = std::move(*values);
  reference.magnitudes = std::move(*magnitudes);
  return reference;
}

Expected<ReferenceInputs>
Reference::prepare(const std::vector<RunArgument> &arguments) {
  ReferenceInputs inputs;
  for (const RunArgument &argument : arguments)
    for (bool absolute : {false, true}) {
      Expected<RunArgument> copy = argument.toDouble(absolute);
      if (!copy)
        return ::dietcode::fail(copy.error().message);
      auto &copies = absolute ? inputs.magnitudes : inputs.values;
      copies.push_back(std::move(*copy));
    }
  return inputs;
}

std::vector<ReferenceOutput> Reference::evaluate(ReferenceInputs inputs) {
  auto outputs = evaluateOne(*values, inputs.values, isBuffer);
  auto scales = evaluateOne(*magnitudes, inputs.magnitudes, isBuffer);
  for (auto [output, scale] : llvm::zip(outputs, scales))
    output.magnitudes = std::move(scale.values);
  return outputs;
}
