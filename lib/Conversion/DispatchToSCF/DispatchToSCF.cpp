//===- DispatchToSCF.cpp - Lower dispatch decisions to comparisons --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Conversion/Passes.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_CONVERTDIETCODEDISPATCHTOSCFPASS
#include "dietcode/Conversion/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// Builds the decisions of one select.
class DecisionBuilder {
public:
  DecisionBuilder(ImplicitLocOpBuilder &b, DispatchOp dispatch,
                  ValueRange sizes)
      : b(b), leaves(dispatch.getLeaves()), sizes(sizes),
        tree(::dietcode::buildDecisionTree(dispatch.getDomainBox(), leaves)),
        general(dispatch.getGeneralKernel()) {}

  /// The index of the kernel that serves `sizes`.
  Value build();

private:
  Value compare(arith::CmpIPredicate predicate, Value size, int64_t bound) {
    return b.createOrFold<arith::CmpIOp>(
        predicate, size, arith::ConstantIndexOp::create(b, bound));
  }
  Value isInDomain();
  Value buildNode(const ::dietcode::DecisionNode &node);
  Value choose(Value condition, function_ref<Value()> ifTrue,
               function_ref<Value()> ifFalse);

  ImplicitLocOpBuilder &b;
  std::vector<::dietcode::DispatchLeaf> leaves;
  ValueRange sizes;
  ::dietcode::DecisionTree tree;
  int64_t general;
};

} // namespace

Value DecisionBuilder::choose(Value condition, function_ref<Value()> ifTrue,
                              function_ref<Value()> ifFalse) {
  auto choice = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, ifTrue()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, ifFalse()); });
  return choice.getResult(0);
}

Value DecisionBuilder::isInDomain() {
  Value inside = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (auto [size, interval] : llvm::zip_equal(sizes, tree.domain)) {
    Value low = compare(arith::CmpIPredicate::sge, size, interval.lower);
    Value high = compare(arith::CmpIPredicate::sle, size, interval.upper);
    inside = b.createOrFold<arith::AndIOp>(
        inside, b.createOrFold<arith::AndIOp>(low, high));
  }
  return inside;
}

Value DecisionBuilder::buildNode(const ::dietcode::DecisionNode &node) {
  if (node.isLeaf) {
    int64_t kernel = node.leaf == ::dietcode::kGeneralLeaf
                         ? general
                         : static_cast<int64_t>(leaves[node.leaf].kernel);
    return arith::ConstantIndexOp::create(b, kernel);
  }
  Value goesLeft =
      compare(arith::CmpIPredicate::sle, sizes[node.dim], node.threshold);
  return choose(
      goesLeft, [&] { return buildNode(tree.nodes[node.left]); },
      [&] { return buildNode(tree.nodes[node.right]); });
}

Value DecisionBuilder::build() {
  return choose(
      isInDomain(), [&] { return buildNode(tree.nodes.front()); },
      [&]() -> Value { return arith::ConstantIndexOp::create(b, general); });
}

/// Erases the facts that only dispatches were made from, once none is left to
/// be lowered.
static void eraseDispatchSymbols(ModuleOp module) {
  SmallVector<Operation *> symbols;
  module.walk([&](Operation *op) {
    if (isa<DispatchOp, MicroKernelOp, WorkloadOp, ShapeVarOp>(op) &&
        SymbolTable::symbolKnownUseEmpty(op, module))
      symbols.push_back(op);
  });
  for (Operation *op : symbols)
    op->erase();
}

namespace {

struct ConvertDietCodeDispatchToSCF
    : mlir::dietcode::impl::ConvertDietCodeDispatchToSCFPassBase<
          ConvertDietCodeDispatchToSCF> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([](SelectOp op) {
      auto dispatch = SymbolTable::lookupNearestSymbolFrom<DispatchOp>(
          op, op.getDispatchAttr());
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value kernel = DecisionBuilder(b, dispatch, op.getSizes()).build();
      op.replaceAllUsesWith(kernel);
      op.erase();
    });
    // A function does not need its workload once it is compiled.
    module.walk([](Operation *op) {
      op->removeDiscardableAttr(DietCodeDialect::getWorkloadAttrName());
    });
    // Dispatches go first: they use micro-kernels.
    eraseDispatchSymbols(module);
    eraseDispatchSymbols(module);
  }
};

} // namespace
