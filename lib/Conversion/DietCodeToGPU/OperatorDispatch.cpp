//===- OperatorDispatch.cpp - The micro-kernels that serve an operator ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorDispatch.h"
#include "IndexMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::Instruction;
using ::dietcode::OperatorTraits;

FailureOr<OperatorDispatch> OperatorDispatch::get(OperatorOpInterface op) {
  if (op->getNumResults() > 0)
    return op->emitOpError("cannot be compiled for the GPU on tensors; "
                           "bufferize it first");
  if (!op.getDispatchAttr())
    return op->emitOpError("cannot be compiled for the GPU without a dispatch; "
                           "run dietcode-select-micro-kernels");
  OperatorDispatch result(op, SymbolTable::lookupNearestSymbolFrom<DispatchOp>(
                                  op, op.getDispatchAttr()));
  for (FlatSymbolRefAttr symbol : result.dispatch.getKernelTable())
    result.microKernels.push_back(
        SymbolTable::lookupNearestSymbolFrom<MicroKernelOp>(result.dispatch,
                                                            symbol));
  return result;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The schedule must hold on the device that the module is for.
static LogicalResult checkDevice(MicroKernelOp op) {
  DeviceAttr device = getDevice(op);
  if (!device)
    return op.emitOpError("cannot be generated: the module does not say which "
                          "device it is for; run dietcode-attach-device");
  auto violation = ::dietcode::checkSchedule(op.getSchedule().getSchedule(),
                                             device.getSpec());
  if (violation)
    return op.emitOpError() << "cannot be generated: " << violation->message;
  const ::dietcode::InstructionInfo &info =
      ::dietcode::infoOf(op.getSchedule().getInstruction());
  if (::dietcode::lookupChip(device.getChip())->computeCapability <
      info.computeCapability)
    return op.emitOpError() << "cannot be generated: " << device.getChip()
                            << " has no " << StringRef(info.ptx)
                            << ", which needs sm_" << info.computeCapability;
  return success();
}

/// What the micro-kernel is built from must be what computes the operator.
static LogicalResult checkInstruction(OperatorOpInterface op,
                                      const OperatorTraits &traits,
                                      MicroKernelOp microKernel) {
  Instruction instruction = microKernel.getSchedule().getInstruction();
  if (llvm::is_contained(traits.instructions(), instruction))
    return success();
  SmallVector<StringRef> names;
  for (Instruction usable : traits.instructions())
    names.push_back(::dietcode::infoOf(usable).name);
  std::string usable =
      names.empty() ? "no instruction" : llvm::join(names, " or ");
  InFlightDiagnostic error =
      op->emitOpError("cannot be compiled for the GPU: ");
  if (traits.rows)
    error << "it is computed in tiles of " << usable;
  else
    error << "factors of " << traits.elementType << " are summed up in "
          << StringRef(traits.getSumType()) << " by " << usable;
  return error << ", but @" << microKernel.getSymName() << " is built from "
               << StringRef(::dietcode::infoOf(instruction).name);
}

LogicalResult OperatorDispatch::checkMicroKernels() const {
  for (MicroKernelOp microKernel : microKernels)
    if (failed(checkDevice(microKernel)))
      return failure();
  OperatorTraits traits = op.getTraits();
  for (MicroKernelOp microKernel : microKernels)
    if (failed(checkInstruction(op, traits, microKernel)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

void OperatorDispatch::createSwitch(
    ImplicitLocOpBuilder &b, ArrayRef<Value> sizes,
    function_ref<void(MicroKernelOp)> launch) const {
  IndexMath math(b);
  SmallVector<StringRef> names = op.getTiledDimNames();
  SmallVector<SmallVector<unsigned>> groups = op.getTiledDimGroups();
  SmallVector<Value> dispatched;
  for (StringRef dim : dispatch.getDims().getAsValueRange<StringAttr>()) {
    Value extent = math.constant(1);
    for (unsigned problemDim : groups[llvm::find(names, dim) - names.begin()])
      extent = math.mul(extent, sizes[problemDim]);
    dispatched.push_back(extent);
  }
  Value selected = SelectOp::create(b, op.getDispatchAttr(), dispatched);
  // The last kernel of the table is the default.
  SmallVector<int64_t> cases =
      llvm::to_vector(llvm::seq<int64_t>(0, microKernels.size() - 1));
  auto choice =
      scf::IndexSwitchOp::create(b, TypeRange(), selected, cases, cases.size());
  SmallVector<Region *> regions;
  for (Region &region : choice.getCaseRegions())
    regions.push_back(&region);
  regions.push_back(&choice.getDefaultRegion());
  OpBuilder::InsertionGuard guard(b);
  for (auto [region, microKernel] : llvm::zip_equal(regions, microKernels)) {
    b.createBlock(region);
    launch(microKernel);
    scf::YieldOp::create(b);
  }
}
