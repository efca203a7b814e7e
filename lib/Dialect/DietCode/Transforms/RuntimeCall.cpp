//===- RuntimeCall.cpp - Calls of the runtime that carry a message --------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCall.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

std::string mlir::dietcode::getLocationPrefix(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
  return text;
}

Value mlir::dietcode::createRuntimeMessage(ImplicitLocOpBuilder &b,
                                           ModuleOp module, StringRef name,
                                           StringRef message) {
  std::string bytes = (message + StringRef("\0", 1)).str();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  OpBuilder detached(b.getContext());
  auto global = LLVM::GlobalOp::create(
      detached, b.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      name, b.getStringAttr(bytes));
  SymbolTable(module).insert(global, module.getBody()->begin());
  return LLVM::AddressOfOp::create(b, global);
}

void mlir::dietcode::declareRuntimeFunction(ModuleOp module, StringRef name,
                                            ArrayRef<Type> parameters) {
  if (module.lookupSymbol(name))
    return;
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  parameters));
}
