//===- Compiler.cpp - MLIR in, programs and explanations out --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation has a context of its own, so that threads do not wait for
// each other, and a forked process starts anew.
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Program.h"
#include "Workspace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace dietcode::python;

Workspace::Workspace(const std::string &text, const std::string &name) {
  check(dietcode_context_create(&context));
  dietcode_context_set_diagnostics(
      context,
      [](void *user, dietcode_severity severity, const char *text) {
        if (severity == DIETCODE_WARNING)
          static_cast<Workspace *>(user)->warnings.emplace_back(text);
      },
      this);
  dietcode_status status = dietcode_module_parse(
      context, text.data(), text.size(), name.c_str(), &module);
  if (status == DIETCODE_OK)
    return;
  Failure failure{status, dietcode_last_error()};
  dietcode_context_destroy(context);
  throw failure;
}

Workspace::~Workspace() {
  dietcode_module_destroy(module);
  dietcode_context_destroy(context);
}

std::string Workspace::print() {
  dietcode_text text = {};
  check(dietcode_module_print(module, &text));
  return take(text);
}

static std::string normalize(const std::string &text, const std::string &name) {
  nb::gil_scoped_release release;
  return Workspace(text, name).print();
}

static dietcode_explain_options
makeExplainOptions(const std::optional<std::string> &entry,
                   const std::optional<std::string> &records,
                   const std::optional<std::string> &model) {
  dietcode_explain_options options = DIETCODE_EXPLAIN_OPTIONS_INIT;
  options.entry = orNull(entry);
  options.records = orNull(records);
  options.model = orNull(model);
  return options;
}

static std::string overview(const std::string &text, const std::string &name,
                            const std::optional<std::string> &entry,
                            const std::optional<std::string> &records,
                            const std::optional<std::string> &model) {
  nb::gil_scoped_release release;
  Workspace workspace(text, name);
  dietcode_explain_options options = makeExplainOptions(entry, records, model);
  dietcode_text json = {};
  check(dietcode_module_overview(workspace.getModule(), &options, &json));
  return take(json);
}

static std::string explain(const std::string &text, const std::string &name,
                           const std::string &shape,
                           const std::optional<std::string> &entry,
                           const std::optional<std::string> &records,
                           const std::optional<std::string> &model) {
  nb::gil_scoped_release release;
  Workspace workspace(text, name);
  dietcode_explain_options options = makeExplainOptions(entry, records, model);
  dietcode_text json = {};
  check(dietcode_module_explain(workspace.getModule(), shape.c_str(), &options,
                                &json));
  return take(json);
}

static std::pair<std::shared_ptr<Program>, std::vector<std::string>>
compile(const std::string &text, const std::string &name,
        const std::optional<std::string> &entry,
        const std::optional<std::string> &chip, uint32_t maxKernels,
        double maxRegret, bool reportMisses) {
  nb::gil_scoped_release release;
  Workspace workspace(text, name);
  dietcode_compile_options options = DIETCODE_COMPILE_OPTIONS_INIT;
  options.entry = orNull(entry);
  options.chip = orNull(chip);
  options.max_kernels = maxKernels;
  options.max_regret = maxRegret;
  options.report_misses = reportMisses;
  dietcode_program *program = nullptr;
  check(dietcode_module_compile(workspace.getModule(), &options, &program));
  return {std::make_shared<Program>(program), workspace.takeWarnings()};
}

static std::shared_ptr<Program> load(const nb::bytes &bytes) {
  dietcode_program *program = nullptr;
  dietcode_status status;
  {
    nb::gil_scoped_release release;
    status = dietcode_program_load(bytes.data(), bytes.size(), &program);
  }
  check(status);
  return std::make_shared<Program>(program);
}

template <dietcode_status (*get)(dietcode_program *, dietcode_text *)>
static std::string getText(const Program &program) {
  dietcode_text text = {};
  check(get(program.get(), &text));
  return take(text);
}

template <dietcode_status (*get)(dietcode_program *, dietcode_text *)>
static nb::bytes getBytes(const Program &program) {
  std::string bytes = getText<get>(program);
  return nb::bytes(bytes.data(), bytes.size());
}

void dietcode::python::registerCompiler(nb::module_ &module) {
  module.def("normalize", normalize, nb::arg("text"), nb::arg("name"));
  module.def("explain", explain, nb::arg("text"), nb::arg("name"),
             nb::arg("shape"), nb::arg("entry").none(),
             nb::arg("records").none(), nb::arg("model").none());
  module.def("overview", overview, nb::arg("text"), nb::arg("name"),
             nb::arg("entry").none(), nb::arg("records").none(),
             nb::arg("model").none());
  module.def("compile", compile, nb::arg("text"), nb::arg("name"),
             nb::arg("entry").none(), nb::arg("chip").none(),
             nb::arg("max_kernels"), nb::arg("max_regret"),
             nb::arg("report_misses"));
  nb::class_<Program>(module, "Program")
      .def_static("load", load, nb::arg("data"))
      .def("describe", getText<dietcode_program_describe>)
      .def("ptx", getText<dietcode_program_ptx>)
      .def("header", getText<dietcode_program_header>)
      .def("object", getBytes<dietcode_program_object>)
      .def("save", getBytes<dietcode_program_save>);
}
