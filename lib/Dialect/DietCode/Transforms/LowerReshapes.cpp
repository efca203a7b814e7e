//===- LowerReshapes.cpp - Expand dimensions into several dynamic ones ----===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODELOWERRESHAPESPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// Whether the sizes of a group do not follow from that of its dimension.
static bool hasAmbiguousGroup(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(
               group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  });
}

/// The strides of the result: within a group, that of a dimension is the
/// extent of what is inside of it.
static SmallVector<OpFoldResult> computeStrides(ImplicitLocOpBuilder &b,
                                                memref::ExpandShapeOp op,
                                                ValueRange sourceStrides,
                                                ArrayRef<int64_t> known) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [group, stride] :
       llvm::zip_equal(op.getReassociationIndices(), sourceStrides)) {
    Value next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = ShapedType::isDynamic(known[dim])
                         ? OpFoldResult(next)
                         : b.getIndexAttr(known[dim]);
      if (dim == group.front())
        break;
      Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]);
      next = b.createOrFold<arith::MulIOp>(next, size);
    }
  }
  return strides;
}

static void lower(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  SmallVector<int64_t> known;
  int64_t offset = 0;
  // The verifier of the operation sees to it that there are strides.
  if (failed(type.getStridesAndOffset(known, offset)))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getSrc());
  OpFoldResult start = ShapedType::isDynamic(offset)
                           ? OpFoldResult(metadata.getOffset())
                           : b.getIndexAttr(offset);
  auto cast = memref::ReinterpretCastOp::create(
      b, type, metadata.getBaseBuffer(), start, op.getMixedOutputShape(),
      computeStrides(b, op, metadata.getStrides(), known));
  op.replaceAllUsesWith(cast.getResult());
  op.erase();
}

namespace {

struct LowerReshapes
    : mlir::dietcode::impl::DietCodeLowerReshapesPassBase<LowerReshapes> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](memref::ExpandShapeOp op) {
      if (hasAmbiguousGroup(op))
        lower(op);
    });
  }
};

} // namespace
