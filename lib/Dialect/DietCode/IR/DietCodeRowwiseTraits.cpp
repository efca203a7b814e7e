//===- DietCodeRowwiseTraits.cpp - What schedules of rows depend on -------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/IR/OperandLayout.h"
#include "dietcode/Dialect/DietCode/IR/RowProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::RowAccess;
using ::dietcode::RowTraits;

/// Registers of a column whose address is no constant from that of others: the
/// address and what it is computed from. An allowance, with which no kernel of
/// rowwise-ptxas.mlir spills.
static constexpr int64_t kAddressRegisters = 4;

/// Bytes that a thread accesses at once at most.
static constexpr int64_t kVectorBytes = 16;

/// Instructions of a division or of a function of `math`, about.
static constexpr int64_t kLongOperation = 10;

static unsigned getBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Whether neighbours in memory are neighbouring columns.
static bool isContiguousAlongColumn(RowwiseOp op, unsigned operand) {
  return getContiguousDim(getBufferType(op->getOperand(operand).getType()),
                          op.getOperandMaps()[operand]) == op.getNumDims() - 1;
}

/// Whether the type tells how far columns are apart, so that one address serves
/// many of them.
static bool hasStaticColumnStride(RowwiseOp op, unsigned operand) {
  MemRefType type = getBufferType(op->getOperand(operand).getType());
  AffineMap map = op.getOperandMaps()[operand];
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isLinear(type, map, llvm::to_vector(op.getColumnDims())) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  AffineExpr column = getAffineDimExpr(op.getNumDims() - 1, op.getContext());
  return llvm::any_of(llvm::zip_equal(strides, map.getResults()), [&](auto of) {
    auto [stride, expr] = of;
    return !ShapedType::isDynamic(stride) && expr == column;
  });
}

/// Whether an operand has an element for each column of each row, be it one
/// that is looked up.
static bool isReadEverywhere(RowwiseOp op, unsigned operand) {
  AffineMap map = op.getOperandMaps()[operand];
  return !op.getLookups(operand).empty() ||
         llvm::all_of(llvm::seq(op.getNumDims()),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

bool RowwiseOp::isVectorized(unsigned operand) {
  auto isApart = [&](Lookup lookup) { return variesWithColumn(lookup.index); };
  // Vectors of i1 are of bits, but its elements in memory are bytes.
  return getElementTypeOrSelf(getOperand(operand)).getIntOrFloatBitWidth() >=
             8 &&
         isContiguousAlongColumn(*this, operand) &&
         llvm::none_of(getLookups(operand), isApart);
}

/// Instructions that compute on one column, about.
static int64_t countOperations(RowwiseOp op, const RowProgram &program) {
  int64_t count = 0;
  for (Operation &nested : op.getBody().front().without_terminator()) {
    bool isPerRow = llvm::all_of(nested.getResults(), [&](Value result) {
      return program.isUniform(result);
    });
    if (isPerRow && !isa<ReduceRowOp>(nested))
      continue;
    bool isLong = isa<math::MathDialect>(nested.getDialect()) ||
                  isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp,
                      arith::RemSIOp, arith::RemUIOp>(nested);
    count += isLong ? kLongOperation : 1;
  }
  return count;
}

RowTraits RowwiseOp::getRowTraits() {
  RowProgram program(*this);
  RowTraits traits;
  traits.columnRegisters = program.getColumnRegisters();
  traits.reductions = program.getNumReductions();
  traits.passes = program.getNumReducingPasses();
  traits.operations = countOperations(*this, program);
  traits.accesses = traits.elementBytes = 0;
  int64_t widest = 0, alongColumn = 0, alongRows = 0;
  for (unsigned operand : llvm::seq(getNumOperands())) {
    if (!variesWithColumn(operand))
      continue;
    ++traits.accesses;
    // Neighbours of what is looked up by itself are neither.
    if (getContiguousDim(getBufferType(getOperand(operand).getType()),
                         getOperandMaps()[operand]))
      (isContiguousAlongColumn(*this, operand) ? alongColumn : alongRows) += 1;
    if (!hasStaticColumnStride(*this, operand))
      traits.columnRegisters += kAddressRegisters;
    unsigned bytes = getBytes(getElementTypeOrSelf(getOperand(operand)));
    if (isVectorized(operand))
      widest = std::max<int64_t>(widest, bytes);
    if (isReadEverywhere(*this, operand))
      traits.elementBytes += bytes;
  }
  traits.maxVector = widest ? kVectorBytes / widest : 1;
  if (alongRows)
    traits.access = alongColumn ? RowAccess::Mixed : RowAccess::Rows;
  return traits;
}

//===----------------------------------------------------------------------===//
// OperatorOpInterface
//===----------------------------------------------------------------------===//

SmallVector<StringRef> RowwiseOp::getTiledDimNames() { return {"m", "n"}; }

SmallVector<SmallVector<unsigned>> RowwiseOp::getTiledDimGroups() {
  return {llvm::to_vector(getRowDims()), llvm::to_vector(getColumnDims())};
}

::dietcode::OperatorTraits RowwiseOp::getTraits() {
  ::dietcode::OperatorTraits traits;
  traits.kind = "rowwise";
  traits.elementType.clear();
  llvm::raw_string_ostream(traits.elementType)
      << getElementTypeOrSelf(getOutputs().front());
  traits.rows = getRowTraits();
  return traits;
}

LogicalResult RowwiseOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return operator_impl::verifyDispatch(*this, symbolTable);
}
