//===- Workspace.h - A context and a module in it ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_PYTHON_WORKSPACE_H
#define DIETCODE_PYTHON_WORKSPACE_H

#include "dietcode-c/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace dietcode::python {

class Workspace {
public:
  /// Parses a text, which messages call `name`.
  Workspace(const std::string &text, const std::string &name);
  ~Workspace();
  Workspace(const Workspace &) = delete;

  dietcode_module *getModule() const { return module; }
  std::string print();
  /// What the compiler has warned of so far.
  std::vector<std::string> takeWarnings() { return std::move(warnings); }

private:
  dietcode_context *context = nullptr;
  dietcode_module *module = nullptr;
  std::vector<std::string> warnings;
};

inline const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

} // namespace dietcode::python

#endif // DIETCODE_PYTHON_WORKSPACE_H
