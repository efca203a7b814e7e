//===- ArgumentLayout.cpp - Sizes and strides of arguments ----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentLayout.h"

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Dialect/DietCode/Transforms/ShapeAnalysis.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ArgumentShape;
using ::dietcode::NpyArray;
using ::dietcode::printSizes;
using ::dietcode::ShapeValues;
using ::dietcode::StridedLayout;

InFlightDiagnostic mlir::dietcode::emitArgumentError(func::FuncOp entry,
                                                     unsigned index) {
  return emitError(entry.getArgument(index).getLoc())
         << "argument " << index << " of '" << entry.getSymName() << "' ("
         << entry.getArgument(index).getType() << "): ";
}

namespace {

/// Works out the layout of one argument.
class Layouter {
public:
  Layouter(func::FuncOp entry, unsigned index)
      : entry(entry), index(index),
        type(cast<ShapedType>(entry.getArgument(index).getType())) {}

  FailureOr<ArgumentLayout> run(const ShapeValues &variables,
                                const ArgumentShape *given,
                                const NpyArray *input);

private:
  InFlightDiagnostic error() { return emitArgumentError(entry, index); }
  LogicalResult takeSizes(ArrayRef<int64_t> values, StringRef source);
  LogicalResult bindSizes(const ShapeValues &variables);
  LogicalResult bindSizes(BindShapeOp bind, const ShapeValues &variables);
  LogicalResult bindSize(BindShapeOp bind, unsigned dim,
                         const ShapeValues &variables);
  LogicalResult layOut(const ArgumentShape *given);
  LogicalResult layOutStrided(MemRefType memref, const ArgumentShape *given);

  func::FuncOp entry;
  unsigned index;
  ShapedType type;
  SmallVector<int64_t> sizes;
  ArgumentLayout result;
};

} // namespace

FailureOr<ArgumentLayout> Layouter::run(const ShapeValues &variables,
                                        const ArgumentShape *given,
                                        const NpyArray *input) {
  sizes.assign(type.getShape().begin(), type.getShape().end());
  if (given && failed(takeSizes(given->sizes, "--arg-shapes")))
    return failure();
  if (input && failed(takeSizes(input->sizes, "the input file")))
    return failure();
  if (failed(bindSizes(variables)) || failed(layOut(given)))
    return failure();
  return result;
}

/// Enters sizes that must agree with those already known.
LogicalResult Layouter::takeSizes(ArrayRef<int64_t> values, StringRef source) {
  std::string shape = printSizes(values.vec());
  if (values.size() != sizes.size())
    return error() << source << " gives " << shape << ", which has rank "
                   << values.size() << " instead of " << sizes.size();
  for (auto [dim, size, value] : llvm::enumerate(sizes, values)) {
    if (!ShapedType::isDynamic(size) && size != value)
      return error() << source << " gives " << shape << ", but dimension "
                     << dim << " is " << size;
    size = value;
  }
  return success();
}

/// Evaluates the shape bindings of the argument for the sizes that are still
/// unknown.
LogicalResult Layouter::bindSizes(const ShapeValues &variables) {
  for (Operation *user : entry.getArgument(index).getUsers())
    if (auto bind = dyn_cast<BindShapeOp>(user))
      if (failed(bindSizes(bind, variables)))
        return failure();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      return error() << "the size of dimension " << dim
                     << " is not known; give it with --arg-shapes, one entry "
                        "such as 37x768 per tensor or buffer argument";
  return success();
}

LogicalResult Layouter::bindSizes(BindShapeOp bind,
                                  const ShapeValues &variables) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size) && failed(bindSize(bind, dim, variables)))
      return failure();
  return success();
}

LogicalResult Layouter::bindSize(BindShapeOp bind, unsigned dim,
                                 const ShapeValues &variables) {
  AffineExpr expr = bind.getMap().getResult(dim);
  SmallVector<::dietcode::Interval> values;
  for (auto [position, var] : llvm::enumerate(bind.getVars())) {
    StringRef name = cast<FlatSymbolRefAttr>(var).getValue();
    auto found = variables.find(name.str());
    if (found == variables.end() && expr.isFunctionOfSymbol(position))
      return error() << "dimension " << dim
                     << " depends on the shape variable @" << name
                     << "; give --shape " << name << "=VALUE";
    int64_t value = found == variables.end() ? 0 : found->second;
    values.push_back({value, value});
  }
  // Both bounds are the size, unless it does not fit 64 bits.
  std::optional<::dietcode::Interval> size = evaluateBounds(expr, values);
  if (!size || size->lower < 0)
    return error() << "dimension " << dim << ", which is bound to "
                   << AffineMapAttr::get(bind.getMap())
                   << ", has no size for the given shape variables";
  sizes[dim] = size->lower;
  return success();
}

LogicalResult Layouter::layOut(const ArgumentShape *given) {
  StridedLayout &layout = result.layout;
  layout.sizes.assign(sizes.begin(), sizes.end());
  layout.strides = ::dietcode::denseStrides(layout.sizes);
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && !memref.getLayout().isIdentity())
    return layOutStrided(memref, given);
  // A dense operand has no offset in its descriptor, so the offset displaces
  // its pointer: that is how a view of a framework's tensor arrives.
  if (given && given->strides && *given->strides != layout.strides)
    return error() << "--arg-shapes gives the strides "
                   << printSizes(*given->strides)
                   << ", but the type is dense: they can only be "
                   << printSizes(layout.strides);
  result.shift = given ? given->offset.value_or(0) : 0;
  return success();
}

/// Strides that neither the type nor the user gives leave a gap of three
/// elements, and the offset is one, so that nothing is aligned by chance.
LogicalResult Layouter::layOutStrided(MemRefType memref,
                                      const ArgumentShape *given) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return error() << "the layout of the buffer is not strided";
  int64_t covered = 1;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (given && given->strides) {
      int64_t value = (*given->strides)[dim];
      if (!ShapedType::isDynamic(stride) && stride != value)
        return error() << "--arg-shapes gives the strides "
                       << printSizes(*given->strides) << ", but stride " << dim
                       << " is " << stride;
      stride = value;
    }
    if (!ShapedType::isDynamic(stride))
      covered = std::max(covered, stride * sizes[dim]);
  }
  for (size_t dim = strides.size(); dim-- > 0;) {
    if (!ShapedType::isDynamic(strides[dim]))
      continue;
    strides[dim] = covered == 1 ? 1 : covered + 3;
    covered = std::max(covered, strides[dim] * sizes[dim]);
  }
  if (given && given->offset && !ShapedType::isDynamic(offset) &&
      offset != *given->offset)
    return error() << "--arg-shapes gives the offset " << *given->offset
                   << ", but it is " << offset;
  if (ShapedType::isDynamic(offset))
    offset = given ? given->offset.value_or(1) : 1;
  result.layout.strides.assign(strides.begin(), strides.end());
  result.layout.offset = offset;
  return success();
}

FailureOr<ArgumentLayout> mlir::dietcode::layOutArgument(
    func::FuncOp entry, unsigned index, const ShapeValues &variables,
    const ArgumentShape *given, const NpyArray *input) {
  return Layouter(entry, index).run(variables, given, input);
}
