//===- Module.cpp - The extension dietcode._native ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Program.h"
#include "Results.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace dietcode::python;

NB_MODULE(_native, module) {
  // Frameworks hold kernels until the process ends, as torch.compile does.
  nb::set_leak_warnings(false);
  module.doc() = "DietCode's C interface; use the package dietcode.";
  registerFailures(module);
  registerResults(module);
  registerCompiler(module);
  registerFunctions(module);
  registerTuning(module);
  module.def("device_name", [] { return std::string(dietcode_device_name()); });
  module.def(
      "set_device",
      [](const std::string &name) { check(dietcode_set_device(name.c_str())); },
      nb::arg("name"));
}
