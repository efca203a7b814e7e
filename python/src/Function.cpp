//===- Function.cpp - Calls of compiled functions -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "DLPack.h"
#include "Failure.h"
#include "Program.h"
#include "Results.h"

#include <algorithm>
#include <cstring>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace dietcode::python;

namespace {

using Arguments = std::shared_ptr<Argument[]>;

/// A function of a program; any thread may call it.
class Function {
public:
  Function(std::shared_ptr<Program> program, std::string name,
           std::vector<Parameter> parameters, std::vector<Parameter> results,
           bool copiesReadOnly)
      : program(std::move(program)), name(std::move(name)),
        parameters(std::move(parameters)), results(std::move(results)),
        copiesReadOnly(copiesReadOnly) {}

  nb::object call(const nb::tuple &values, uintptr_t stream) const;

private:
  /// Where a result goes.
  union Slot {
    dietcode_tensor tensor;
    uint8_t i1;
    int64_t integer;
    uint16_t half;
    float f32;
    double f64;
  };

  void checkCount(size_t count) const;
  nb::object findImporter(const nb::tuple &values) const;
  nb::list takeOver(std::vector<Slot> &slots, const Arguments &arguments,
                    bool isOnCuda, void *stream) const;
  Result own(dietcode_tensor tensor, const Arguments &arguments, bool isOnCuda,
             void *stream) const;
  nb::object give(const nb::list &taken, nb::handle importer) const;

  std::shared_ptr<Program> program;
  std::string name;
  std::vector<Parameter> parameters, results;
  bool copiesReadOnly;
};

} // namespace

void Function::checkCount(size_t count) const {
  if (count == parameters.size())
    return;
  std::string names;
  for (const Parameter &parameter : parameters)
    names += (names.empty() ? "" : ", ") + parameter.name;
  raiseTypeError(name + "(" + names + ") takes " +
                 std::to_string(parameters.size()) + " arguments, got " +
                 std::to_string(count));
}

/// How the library of the first tensor that is not NumPy's takes results; None
/// if all are.
nb::object Function::findImporter(const nb::tuple &values) const {
  static auto *ofNumpy =
      new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  nb::object importer = nb::none();
  for (size_t i = 0; i < parameters.size() && importer.is_none(); ++i)
    if (parameters[i].isTensor && !values[i].type().is(*ofNumpy))
      importer = nb::module_::import_("dietcode._arrays")
                     .attr("importer_of")(values[i].type());
  return importer;
}

static nb::object giveScalar(dietcode_dtype dtype, const void *slot) {
  switch (dtype) {
  case DIETCODE_F16:
    return nb::module_::import_("dietcode._arrays")
        .attr("float16_of_bits")(*static_cast<const uint16_t *>(slot));
  case DIETCODE_BF16: {
    uint32_t bits = uint32_t(*static_cast<const uint16_t *>(slot)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return nb::float_(value);
  }
  case DIETCODE_F32:
    return nb::float_(*static_cast<const float *>(slot));
  case DIETCODE_F64:
    return nb::float_(*static_cast<const double *>(slot));
  case DIETCODE_I1:
    return nb::bool_(*static_cast<const uint8_t *>(slot) != 0);
  case DIETCODE_I8:
    return nb::int_(*static_cast<const int8_t *>(slot));
  case DIETCODE_I16:
    return nb::int_(*static_cast<const int16_t *>(slot));
  case DIETCODE_I32:
    return nb::int_(*static_cast<const int32_t *>(slot));
  case DIETCODE_I64:
    return nb::int_(*static_cast<const int64_t *>(slot));
  }
  return nb::none();
}

/// A function that returns an argument returns a view of it. On the host it
/// becomes a copy, since the argument may be a copy itself, or read-only.
Result Function::own(dietcode_tensor tensor, const Arguments &arguments,
                     bool isOnCuda, void *stream) const {
  auto *end = arguments.get() + parameters.size();
  bool isView = std::any_of(arguments.get(), end, [&](const Argument &one) {
    return tensor.data && one.contains(tensor.data);
  });
  if (isOnCuda)
    return Result(tensor, {kDLCUDA, currentCudaIndex()}, stream,
                  isView ? arguments : nullptr);
  if (!isView)
    return Result(tensor, {kDLCPU, 0}, stream);
  // The call has waited, since the argument is in memory of the host.
  dietcode_tensor copy = copyTensor(tensor);
  dietcode_tensor_release(&tensor);
  return Result(copy, {kDLCPU, 0}, nullptr);
}

/// What a call has returned, as objects that own it.
nb::list Function::takeOver(std::vector<Slot> &slots,
                            const Arguments &arguments, bool isOnCuda,
                            void *stream) const {
  nb::list taken;
  for (size_t i = 0; i < slots.size(); ++i)
    if (results[i].isTensor)
      taken.append(nb::cast(own(slots[i].tensor, arguments, isOnCuda, stream)));
    else
      taken.append(giveScalar(results[i].dtype, &slots[i]));
  return taken;
}

/// The same as arrays of the library of the arguments.
nb::object Function::give(const nb::list &taken, nb::handle importer) const {
  nb::list given;
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].isTensor)
      given.append(taken[i]);
    else if (importer.is_none())
      given.append(asNumpy(taken[i], results[i].dtype));
    else
      given.append(importer(taken[i]));
  if (results.empty())
    return nb::none();
  return results.size() == 1 ? nb::object(given[0])
                             : nb::object(nb::tuple(given));
}

nb::object Function::call(const nb::tuple &values, uintptr_t stream) const {
  size_t count = parameters.size();
  checkCount(values.size());
  CallOptions options;
  options.copiesReadOnly = copiesReadOnly;
  options.stream = reinterpret_cast<void *>(stream);
  // Whoever is the last to use them may not have the GIL.
  Arguments arguments(new Argument[count], [](Argument *array) {
    nb::gil_scoped_acquire acquire;
    delete[] array;
  });
  std::vector<const void *> pointers(count);
  bool isOnCuda = false;
  for (size_t i = 0; i < count; ++i) {
    arguments[i].import(parameters[i], values[i], options);
    pointers[i] = arguments[i].get();
    isOnCuda |= parameters[i].isTensor && arguments[i].isOnCuda();
  }
  std::vector<Slot> slots(results.size(), Slot{});
  std::vector<void *> targets;
  for (Slot &slot : slots)
    targets.push_back(&slot);
  dietcode_call_options given = {};
  given.struct_size = sizeof(given);
  // A caller that names a stream knows what is on it.
  given.asynchronous = stream != 0;
  // What the tensors are ready on; 1 is CUDA's legacy default stream.
  given.stream =
      isOnCuda && !stream ? reinterpret_cast<void *>(1) : options.stream;
  dietcode_status status;
  {
    nb::gil_scoped_release release;
    status =
        dietcode_program_call(program->get(), name.c_str(), pointers.data(),
                              count, targets.data(), targets.size(), &given);
  }
  check(status);
  nb::list taken = takeOver(slots, arguments, isOnCuda, options.stream);
  return give(taken, findImporter(values));
}

void dietcode::python::registerFunctions(nb::module_ &module) {
  nb::class_<Parameter>(module, "Parameter")
      .def(
          "__init__",
          [](Parameter *self, std::string name, const std::string &dtype,
             bool isTensor, std::vector<int64_t> sizes, std::string shape) {
            new (self) Parameter{std::move(name), dtypeOf(dtype), isTensor,
                                 std::move(sizes), std::move(shape)};
          },
          nb::arg("name"), nb::arg("dtype"), nb::arg("is_tensor"),
          nb::arg("sizes"), nb::arg("shape_text"));
  nb::class_<Function>(module, "Function")
      .def(nb::init<std::shared_ptr<Program>, std::string,
                    std::vector<Parameter>, std::vector<Parameter>, bool>(),
           nb::arg("program"), nb::arg("name"), nb::arg("parameters"),
           nb::arg("results"), nb::arg("copies_read_only"))
      .def("call", &Function::call, nb::arg("values"), nb::arg("stream"));
}
