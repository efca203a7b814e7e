//===- GuardedAccess.cpp - Accesses under a predicate ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

static constexpr unsigned kWordBits = 32;
static constexpr unsigned kMostWords = 4;

static unsigned getBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementTypeBitWidth();
  return type.getIntOrFloatBitWidth();
}

static LLVM::InlineAsmOp createAsm(ImplicitLocOpBuilder &b, TypeRange results,
                                   ValueRange operands, const std::string &text,
                                   const std::string &constraints) {
  return LLVM::InlineAsmOp::create(
      b, results, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

bool mlir::dietcode::canLoadWhere(Type type) {
  unsigned bits = getBits(type);
  return bits == kWordBits / 2 || bits == kWordBits || bits == 2 * kWordBits ||
         bits == kMostWords * kWordBits;
}

/// The last operands are what the results are if nothing is loaded.
Value mlir::dietcode::loadWhere(ImplicitLocOpBuilder &b, Type type,
                                Value condition, Value address) {
  unsigned bits = getBits(type), words = std::max(1u, bits / kWordBits);
  Type word = b.getIntegerType(std::min(bits, kWordBits));
  std::string outputs, ties, names;
  for (unsigned i = 0; i < words; ++i) {
    outputs += bits < kWordBits ? "=h," : "=r,";
    ties += "," + std::to_string(i);
    names += (i ? ", $" : "$") + std::to_string(i);
  }
  std::string width = "b" + std::to_string(std::min(bits, kWordBits));
  if (words > 1) {
    names = "{" + names + "}";
    width = "v" + std::to_string(words) + "." + width;
  }
  std::string text = "@$" + std::to_string(words + 1) + " ld.global." + width +
                     " " + names + ", [$" + std::to_string(words) + "];";
  SmallVector<Value> operands{address, condition};
  operands.append(words, arith::ConstantOp::create(b, b.getZeroAttr(word)));
  SmallVector<Type> fields(words, word);
  Type result = words == 1
                    ? word
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Value loaded =
      createAsm(b, result, operands, text, outputs + "l,b" + ties).getResult(0);
  if (words == 1 && !isa<VectorType>(type))
    return b.createOrFold<arith::BitcastOp>(type, loaded);
  SmallVector<Value> elements{loaded};
  if (words > 1)
    elements.clear();
  for (unsigned i = 0; words > 1 && i < words; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  Value all = vector::FromElementsOp::create(b, VectorType::get({words}, word),
                                             elements);
  return vector::BitCastOp::create(b, cast<VectorType>(type), all);
}

void mlir::dietcode::storePairWhere(ImplicitLocOpBuilder &b, Value condition,
                                    Value address, Value first, Value second) {
  createAsm(b, TypeRange(), {address, first, second, condition},
            "@$3 st.shared.v2.b64 [$0], {$1, $2};", "l,l,l,b,~{memory}");
}
