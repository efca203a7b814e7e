//===- Signature.cpp - Functions as C sees them ---------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Artefact/Signature.h"

#include "dietcode/Runtime/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::dietcode;

/// The keywords of C and C++, and main, which a library must not define.
static const llvm::StringSet<> &reservedNames() {
  static const llvm::StringSet<> names = {
      "alignas",  "alignof",   "and",      "and_eq",    "asm",       "auto",
      "bitand",   "bitor",     "bool",     "break",     "case",      "catch",
      "char",     "class",     "compl",    "const",     "constexpr", "continue",
      "decltype", "default",   "delete",   "do",        "double",    "else",
      "enum",     "explicit",  "export",   "extern",    "false",     "float",
      "for",      "friend",    "goto",     "if",        "inline",    "int",
      "long",     "main",      "mutable",  "namespace", "new",       "noexcept",
      "not",      "not_eq",    "nullptr",  "operator",  "or",        "or_eq",
      "private",  "protected", "public",   "register",  "requires",  "restrict",
      "return",   "short",     "signed",   "sizeof",    "static",    "struct",
      "switch",   "template",  "this",     "throw",     "true",      "try",
      "typedef",  "typeid",    "typename", "typeof",    "union",     "unsigned",
      "using",    "virtual",   "void",     "volatile",  "wchar_t",   "while",
      "xor",      "xor_eq"};
  return names;
}

/// Why C cannot call a function `name`; empty if it can.
static StringRef findFaultWithName(StringRef name) {
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    return "is no identifier of C";
  if (reservedNames().contains(name))
    return "is reserved in C or C++";
  if (name.starts_with("dietcode") || name.starts_with("mgpu") ||
      name.starts_with("_"))
    return "may be a function of the runtime";
  return "";
}

static std::optional<dietcode_dtype> getDtype(Type type) {
  if (type.isIndex())
    return DIETCODE_I64;
  std::string name = llvm::to_string(type);
  for (const ::dietcode::runtime::ElementType &known :
       ::dietcode::runtime::elementTypes)
    if (name == known.name)
      return known.dtype;
  return std::nullopt;
}

/// Null if C cannot pass a value of this type.
static std::optional<EntryValue> readValue(Type type) {
  EntryValue value;
  auto shaped = dyn_cast<ShapedType>(type);
  value.isTensor = static_cast<bool>(shaped);
  std::optional<dietcode_dtype> dtype =
      getDtype(shaped ? shaped.getElementType() : type);
  if (!dtype || isa<VectorType>(type) || (shaped && !shaped.hasRank()))
    return std::nullopt;
  value.dtype = *dtype;
  if (!shaped)
    return value;
  value.sizes.assign(shaped.getShape().begin(), shaped.getShape().end());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getEncoding())
    return std::nullopt;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return value;
  if (memref.getMemorySpace())
    return std::nullopt;
  if (memref.getLayout().isIdentity())
    return value;
  value.strides.emplace();
  if (failed(memref.getStridesAndOffset(*value.strides, value.offset)))
    return std::nullopt;
  return value;
}

static LogicalResult readValues(func::FuncOp function, bool isResult,
                                SmallVectorImpl<EntryValue> &values) {
  TypeRange types =
      isResult ? function.getResultTypes() : function.getArgumentTypes();
  for (auto [index, type] : llvm::enumerate(types)) {
    std::optional<EntryValue> value = readValue(type);
    if (!value)
      return function.emitError()
             << (isResult ? "result " : "argument ") << index << " of '"
             << function.getSymName() << "' is of type " << type
             << ", which has no counterpart in C; use a ranked tensor or "
                "memref in the default memory space, or a scalar, of i1, i8, "
                "i16, i32, i64, index, f16, bf16, f32 or f64";
    values.push_back(std::move(*value));
  }
  return success();
}

FailureOr<EntrySignature> mlir::dietcode::readSignature(func::FuncOp function) {
  EntrySignature signature;
  signature.name = function.getSymName().str();
  StringRef fault = findFaultWithName(signature.name);
  if (!fault.empty())
    return function.emitError()
           << "'" << signature.name << "' " << fault
           << "; rename the function, make it private, or choose other "
              "entries";
  llvm::raw_string_ostream(signature.type) << function.getFunctionType();
  if (failed(readValues(function, /*isResult=*/false, signature.arguments)) ||
      failed(readValues(function, /*isResult=*/true, signature.results)))
    return failure();
  return signature;
}

FailureOr<std::vector<EntrySignature>>
mlir::dietcode::readSignatures(ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function || function.isExternal())
      return emitError(module.getLoc())
             << "there is no function @" << name << " with a body";
  }
  std::vector<EntrySignature> signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = names.empty()
                       ? function.isPublic()
                       : llvm::is_contained(names, function.getSymName());
    if (!isEntry || function.isExternal())
      continue;
    FailureOr<EntrySignature> signature = readSignature(function);
    if (failed(signature))
      return failure();
    signatures.push_back(std::move(*signature));
  }
  if (signatures.empty())
    return emitError(module.getLoc())
           << "the module has no public function with a body to compile";
  return signatures;
}
