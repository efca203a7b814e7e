//===- Functions.h - What each function must compute ------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_MATH_FUNCTIONS_H
#define DIETCODE_TEST_UNIT_MATH_FUNCTIONS_H

#include <ostream>
#include <vector>

namespace dietcode {

using Real = long double; ///< Wide enough that its own errors do not count.

struct MathFunction {
  const char *name;
  /// Operations that define %y from %a and %b.
  const char *body;
  Real (*exact)(Real a, Real b);
  /// What is documented, in ulps of the exact result.
  double bound;
  /// Where the function is interesting; the whole range is tested, too.
  float first = -10, last = 10;
  bool isBinary = false;
  /// If set, an error counts in ulps of this where it is larger than the exact
  /// result: where a function has zeros that no number is near to, or is made
  /// of others whose results cancel.
  Real (*scale)(Real a) = nullptr;
  /// If set, arguments of a larger magnitude do not count.
  float domain = 0;
};

inline void PrintTo(const MathFunction &function, std::ostream *os) {
  *os << function.name;
}

/// What docs/math.md lists.
const std::vector<MathFunction> &mathFunctions();

/// Functions without any error.
const std::vector<MathFunction> &exactFunctions();

} // namespace dietcode

#endif // DIETCODE_TEST_UNIT_MATH_FUNCTIONS_H
