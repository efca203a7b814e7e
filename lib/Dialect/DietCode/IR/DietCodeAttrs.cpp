//===- DietCodeAttrs.cpp - Attributes of the dietcode dialect -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, ArrayRef<int64_t> tile,
                                size_t rank) {
  if (tile.size() != rank)
    return emitError() << name << " tile must have " << rank << " sizes, got "
                       << tile.size();
  for (int64_t size : tile)
    if (size <= 0)
      return emitError() << name << " tile sizes must be positive, got "
                         << size;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> block,
                                   ArrayRef<int64_t> thread, int64_t stages,
                                   int64_t split, int64_t vector,
                                   ::dietcode::TileOrder,
                                   ::dietcode::Instruction) {
  if (failed(verifyTile(emitError, "block", block, 3)) ||
      failed(verifyTile(emitError, "thread", thread, 2)))
    return failure();
  for (auto [index, dim] : llvm::enumerate(StringRef("mn")))
    if (block[index] % thread[index] != 0)
      return emitError() << "thread tile " << thread[index]
                         << " must divide block tile " << block[index]
                         << " in dimension " << dim;
  if (stages != 1 && stages != 2)
    return emitError() << "stages must be 1 or 2, got " << stages
                       << "; registers hold one k tile on its way to shared "
                          "memory, so that more buffers stay empty";
  if (split < 1 || split > ::dietcode::kMaxSplit)
    return emitError() << "split must be between 1 and "
                       << ::dietcode::kMaxSplit << ", got " << split;
  if (vector != 1 && vector != 2 && vector != ::dietcode::kMaxVectorWidth)
    return emitError() << "vector must be 1, 2 or "
                       << ::dietcode::kMaxVectorWidth << ", got " << vector;
  return success();
}

::dietcode::Schedule ScheduleAttr::getSchedule() const {
  ::dietcode::Schedule schedule;
  schedule.blockM = getBlock()[0];
  schedule.blockN = getBlock()[1];
  schedule.blockK = getBlock()[2];
  schedule.threadM = getThread()[0];
  schedule.threadN = getThread()[1];
  schedule.stages = getStages();
  schedule.split = getSplit();
  schedule.vector = getVector();
  schedule.order = getOrder();
  schedule.instruction = getInstruction();
  return schedule;
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context,
                               const ::dietcode::Schedule &schedule) {
  return get(context, {schedule.blockM, schedule.blockN, schedule.blockK},
             {schedule.threadM, schedule.threadN}, schedule.stages,
             schedule.split, schedule.vector, schedule.order,
             schedule.instruction);
}

//===----------------------------------------------------------------------===//
// DeviceAttr
//===----------------------------------------------------------------------===//

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, StringRef chip) {
  if (!::dietcode::lookupDevice(name))
    return emitError() << "unknown device '" << name << "'; known devices: "
                       << llvm::join(::dietcode::knownDeviceNames(), ", ");
  const ::dietcode::ChipSpec *spec = ::dietcode::lookupChip(chip);
  if (!spec)
    return emitError() << "unknown chip '" << chip << "'; known chips: "
                       << llvm::join(::dietcode::knownChipNames(), ", ");
  // Older chips have no independent thread scheduling, and none of the
  // warp-synchronous instructions that the kernels are written with.
  if (spec->computeCapability < 70)
    return emitError() << "chip '" << chip
                       << "' is too old; kernels need sm_70 or newer";
  return success();
}

const ::dietcode::DeviceSpec &DeviceAttr::getSpec() const {
  return *::dietcode::lookupDevice(getName());
}
