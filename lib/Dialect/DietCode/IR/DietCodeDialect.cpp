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

static ParseResult parseStages(AsmParser &parser, int64_t &stages) {
  return parser.parseInteger(stages);
}

static void printStages(AsmPrinter &printer, int64_t stages) {
  printer << stages;
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
