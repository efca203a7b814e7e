//===- Failure.cpp - Failures of the C interface as exceptions ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

namespace nb = nanobind;
using namespace dietcode::python;

void dietcode::python::check(dietcode_status status) {
  if (status != DIETCODE_OK)
    throw Failure{status, dietcode_last_error()};
}

/// dietcode.errors has a class for each status.
void dietcode::python::setError(const Failure &failure) {
  nb::object type = nb::module_::import_("dietcode.errors")
                        .attr("of_status")(int(failure.status));
  nb::str message(failure.message.c_str(), failure.message.size());
  PyErr_SetObject(type.ptr(), message.ptr());
}

static void translate(const std::exception_ptr &exception, void *) {
  try {
    std::rethrow_exception(exception);
  } catch (const Failure &failure) {
    setError(failure);
  }
}

void dietcode::python::registerFailures(nb::module_ &) {
  nb::register_exception_translator(translate);
}

void dietcode::python::raiseTypeError(const std::string &message) {
  throw nb::type_error(message.c_str());
}

void dietcode::python::raiseValueError(const std::string &message) {
  throw nb::value_error(message.c_str());
}

std::string dietcode::python::take(dietcode_text &text) {
  std::string copy(text.data ? text.data : "", text.length);
  dietcode_text_release(&text);
  return copy;
}
