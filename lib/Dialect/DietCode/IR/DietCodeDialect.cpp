//===- DietCodeDialect.cpp - The dietcode dialect -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/IR/Padding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::dietcode;

#include "dietcode/Dialect/DietCode/IR/DietCodeDialect.cpp.inc"

//===----------------------------------------------------------------------===//
// Parts of attributes
//===----------------------------------------------------------------------===//

// Parsed here, since the parser that is generated for a parameter follows each
// error, such as that an integer is too large, by one of its own.

/// tile ::= `[` integers `]`
static ParseResult parseTile(AsmParser &parser, SmallVector<int64_t> &tile) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(tile.emplace_back());
  });
}

static void printTile(AsmPrinter &printer, ArrayRef<int64_t> tile) {
  printer << '[' << llvm::interleaved(tile) << ']';
}

/// order ::= `[` (`m` `,` `n` | `n` `,` `m`) `]`
static ParseResult parseOrder(AsmParser &parser, ::dietcode::TileOrder &order) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringRef> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseKeyword(&dims.emplace_back());
      }))
    return failure();
  bool isMFirst = dims == ArrayRef<StringRef>{"m", "n"};
  if (!isMFirst && dims != ArrayRef<StringRef>{"n", "m"})
    return parser.emitError(loc) << "order must be [m, n] or [n, m], got ["
                                 << llvm::interleaved(dims) << ']';
  order =
      isMFirst ? ::dietcode::TileOrder::MFirst : ::dietcode::TileOrder::NFirst;
  return success();
}

/// refinements ::= (`,` name `=` value)*, each at most once.
static ParseResult parseRefinements(AsmParser &parser, int64_t &stages,
                                    int64_t &split, int64_t &vector,
                                    ::dietcode::TileOrder &order) {
  ::dietcode::Schedule defaults;
  stages = defaults.stages;
  split = defaults.split;
  vector = defaults.vector;
  order = defaults.order;
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc) << name << " is given twice";
    seen.push_back(name);
    auto value = llvm::StringSwitch<int64_t *>(name)
                     .Case("stages", &stages)
                     .Case("split", &split)
                     .Case("vector", &vector)
                     .Default(nullptr);
    if (!value && name != "order")
      return parser.emitError(loc)
             << "a schedule has no parameter " << name
             << "; after block and thread come stages, split, vector and order";
    if (value ? parser.parseInteger(*value) : parseOrder(parser, order))
      return failure();
  }
  return success();
}

static void printRefinements(AsmPrinter &printer, int64_t stages, int64_t split,
                             int64_t vector, ::dietcode::TileOrder order) {
  ::dietcode::Schedule defaults;
  if (stages != defaults.stages)
    printer << ", stages = " << stages;
  if (split != defaults.split)
    printer << ", split = " << split;
  if (vector != defaults.vector)
    printer << ", vector = " << vector;
  if (order != defaults.order)
    printer << ", order = [n, m]";
}

#define GET_ATTRDEF_CLASSES
#include "dietcode/Dialect/DietCode/IR/DietCodeAttrs.cpp.inc"

void DietCodeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dietcode/Dialect/DietCode/IR/DietCodeAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dietcode/Dialect/DietCode/IR/DietCodeOps.cpp.inc"
      >();
}

static LogicalResult verifyWorkloadAttr(Operation *op, NamedAttribute attr) {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
  if (!isa<FunctionOpInterface>(op) || !symbol)
    return op->emitError() << "attribute " << attr.getName()
                           << " must be the symbol of a workload on a function";
  if (!SymbolTable::lookupNearestSymbolFrom<WorkloadOp>(op, symbol))
    return op->emitError() << "there is no dietcode.workload " << symbol;
  return success();
}

static LogicalResult verifyPaddingAttr(Operation *op, NamedAttribute attr) {
  auto contract = dyn_cast<ContractOp>(op);
  auto padding = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  if (!contract || !padding)
    return op->emitError() << "attribute " << attr.getName()
                           << " must be an array of i64 of a dietcode.contract";
  size_t windows = getWindows(contract.getOperandMaps()).size();
  if (padding.size() != static_cast<int64_t>(windows))
    return op->emitError() << "attribute " << attr.getName() << " has "
                           << padding.size() << " numbers for " << windows
                           << " windows";
  return success();
}

LogicalResult DietCodeDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  if (attr.getName() == getWorkloadAttrName())
    return verifyWorkloadAttr(op, attr);
  if (attr.getName() == getDeviceAttrName()) {
    if (!isa<DeviceAttr>(attr.getValue()))
      return op->emitError()
             << "attribute " << attr.getName() << " must be a #dietcode.device";
    return success();
  }
  if (attr.getName() == kPaddingAttrName)
    return verifyPaddingAttr(op, attr);
  return op->emitError() << "the dietcode dialect has no attribute "
                         << attr.getName();
}

DeviceAttr mlir::dietcode::getDevice(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto device =
            op->getAttrOfType<DeviceAttr>(DietCodeDialect::getDeviceAttrName()))
      return device;
  return nullptr;
}
