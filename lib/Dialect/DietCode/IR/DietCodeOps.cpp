//===- DietCodeOps.cpp - Textual forms of the dietcode operations ---------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Dialect/DietCode/IR/DietCode.h"

using namespace mlir;
using namespace mlir::dietcode;

//===----------------------------------------------------------------------===//
// [[5, 768], [24, 768]]: the instances of a workload
//===----------------------------------------------------------------------===//

static ParseResult parseInstances(OpAsmParser &parser, ArrayAttr &instances) {
  SmallVector<Attribute> rows;
  auto parseRow = [&]() -> ParseResult {
    SmallVector<int64_t> values;
    auto parseValue = [&]() {
      return parser.parseInteger(values.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseValue))
      return failure();
    rows.push_back(parser.getBuilder().getDenseI64ArrayAttr(values));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return failure();
  instances = parser.getBuilder().getArrayAttr(rows);
  return success();
}

static void printInstances(OpAsmPrinter &printer, Operation *,
                           ArrayAttr instances) {
  printer << '[';
  llvm::interleaveComma(instances.getAsRange<DenseI64ArrayAttr>(), printer,
                        [&](DenseI64ArrayAttr row) {
                          printer << '[';
                          llvm::interleaveComma(row.asArrayRef(), printer);
                          printer << ']';
                        });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// (m in [1, 9], ...) { case m in [1, 4], ... -> @a  otherwise -> @b }
//===----------------------------------------------------------------------===//

/// Parses `name in [lower, upper]`.
static ParseResult parseDimInterval(OpAsmParser &parser, StringRef &name,
                                    SmallVectorImpl<int64_t> &bounds) {
  return failure(
      parser.parseKeyword(&name) || parser.parseKeyword("in") ||
      parser.parseLSquare() || parser.parseInteger(bounds.emplace_back()) ||
      parser.parseComma() || parser.parseInteger(bounds.emplace_back()) ||
      parser.parseRSquare());
}

static ParseResult parseDispatchDomain(OpAsmParser &parser,
                                       SmallVectorImpl<StringRef> &names,
                                       SmallVectorImpl<int64_t> &domain) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() {
    return parseDimInterval(parser, names.emplace_back(), domain);
  });
}

/// Parses what follows `case`: one interval per dimension, then the kernel.
static ParseResult parseDispatchCase(OpAsmParser &parser,
                                     ArrayRef<StringRef> names,
                                     SmallVectorImpl<int64_t> &boxes,
                                     SmallVectorImpl<Attribute> &kernels) {
  for (auto [index, expected] : llvm::enumerate(names)) {
    if (index && parser.parseComma())
      return failure();
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parseDimInterval(parser, name, boxes))
      return failure();
    if (name != expected)
      return parser.emitError(loc)
             << "expected dimension '" << expected << "', got '" << name << "'";
  }
  FlatSymbolRefAttr kernel;
  if (parser.parseArrow() || parser.parseAttribute(kernel))
    return failure();
  kernels.push_back(kernel);
  return success();
}

static ParseResult parseDispatchTable(OpAsmParser &parser, ArrayAttr &dims,
                                      DenseI64ArrayAttr &domain,
                                      DenseI64ArrayAttr &boxes,
                                      ArrayAttr &kernels,
                                      FlatSymbolRefAttr &otherwise) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> domainBounds, boxBounds;
  SmallVector<Attribute> kernelRefs;
  if (parseDispatchDomain(parser, names, domainBounds) || parser.parseLBrace())
    return failure();
  while (succeeded(parser.parseOptionalKeyword("case")))
    if (parseDispatchCase(parser, names, boxBounds, kernelRefs))
      return failure();
  if (parser.parseKeyword("otherwise") || parser.parseArrow() ||
      parser.parseAttribute(otherwise) || parser.parseRBrace())
    return failure();
  Builder &builder = parser.getBuilder();
  dims = builder.getStrArrayAttr(names);
  domain = builder.getDenseI64ArrayAttr(domainBounds);
  boxes = builder.getDenseI64ArrayAttr(boxBounds);
  kernels = builder.getArrayAttr(kernelRefs);
  return success();
}

static void printDimIntervals(OpAsmPrinter &printer, ArrayAttr dims,
                              ArrayRef<int64_t> bounds) {
  llvm::interleaveComma(llvm::enumerate(dims.getAsValueRange<StringAttr>()),
                        printer, [&](auto dim) {
                          printer << dim.value() << " in ["
                                  << bounds[2 * dim.index()] << ", "
                                  << bounds[2 * dim.index() + 1] << ']';
                        });
}

static void printDispatchTable(OpAsmPrinter &printer, Operation *,
                               ArrayAttr dims, DenseI64ArrayAttr domain,
                               DenseI64ArrayAttr boxes, ArrayAttr kernels,
                               FlatSymbolRefAttr otherwise) {
  printer << '(';
  printDimIntervals(printer, dims, domain);
  printer << ") {";
  printer.increaseIndent();
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    printer.printNewline();
    printer << "case ";
    size_t stride = 2 * dims.size();
    printDimIntervals(printer, dims,
                      boxes.asArrayRef().slice(index * stride, stride));
    printer << (stride ? " -> " : "-> ") << kernel;
  }
  printer.printNewline();
  printer << "otherwise -> " << otherwise;
  printer.decreaseIndent();
  printer.printNewline();
  printer << '}';
}

#define GET_OP_CLASSES
#include "dietcode/Dialect/DietCode/IR/DietCodeOps.cpp.inc"
