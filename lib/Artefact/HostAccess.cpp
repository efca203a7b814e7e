//===- HostAccess.cpp - What host code does to buffers --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of LLVM IR, since that is what runs: no pass behind this one can add
// accesses.
//
//===----------------------------------------------------------------------===//

#include "HostAccess.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Whether no kernel has it: the parameters of launches are on the stack, and
/// constants and handles of modules in variables, which kernels do not reach
/// unless they are registered.
static bool isOfHost(const Value *pointer) {
  return isa<AllocaInst, GlobalVariable>(
      getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

/// Functions that are given buffers without looking into them.
static bool isOfRuntime(StringRef name) {
  if (name.starts_with("mgpuMemHostRegister"))
    return false;
  return name.starts_with("mgpu") || name.starts_with("dietcode") ||
         name == "malloc" || name == "free";
}

static bool mayAccess(const CallBase &call,
                      SetVector<const Function *> &called) {
  const Function *callee = call.getCalledFunction();
  if (callee && !callee->isDeclaration()) {
    called.insert(callee);
    return false;
  }
  if (callee && isOfRuntime(callee->getName()))
    return false;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (call.doesNotAccessMemory() ||
      (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
    return false;
  return any_of(call.args(), [](const Use &argument) {
    return argument->getType()->isPointerTy() && !isOfHost(argument);
  });
}

bool mlir::dietcode::mayAccessBuffers(const Function &function) {
  SetVector<const Function *> called;
  called.insert(&function);
  for (size_t i = 0; i < called.size(); ++i)
    for (const Instruction &inst : instructions(*called[i])) {
      if (auto *call = dyn_cast<CallBase>(&inst)) {
        if (mayAccess(*call, called))
          return true;
        continue;
      }
      if (const Value *pointer = getLoadStorePointerOperand(&inst)) {
        if (!isOfHost(pointer))
          return true;
      } else if (inst.mayReadOrWriteMemory()) {
        return true; // Atomics, fences.
      }
    }
  return false;
}
