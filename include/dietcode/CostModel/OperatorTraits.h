//===- OperatorTraits.h - What sets operators of a kind apart ---*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records and models are shared by all operators of a kind. What else a kernel
// depends on than its schedule is its signature: element type, layouts,
// epilogue; never a shape.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_COSTMODEL_OPERATORTRAITS_H
#define DIETCODE_COSTMODEL_OPERATORTRAITS_H

#include "dietcode/Search/AddressNeeds.h"
#include "dietcode/Search/RowSchedule.h"
#include "dietcode/Support/Expected.h"

#include <string>
#include <string_view>

namespace dietcode {

/// The traits of an operator: of a contraction, unless it has those of one on
/// rows.
struct OperatorTraits {
  std::string kind = "matmul";
  std::string elementType = "f32";
  bool transposeA = false; ///< A is k x m.
  bool transposeB = false; ///< B is n x k.
  bool accumulate = false; ///< C is read, too.
  unsigned epilogueOperands = 0;
  std::string sumType; ///< Empty: what factors are summed up in by default.
  std::string outType; ///< Empty: that of the factors.
  std::optional<RowTraits> rows;
  /// Whether a schedule has registers for it depends on this, what it computes
  /// does not: it is no part of the signature.
  AddressNeeds addresses;

  /// Its name in records: "matmul f32 nt", with " acc" and " e2" for an
  /// accumulating one with two epilogue operands. Other types than those by
  /// default are part of the type: "f16->f32" writes f32, and "f16+f16" sums up
  /// in f16. An operator on rows is "rowwise f32 columns v4 c1 r2 p2 a2 b8 o9":
  /// how its elements lie, and the numbers of RowTraits in their order.
  std::string signature() const;

  std::string_view getSumType() const;
  std::string_view getOutType() const;

  /// What its micro-kernels may be built from.
  std::vector<Instruction> instructions() const {
    return rows ? std::vector<Instruction>{rows->instruction()}
                : instructionsFor(elementType, getSumType());
  }

  /// Bytes of an element of the factors, and of what is written.
  int factorBytes() const;
  int outBytes() const;

  friend bool operator==(const OperatorTraits &a, const OperatorTraits &b) {
    return a.signature() == b.signature();
  }
};

/// What factors of a type are summed up in unless the operator says otherwise:
/// floats and integers in 32 bits at least.
std::string_view defaultSumType(std::string_view factorType);

/// The inverse of `OperatorTraits::signature`.
Expected<OperatorTraits> parseSignature(std::string_view text);

} // namespace dietcode

#endif // DIETCODE_COSTMODEL_OPERATORTRAITS_H
