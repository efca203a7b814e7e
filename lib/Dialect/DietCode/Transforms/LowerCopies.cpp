//===- LowerCopies.cpp - Copy buffers without a runtime function ----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODELOWERCOPIESPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

namespace {

struct LowerCopies
    : mlir::dietcode::impl::DietCodeLowerCopiesPassBase<LowerCopies> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp op) {
      auto source = dyn_cast<MemRefType>(op.getSource().getType());
      auto target = dyn_cast<MemRefType>(op.getTarget().getType());
      bool isRanked = source && target;
      // LLVM copies contiguous buffers by its own means.
      if (!isRanked ||
          (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
        return;
      OpBuilder builder(op);
      linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                               op.getTarget());
      op.erase();
    });
  }
};

} // namespace
