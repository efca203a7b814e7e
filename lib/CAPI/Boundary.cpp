//===- Boundary.cpp - Between C and the compiler --------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "dietcode/Runtime/Runtime.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace dietcode;
using namespace dietcode::capi;

/// The last error must be kept where there may be no memory for it.
static dietcode_status keep(const char *function, dietcode_status status,
                            const char *message) noexcept {
  try {
    runtime::setLastError(std::string(function) + ": " + message);
  } catch (...) {
    // So short a text needs no memory.
    runtime::setLastError("out of memory");
    return DIETCODE_OUT_OF_MEMORY;
  }
  return status;
}

dietcode_status capi::atBoundary(const char *function,
                                 FunctionRef<Outcome()> body) noexcept {
  try {
    Outcome outcome = body();
    if (outcome)
      return DIETCODE_OK;
    return keep(function, outcome.error().status,
                outcome.error().message.c_str());
  } catch (const std::bad_alloc &) {
    return keep(function, DIETCODE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return keep(function, DIETCODE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return keep(function, DIETCODE_INTERNAL_ERROR, "an unknown exception");
  }
}

dietcode_text capi::copyText(const std::string &text) {
  auto *data = static_cast<char *>(std::malloc(text.size() + 1));
  if (!data)
    throw std::bad_alloc();
  std::memcpy(data, text.c_str(), text.size() + 1);
  return {data, text.size()};
}

Outcome capi::checkStruct(const char *what, size_t size, size_t expected) {
  if (size == expected)
    return {};
  return failWith(DIETCODE_INVALID_ARGUMENT,
                  std::string(what) + ": struct_size is " +
                      std::to_string(size) + ", but this library knows " +
                      std::to_string(expected) +
                      "; start from the _INIT macro of the same release");
}

extern "C" DIETCODE_EXPORT void dietcode_text_release(dietcode_text *text) {
  if (!text)
    return;
  std::free(text->data);
  *text = {};
}
