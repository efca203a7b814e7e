//===- InsertShapeChecks.cpp - Turn shape bindings into run-time checks ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCall.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::dietcode {
#define GEN_PASS_DEF_DIETCODEINSERTSHAPECHECKSPASS
#include "dietcode/Dialect/DietCode/Transforms/Passes.h.inc"
} // namespace mlir::dietcode

using namespace mlir;
using namespace mlir::dietcode;

/// What the runtime calls when a dimension is not what it must be:
/// void dietcodeShapeMismatch(const char *message, int64_t actual,
///                            int64_t expected).
static constexpr StringLiteral kMismatchFunction = "dietcodeShapeMismatch";

/// What the runtime calls when a shape variable is out of its range:
/// void dietcodeShapeMiss(const char *what, const int64_t *values), `what`
/// being "function:T,H".
static constexpr StringLiteral kMissFunction = "dietcodeShapeMiss";

namespace {

/// Checks the bindings of one function.
class ShapeChecker {
public:
  ShapeChecker(ModuleOp module, FunctionOpInterface function)
      : module(module), function(function), dominance(function) {}

  void insertChecks();
  /// Counts calls with a shape variable out of its range, once all that the
  /// entry block defines are known. After `insertChecks`.
  void insertMissReport();

private:
  void checkBinding(BindShapeOp op);
  bool defineVar(ImplicitLocOpBuilder &b, BindShapeOp op, int64_t dim,
                 SmallVectorImpl<Value> &symbols);
  void checkDim(ImplicitLocOpBuilder &b, BindShapeOp op, int64_t dim,
                ValueRange symbols);
  Value getVarValue(BindShapeOp op, StringAttr var);
  void checkCast(tensor::CastOp op);
  void checkConcat(tensor::ConcatOp op);
  void checkSlice(OffsetSizeAndStrideOpInterface op, Value whole);
  void checkWindows(ContractOp op);
  void checkWindow(ContractOp op, const WindowDim &window, int64_t padding);
  void createMismatch(ImplicitLocOpBuilder &b, Value isMismatch,
                      const Twine &message, Value actual, Value expected);
  std::string describe(Value value, int64_t dim);
  Value createMessage(ImplicitLocOpBuilder &b, StringRef message);
  Value isOutOfRange(ImplicitLocOpBuilder &b, StringAttr var, Value value);
  void createMissCall(ImplicitLocOpBuilder &b,
                      ArrayRef<std::pair<StringAttr, Value>> vars);

  ModuleOp module;
  FunctionOpInterface function;
  DominanceInfo dominance;
  /// Where the value of each shape variable has been read so far.
  DenseMap<StringAttr, SmallVector<Value>> definitions;
};

} // namespace

static Value createDim(ImplicitLocOpBuilder &b, Value value, int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      b, b.getLoc(), operator_impl::createDim(b, b.getLoc(), value, dim));
}

/// Whether `size` is read off that dimension of `value`.
static bool isDimOf(OpFoldResult size, Value value, int64_t dim) {
  auto read = dyn_cast<Value>(size);
  auto op = read ? read.getDefiningOp<tensor::DimOp>() : nullptr;
  return op && op.getSource() == value && op.getConstantIndex() == dim;
}

/// The value of a shape variable that was read before `op`; null if none was.
Value ShapeChecker::getVarValue(BindShapeOp op, StringAttr var) {
  for (Value value : definitions[var])
    if (dominance.properlyDominates(value, op))
      return value;
  return nullptr;
}

/// Reads the value of a shape variable that is not known yet off a dimension:
/// (dim - d) / c, which is exact when the check that follows holds.
bool ShapeChecker::defineVar(ImplicitLocOpBuilder &b, BindShapeOp op,
                             int64_t dim, SmallVectorImpl<Value> &symbols) {
  std::optional<LinearDim> linear = matchLinearDim(op.getMap().getResult(dim));
  if (!linear || symbols[linear->symbol])
    return false;
  auto [symbol, factor, offset] = *linear;
  AffineExpr size = b.getAffineDimExpr(0);
  AffineMap inverse =
      AffineMap::get(1, 0, (size - offset).floorDiv(factor), b.getContext());
  Value value = affine::expandAffineMap(b, b.getLoc(), inverse,
                                        createDim(b, op.getValue(), dim))
                    ->front();
  auto var = cast<FlatSymbolRefAttr>(op.getVars()[symbol]).getAttr();
  definitions[var].push_back(value);
  symbols[symbol] = value;
  return factor == 1;
}

/// `f.mlir:3:8: dimension 0 of argument 1 of @f`.
std::string ShapeChecker::describe(Value value, int64_t dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto loc = value.getLoc()->findInstanceOf<FileLineColLoc>())
    os << loc.getFilename().getValue() << ':' << loc.getLine() << ':'
       << loc.getColumn() << ": ";
  os << "dimension " << dim << " of ";
  if (auto argument = dyn_cast<BlockArgument>(value))
    os << "argument " << argument.getArgNumber() << " of @"
       << function.getName();
  else
    os << "the result of " << value.getDefiningOp()->getName();
  return text;
}

Value ShapeChecker::createMessage(ImplicitLocOpBuilder &b, StringRef message) {
  return createRuntimeMessage(b, module, "dietcode_shape_message", message);
}

void ShapeChecker::checkDim(ImplicitLocOpBuilder &b, BindShapeOp op,
                            int64_t dim, ValueRange symbols) {
  AffineMap map = op.getMap().getSubMap(dim);
  Value expected =
      affine::expandAffineExpr(b, b.getLoc(), map.getResult(0), {}, symbols);
  Value actual = createDim(b, op.getValue(), dim);
  if (actual == expected)
    return;
  Value differs =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, actual, expected);
  createMismatch(b, differs,
                 describe(op.getValue(), dim) +
                     " does not fit the other operands",
                 actual, expected);
}

/// Calls the runtime if `isMismatch`; nothing if it is known to be false.
void ShapeChecker::createMismatch(ImplicitLocOpBuilder &b, Value isMismatch,
                                  const Twine &message, Value actual,
                                  Value expected) {
  if (matchPattern(isMismatch, m_Zero()))
    return;
  auto ifMismatch = scf::IfOp::create(b, isMismatch, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifMismatch.thenBlock());
  Value text = createMessage(b, message.str());
  auto toI64 = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  LLVM::CallOp::create(b, TypeRange(), kMismatchFunction,
                       {text, toI64(actual), toI64(expected)});
}

void ShapeChecker::checkBinding(BindShapeOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> symbols;
  for (auto var : op.getVars().getAsRange<FlatSymbolRefAttr>())
    symbols.push_back(getVarValue(op, var.getAttr()));
  llvm::SmallBitVector holds(op.getMap().getNumResults());
  for (unsigned dim : llvm::seq<unsigned>(0, holds.size()))
    holds[dim] = defineVar(b, op, dim, symbols);
  for (unsigned dim : llvm::seq<unsigned>(0, holds.size())) {
    AffineExpr expr = op.getMap().getResult(dim);
    bool isKnown = true;
    for (auto [position, value] : llvm::enumerate(symbols))
      isKnown &= value || !expr.isFunctionOfSymbol(position);
    // An expression of variables that can be read nowhere says nothing.
    if (!holds[dim] && isKnown)
      checkDim(b, op, dim, symbols);
  }
  op.erase();
}

/// What is read through a window must not be beyond the padding:
///
///   2 * (rows - 1) + (filter rows - 1) - 1 < image rows + padding
void ShapeChecker::checkWindow(ContractOp op, const WindowDim &window,
                               int64_t padding) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value expected =
      arith::ConstantIndexOp::create(b, window.access.offset + 1 - padding);
  Value isRead;
  for (auto [dim, coefficient] : window.access.terms) {
    Value extent =
        getValueOrCreateConstantIndexOp(b, b.getLoc(), op.createExtent(b, dim));
    Value last = b.createOrFold<arith::SubIOp>(extent, one);
    Value factor = arith::ConstantIndexOp::create(b, coefficient);
    expected = b.createOrFold<arith::AddIOp>(
        expected, b.createOrFold<arith::MulIOp>(last, factor));
    Value isPositive =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, extent, one);
    isRead =
        isRead ? b.createOrFold<arith::AndIOp>(isRead, isPositive) : isPositive;
  }
  Value operand = op->getOperand(window.operand);
  Value actual = createDim(b, operand, window.dim);
  Value isBeyond = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                 actual, expected);
  if (isRead)
    isBeyond = b.createOrFold<arith::AndIOp>(isRead, isBeyond);
  createMismatch(b, isBeyond,
                 describe(operand, window.dim) +
                     " is smaller than what is read of it",
                 actual, expected);
}

/// What a cast makes static is what kernels are generated for.
void ShapeChecker::checkCast(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (int64_t dim : llvm::seq<int64_t>(0, to.getRank())) {
    if (to.isDynamicDim(dim) || !from.isDynamicDim(dim))
      continue;
    Value actual = createDim(b, op.getSource(), dim);
    Value expected = arith::ConstantIndexOp::create(b, to.getDimSize(dim));
    Value differs = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                                  actual, expected);
    createMismatch(b, differs,
                   describe(op.getSource(), dim) + " is not what it is cast to",
                   actual, expected);
  }
}

/// What is put side by side must be equally long.
void ShapeChecker::checkConcat(tensor::ConcatOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value first = op.getInputs().front();
  auto type = cast<RankedTensorType>(first.getType());
  for (Value input : op.getInputs().drop_front())
    for (int64_t dim : llvm::seq<int64_t>(0, type.getRank())) {
      auto inputType = cast<RankedTensorType>(input.getType());
      if (dim == static_cast<int64_t>(op.getDim()) ||
          (!type.isDynamicDim(dim) && !inputType.isDynamicDim(dim)))
        continue;
      Value actual = createDim(b, input, dim);
      Value expected = createDim(b, first, dim);
      Value differs = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                                    actual, expected);
      createMismatch(b, differs,
                     describe(input, dim) + " does not fit the other operands",
                     actual, expected);
    }
}

/// A slice must lie within what it is of, for each dimension:
///
///   offset >= 0 and size >= 0, and
///   offset + (size - 1) * stride + 1 <= whole, or size = 0
///
/// What is too small is as much too small as the slice begins before it, or as
/// the size is negative.
void ShapeChecker::checkSlice(OffsetSizeAndStrideOpInterface op, Value whole) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  auto toValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  };
  for (int64_t dim : llvm::seq<int64_t>(0, type.getRank())) {
    OpFoldResult size = sizes[dim];
    bool isStatic = getConstantIntValue(offsets[dim]) &&
                    getConstantIntValue(size) &&
                    getConstantIntValue(strides[dim]);
    // The verifier has checked the former, and the latter is all there is.
    if ((isStatic && !type.isDynamicDim(dim)) ||
        (isZeroInteger(offsets[dim]) && isOneInteger(strides[dim]) &&
         isDimOf(size, whole, dim)))
      continue;
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value last = b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::SubIOp>(toValue(size), one),
        toValue(strides[dim]));
    Value expected = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::AddIOp>(toValue(offsets[dim]), last), one);
    Value actual = createDim(b, whole, dim);
    Value isTaken = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                  toValue(size), one);
    Value isBeyond = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                   actual, expected);
    std::string mistake = describe(whole, dim) + " is too small for the slice";
    createMismatch(b, b.createOrFold<arith::AndIOp>(isTaken, isBeyond), mistake,
                   actual, expected);
    for (OpFoldResult value : {offsets[dim], size}) {
      if (getConstantIntValue(value))
        continue;
      Value zero = arith::ConstantIndexOp::create(b, 0);
      Value isNegative = b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::slt, toValue(value), zero);
      createMismatch(b, isNegative, mistake, actual,
                     b.createOrFold<arith::SubIOp>(actual, toValue(value)));
    }
  }
}

void ShapeChecker::checkWindows(ContractOp op) {
  std::optional<ArrayRef<int64_t>> padding = op.getPadding();
  if (!padding)
    return;
  for (auto [window, after] : llvm::zip_equal(op.getWindows(), *padding))
    checkWindow(op, window, after);
  op.removePaddingAttr();
}

Value ShapeChecker::isOutOfRange(ImplicitLocOpBuilder &b, StringAttr var,
                                 Value value) {
  auto op = SymbolTable::lookupNearestSymbolFrom<ShapeVarOp>(function, var);
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return b.createOrFold<arith::CmpIOp>(
        predicate, lhs, arith::ConstantIndexOp::create(b, rhs));
  };
  Value below = compare(arith::CmpIPredicate::slt, value, op.getLower());
  Value above = compare(arith::CmpIPredicate::sgt, value, op.getUpper());
  Value result = b.createOrFold<arith::OrIOp>(below, above);
  if (op.getMultipleOf() == 1)
    return result;
  Value rest = b.createOrFold<arith::RemSIOp>(
      value, arith::ConstantIndexOp::create(b, op.getMultipleOf()));
  return b.createOrFold<arith::OrIOp>(
      result, compare(arith::CmpIPredicate::ne, rest, 0));
}

void ShapeChecker::createMissCall(ImplicitLocOpBuilder &b,
                                  ArrayRef<std::pair<StringAttr, Value>> vars) {
  std::string names;
  for (auto [name, value] : vars)
    names += (names.empty() ? "" : ",") + name.str();
  Value what = createMessage(b, (function.getName() + ":" + names).str());
  Type i64 = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value count = LLVM::ConstantOp::create(b, i64, vars.size());
  Value values = LLVM::AllocaOp::create(b, pointer, i64, count);
  for (auto [index, var] : llvm::enumerate(vars)) {
    Value slot = LLVM::GEPOp::create(
        b, pointer, i64, values,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(
        b, arith::IndexCastOp::create(b, i64, var.second).getResult(), slot);
  }
  LLVM::CallOp::create(b, TypeRange(), kMissFunction, {what, values});
}

void ShapeChecker::insertMissReport() {
  SmallVector<std::pair<StringAttr, Value>> vars;
  Block *entry = &function.getFunctionBody().front();
  Operation *last = nullptr;
  for (auto &[name, values] : definitions) {
    Operation *definition = values.front().getDefiningOp();
    if (!definition || definition->getBlock() != entry)
      continue;
    vars.push_back({name, values.front()});
    if (!last || last->isBeforeInBlock(definition))
      last = definition;
  }
  if (vars.empty())
    return;
  // In an order that does not depend on addresses.
  llvm::sort(vars, [](auto &a, auto &b) {
    return a.first.getValue() < b.first.getValue();
  });
  ImplicitLocOpBuilder b(function.getLoc(), last->getContext());
  b.setInsertionPointAfter(last);
  Value isMiss;
  for (auto [name, value] : vars) {
    Value here = isOutOfRange(b, name, value);
    isMiss = isMiss ? b.createOrFold<arith::OrIOp>(isMiss, here) : here;
  }
  if (matchPattern(isMiss, m_Zero()))
    return;
  auto ifMiss = scf::IfOp::create(b, isMiss, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifMiss.thenBlock());
  createMissCall(b, vars);
}

void ShapeChecker::insertChecks() {
  SmallVector<BindShapeOp> ops;
  function->walk<WalkOrder::PreOrder>(
      [&](BindShapeOp op) { ops.push_back(op); });
  for (BindShapeOp op : ops)
    checkBinding(op);
  function->walk([&](tensor::CastOp op) { checkCast(op); });
  function->walk([&](tensor::ConcatOp op) { checkConcat(op); });
  function->walk(
      [&](tensor::ExtractSliceOp op) { checkSlice(op, op.getSource()); });
  function->walk(
      [&](tensor::InsertSliceOp op) { checkSlice(op, op.getDest()); });
  function->walk([&](ContractOp op) { checkWindows(op); });
}

namespace {

struct InsertShapeChecks
    : mlir::dietcode::impl::DietCodeInsertShapeChecksPassBase<
          InsertShapeChecks> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<FunctionOpInterface> functions;
    module.walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (FunctionOpInterface function : functions) {
      ShapeChecker checker(module, function);
      checker.insertChecks();
      if (reportMisses)
        checker.insertMissReport();
    }
    Type i64 = IntegerType::get(&getContext(), 64);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    declareIfCalled(kMismatchFunction, {pointer, i64, i64});
    declareIfCalled(kMissFunction, {pointer, pointer});
  }

private:
  /// Declares a function of the runtime that returns nothing.
  void declareIfCalled(StringRef name, ArrayRef<Type> parameters) {
    ModuleOp module = getOperation();
    bool isCalled = module
                        .walk([&](LLVM::CallOp call) {
                          return call.getCallee() == name
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (isCalled)
      declareRuntimeFunction(module, name, parameters);
  }
};

} // namespace
