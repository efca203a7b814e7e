//===- DietCodeDialect.cpp - The dietcode dialect -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
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

/// The dimensions that tiles are walked in, as they are spelled.
static ArrayRef<StringRef> getDims(::dietcode::TileOrder order) {
  static const StringRef dims[] = {"m", "n", "m"};
  switch (order) {
  case ::dietcode::TileOrder::MFirst:
    return ArrayRef(dims).take_front(2);
  case ::dietcode::TileOrder::NFirst:
    return ArrayRef(dims).take_back(2);
  case ::dietcode::TileOrder::Bands:
    return dims;
  }
  llvm_unreachable("unknown order of tiles");
}

/// order ::= `[` (`m` `,` `n` | `n` `,` `m` | `m` `,` `n` `,` `m`) `]`
static ParseResult parseOrder(AsmParser &parser, ::dietcode::TileOrder &order) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringRef> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseKeyword(&dims.emplace_back());
      }))
    return failure();
  for (auto known :
       {::dietcode::TileOrder::MFirst, ::dietcode::TileOrder::NFirst,
        ::dietcode::TileOrder::Bands})
    if (getDims(known) == ArrayRef<StringRef>(dims)) {
      order = known;
      return success();
    }
  return parser.emitError(loc)
         << "order must be [m, n], [n, m] or [m, n, m], got ["
         << llvm::interleaved(dims) << ']';
}

/// instruction ::= `fma` | `mma_f16` | `mma_f16_f16` | `mma_i8`
static ParseResult parseInstruction(AsmParser &parser,
                                    ::dietcode::Instruction &instruction) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<::dietcode::Instruction> known =
      ::dietcode::lookupInstruction(name);
  if (!known)
    return parser.emitError(loc)
           << "there is no instruction " << name << "; a schedule has one of "
           << StringRef(::dietcode::instructionNames());
  instruction = *known;
  return success();
}

/// refinements ::= (`,` name `=` value)*, each at most once.
static ParseResult parseRefinements(AsmParser &parser, int64_t &stages,
                                    int64_t &split, int64_t &vector,
                                    ::dietcode::TileOrder &order,
                                    ::dietcode::Instruction &instruction) {
  ::dietcode::Schedule defaults;
  stages = defaults.stages;
  split = defaults.split;
  vector = defaults.vector;
  order = defaults.order;
  instruction = defaults.instruction;
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
    ParseResult parsed = failure();
    if (value)
      parsed = parser.parseInteger(*value);
    else if (name == "order")
      parsed = parseOrder(parser, order);
    else if (name == "instruction")
      parsed = parseInstruction(parser, instruction);
    else
      return parser.emitError(loc)
             << "a schedule has no parameter " << name
             << "; after block and thread come stages, split, vector, order "
                "and instruction";
    if (parsed)
      return failure();
  }
  return success();
}

static void printRefinements(AsmPrinter &printer, int64_t stages, int64_t split,
                             int64_t vector, ::dietcode::TileOrder order,
                             ::dietcode::Instruction instruction) {
  ::dietcode::Schedule defaults;
  if (stages != defaults.stages)
    printer << ", stages = " << stages;
  if (split != defaults.split)
    printer << ", split = " << split;
  if (vector != defaults.vector)
    printer << ", vector = " << vector;
  if (order != defaults.order)
    printer << ", order = [" << llvm::interleaved(getDims(order)) << ']';
  if (instruction != defaults.instruction)
    printer << ", instruction = "
            << StringRef(::dietcode::infoOf(instruction).name);
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
