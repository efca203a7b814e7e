//===- Constraint.h - Limits with messages ----------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_SEARCH_CONSTRAINT_H
#define DIETCODE_LIB_SEARCH_CONSTRAINT_H

#include "dietcode/Search/Schedule.h"

namespace dietcode {

/// Why a constraint does not hold, as one complete sentence.
using Message = std::optional<std::string>;

/// One limit of what `Subject` describes.
template <typename Subject>
struct Constraint {
  std::string_view name;
  Message (*check)(const Subject &);
};

/// Of constraints in an order in which each may rely on those before it.
template <typename Subject, size_t count>
std::optional<Violation>
findViolation(const Constraint<Subject> (&constraints)[count],
              const Subject &subject) {
  for (const Constraint<Subject> &constraint : constraints)
    if (Message message = constraint.check(subject))
      return Violation{constraint.name, std::move(*message)};
  return std::nullopt;
}

template <typename Subject, size_t count>
std::vector<std::string_view>
namesOf(const Constraint<Subject> (&constraints)[count]) {
  std::vector<std::string_view> names;
  for (const Constraint<Subject> &constraint : constraints)
    names.push_back(constraint.name);
  return names;
}

inline std::string str(int64_t value) { return std::to_string(value); }

/// e.g. "the t4".
inline std::string textOf(const DeviceSpec &device) {
  return "the " + std::string(device.name);
}

inline bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

} // namespace dietcode

#endif // DIETCODE_LIB_SEARCH_CONSTRAINT_H
