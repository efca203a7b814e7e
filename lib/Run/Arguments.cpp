//===- Arguments.cpp - Arguments for a run of a function ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Arguments.h"

#include "ArgumentLayout.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ArgumentShape;
using ::dietcode::ElementKind;
using ::dietcode::Expected;
using ::dietcode::HostTensor;
using ::dietcode::NpyArray;
using ::dietcode::ShapeValues;

std::optional<ElementKind> mlir::dietcode::getElementKind(Type type) {
  if (type.isF16())
    return ElementKind::F16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  if (type.isIndex())
    return ElementKind::I64;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return ElementKind::I8;
  case 16:
    return ElementKind::I16;
  case 32:
    return ElementKind::I32;
  case 64:
    return ElementKind::I64;
  default:
    return std::nullopt;
  }
}

Expected<RunArgument> RunArgument::toDouble(bool absolute) const {
  RunArgument result;
  bool widens = ::dietcode::isFloat(kind);
  result.kind = widens ? ElementKind::F64 : kind;
  if (!tensor) {
    double value = ::dietcode::loadElement(kind, scalar);
    if (widens)
      ::dietcode::storeElement(result.kind, result.scalar,
                               absolute ? std::fabs(value) : value);
    else
      std::memcpy(result.scalar, scalar, sizeof(scalar));
    return result;
  }
  Expected<HostTensor> copy =
      HostTensor::create(result.kind, tensor->getLayout(), tensor->getShift());
  if (!copy)
    return ::dietcode::fail(copy.error().message);
  copy->fillFrom(*tensor);
  if (absolute && widens)
    copy->makeAbsolute();
  result.tensor = std::move(*copy);
  return result;
}

namespace {

/// Makes the arguments of one run in order.
class ArgumentMaker {
public:
  ArgumentMaker(func::FuncOp entry, const RunRequest &request)
      : entry(entry), request(request) {}

  FailureOr<std::vector<RunArgument>> run();
  LogicalResult checkOnly();

private:
  LogicalResult checkCounts();
  LogicalResult checkVariables();
  FailureOr<ArgumentLayout> layOut(unsigned index, ShapedType type);
  FailureOr<RunArgument> makeShaped(unsigned index, ShapedType type);
  FailureOr<RunArgument> makeScalar(unsigned index, Type type);

  func::FuncOp entry;
  const RunRequest &request;
  size_t nextShaped = 0;
  size_t nextScalar = 0;
  const NpyArray *input = nullptr; ///< Of the argument laid out last.
};

} // namespace

/// The values for shape variables that do not exist are mistakes.
LogicalResult ArgumentMaker::checkVariables() {
  auto module = entry->getParentOfType<ModuleOp>();
  for (auto &[name, value] : request.variables) {
    if (module.lookupSymbol<ShapeVarOp>(name))
      continue;
    InFlightDiagnostic diag = emitError(entry.getLoc())
                              << "--shape: there is no shape variable @"
                              << name;
    SmallVector<StringRef> known;
    for (auto var : module.getOps<ShapeVarOp>())
      known.push_back(var.getSymName());
    if (known.empty())
      return diag << " nor any other; give the sizes with --arg-shapes";
    return diag << "; the module declares " << llvm::join(known, ", ");
  }
  return success();
}

LogicalResult ArgumentMaker::checkCounts() {
  size_t shaped =
      llvm::count_if(entry.getArgumentTypes(), llvm::IsaPred<ShapedType>);
  size_t scalars = entry.getNumArguments() - shaped;
  if (request.shapes && request.shapes->shapes.size() != shaped)
    return emitError(entry.getLoc())
           << "--arg-shapes has " << request.shapes->shapes.size()
           << " shapes, but '" << entry.getSymName() << "' has " << shaped
           << " tensor or buffer arguments";
  if (request.shapes && request.shapes->scalars.size() > scalars)
    return emitError(entry.getLoc())
           << "--arg-shapes has " << request.shapes->scalars.size()
           << " scalars, but '" << entry.getSymName() << "' has " << scalars
           << " scalar arguments";
  if (request.inputs.size() > shaped)
    return emitError(entry.getLoc())
           << "--input is given " << request.inputs.size() << " times, but '"
           << entry.getSymName() << "' has " << shaped
           << " tensor or buffer arguments";
  return checkVariables();
}

/// Works out the layout of the next shaped argument.
FailureOr<ArgumentLayout> ArgumentMaker::layOut(unsigned index,
                                                ShapedType type) {
  std::optional<ElementKind> kind = isa<RankedTensorType, MemRefType>(type)
                                        ? getElementKind(type.getElementType())
                                        : std::nullopt;
  if (!kind)
    return emitArgumentError(entry, index)
           << "only ranked tensors and buffers of f16, f32, f64, i8, i16, i32, "
              "i64 and index can be made";
  const ArgumentShape *given =
      request.shapes ? &request.shapes->shapes[nextShaped] : nullptr;
  input = nextShaped < request.inputs.size() ? &request.inputs[nextShaped]
                                             : nullptr;
  ++nextShaped;
  if (input && input->kind != *kind)
    return emitArgumentError(entry, index)
           << "the input file holds elements of type "
           << ::dietcode::nameOf(input->kind);
  return layOutArgument(entry, index, request.variables, given, input);
}

FailureOr<RunArgument> ArgumentMaker::makeShaped(unsigned index,
                                                 ShapedType type) {
  FailureOr<ArgumentLayout> layout = layOut(index, type);
  if (failed(layout))
    return failure();
  RunArgument argument;
  argument.kind = *getElementKind(type.getElementType());
  Expected<HostTensor> tensor = HostTensor::create(
      argument.kind, std::move(layout->layout), layout->shift);
  if (!tensor)
    return emitArgumentError(entry, index) << tensor.error().message;
  if (input)
    tensor->fillFrom(*input);
  else
    tensor->fillRandom(request.seed * 1024 + index);
  argument.tensor = std::move(*tensor);
  return argument;
}

/// A scalar that is not given is 1.
FailureOr<RunArgument> ArgumentMaker::makeScalar(unsigned index, Type type) {
  std::optional<ElementKind> kind = getElementKind(type);
  if (!kind)
    return emitArgumentError(entry, index)
           << "arguments of this type cannot be made";
  double value = 1;
  if (request.shapes && nextScalar < request.shapes->scalars.size())
    value = request.shapes->scalars[nextScalar++];
  RunArgument argument;
  argument.kind = *kind;
  ::dietcode::storeElement(*kind, argument.scalar, value);
  return argument;
}

FailureOr<std::vector<RunArgument>> ArgumentMaker::run() {
  if (failed(checkCounts()))
    return failure();
  std::vector<RunArgument> arguments;
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    FailureOr<RunArgument> argument =
        shaped ? makeShaped(index, shaped) : makeScalar(index, type);
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

LogicalResult ArgumentMaker::checkOnly() {
  if (failed(checkCounts()))
    return failure();
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped ? failed(layOut(index, shaped))
               : failed(makeScalar(index, type)))
      return failure();
  }
  return success();
}

LogicalResult mlir::dietcode::checkRequest(func::FuncOp entry,
                                           const RunRequest &request) {
  return ArgumentMaker(entry, request).checkOnly();
}

FailureOr<std::vector<RunArgument>>
mlir::dietcode::makeArguments(func::FuncOp entry, const RunRequest &request) {
  return ArgumentMaker(entry, request).run();
}
