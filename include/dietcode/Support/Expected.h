//===- Expected.h - Values or errors without LLVM ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the LLVM-free half of the project returns errors: a value or one complete
// message that says what, where and what to do.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SUPPORT_EXPECTED_H
#define DIETCODE_SUPPORT_EXPECTED_H

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dietcode {

/// A message fit for a user: what is wrong, where, and what to do about it.
struct Error {
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Error>;

/// Returned as `return fail("...")` from a function with an Expected result.
inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

} // namespace dietcode

#endif // DIETCODE_SUPPORT_EXPECTED_H
