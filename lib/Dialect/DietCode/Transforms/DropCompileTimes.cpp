//===- DropCompileTimes.cpp - Binaries that do not depend on the clock ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEDROPCOMPILETIMESPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;

/// The object without properties such as LLVMIRToISATimeInMs.
static gpu::ObjectAttr dropTimes(gpu::ObjectAttr object) {
  DictionaryAttr properties = object.getProperties();
  if (!properties)
    return object;
  NamedAttrList kept;
  for (NamedAttribute property : properties)
    if (!property.getName().getValue().ends_with("TimeInMs"))
      kept.push_back(property);
  MLIRContext *context = object.getContext();
  return gpu::ObjectAttr::get(
      context, object.getTarget(), object.getFormat(), object.getObject(),
      kept.empty() ? DictionaryAttr() : kept.getDictionary(context),
      object.getKernels());
}

namespace {

struct DropCompileTimes
    : mlir::dietcode::impl::DietCodeDropCompileTimesPassBase<DropCompileTimes> {
  void runOnOperation() override {
    for (auto binary : getOperation().getOps<gpu::BinaryOp>()) {
      SmallVector<Attribute> objects;
      for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
        objects.push_back(dropTimes(object));
      binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
    }
  }
};

} // namespace
