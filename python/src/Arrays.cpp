//===- Arrays.cpp - Tensors of other libraries ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is rare - copies, messages, bfloat16 of NumPy - is left to Python, in
// dietcode._arrays.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "DLPack.h"
#include "Failure.h"

#include <cstring>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <optional>

namespace nb = nanobind;
using namespace dietcode::python;

/// dietcode_dtypes, by number.
static constexpr struct {
  const char *name;
  int64_t bytes;
} dtypes[] = {{"nothing", 0}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4},
              {"float64", 8}, {"bool", 1},    {"int8", 1},     {"int16", 2},
              {"int32", 4},   {"int64", 8}};

const char *dietcode::python::nameOf(dietcode_dtype dtype) {
  return dtypes[dtype].name;
}

int64_t dietcode::python::bytesOf(dietcode_dtype dtype) {
  return dtypes[dtype].bytes;
}

std::string dietcode::python::printShape(const int64_t *sizes, size_t rank) {
  std::string text = "(";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + (sizes[i] < 0 ? "?" : std::to_string(sizes[i]));
  return text + (rank == 1 ? ",)" : ")");
}

dietcode_dtype dietcode::python::dtypeOf(const std::string &name) {
  int dtype = DIETCODE_F16;
  for (; dtype < DIETCODE_I64 && name != dtypes[dtype].name; ++dtype)
    ;
  return static_cast<dietcode_dtype>(dtype);
}

int dietcode::python::currentCudaIndex() {
  int index = -1;
  std::sscanf(dietcode_device_name(), "cuda:%d", &index);
  return index;
}

static nb::object helper(const char *name) {
  return nb::module_::import_("dietcode._arrays").attr(name);
}

/// How messages begin.
static std::string argument(const Parameter &parameter) {
  return "argument '" + parameter.name + "' ";
}

[[noreturn]] static void raiseNoArray(const Parameter &parameter,
                                      nb::handle value) {
  raiseTypeError(argument(parameter) + "is " +
                 nb::cast<std::string>(helper("describe")(value)) +
                 "; expected an array of " + nameOf(parameter.dtype) +
                 " with shape " + parameter.shapeText);
}

[[noreturn]] static void raiseWrongDtype(const Parameter &parameter,
                                         const std::string &dtype) {
  raiseTypeError(argument(parameter) + "has elements of " + dtype +
                 " instead of " + nameOf(parameter.dtype) +
                 "; convert it, e.g. with .astype(\"" +
                 nameOf(parameter.dtype) + "\")");
}

/// Of an array for which there is no dietcode_dtype.
static std::string dtypeName(nb::handle value) {
  return nb::cast<std::string>(helper("dtype_name")(value));
}

Argument::~Argument() { release(); }

void Argument::release() {
  if (hasBuffer)
    PyBuffer_Release(&buffer);
  hasBuffer = false;
  if (managed && managed->deleter)
    managed->deleter(managed);
  managed = nullptr;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static uint16_t roundToBfloat16(double value) {
  auto narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof(bits));
  if (narrow != narrow)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

static int64_t importInteger(const Parameter &parameter, nb::handle value) {
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    raiseTypeError(argument(parameter) + "is " +
                   nb::cast<std::string>(helper("describe")(value)) +
                   "; expected an integer");
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  int64_t bits = 8 * bytesOf(parameter.dtype);
  bool isBool = parameter.dtype == DIETCODE_I1;
  int64_t high = isBool ? 1 : INT64_MAX >> (64 - bits);
  int64_t low = isBool ? 0 : -high - 1;
  if (overflow || number < low || number > high)
    raiseValueError(argument(parameter) + "is " +
                    nb::cast<std::string>(nb::str(value)) +
                    ", which is not in [" + std::to_string(low) + ", " +
                    std::to_string(high) + "]");
  return number;
}

void Argument::importScalar(const Parameter &parameter, nb::handle value) {
  pointer = &scalar;
  if (parameter.dtype >= DIETCODE_I1) {
    scalar.i64 = importInteger(parameter, value); // Little-endian.
    return;
  }
  double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    raiseTypeError(argument(parameter) + "is " +
                   nb::cast<std::string>(helper("describe")(value)) +
                   "; expected a number");
  }
  if (parameter.dtype == DIETCODE_F64)
    scalar.f64 = number;
  else if (parameter.dtype == DIETCODE_F32)
    scalar.f32 = static_cast<float>(number);
  else if (parameter.dtype == DIETCODE_BF16)
    scalar.half = roundToBfloat16(number);
  else
    scalar.half = nb::cast<uint16_t>(helper("bits_of_float16")(number));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Argument::checkTensor(const Parameter &parameter,
                           dietcode_dtype dtype) const {
  if (dtype != parameter.dtype)
    raiseWrongDtype(parameter, nameOf(dtype));
  auto rank = static_cast<size_t>(tensor.rank);
  std::string shape;
  if (rank != parameter.sizes.size())
    raiseValueError(argument(parameter) + "has shape " +
                    printShape(tensor.sizes, rank) + " of rank " +
                    std::to_string(rank) + "; expected " + parameter.shapeText +
                    " of rank " + std::to_string(parameter.sizes.size()));
  for (size_t dim = 0; dim < rank; ++dim)
    if (parameter.sizes[dim] >= 0 && parameter.sizes[dim] != tensor.sizes[dim])
      raiseValueError(
          argument(parameter) + "has shape " + printShape(tensor.sizes, rank) +
          "; expected " + parameter.shapeText + ": dimension " +
          std::to_string(dim) + " is " + std::to_string(tensor.sizes[dim]) +
          " instead of " + std::to_string(parameter.sizes[dim]));
}

/// Whether it is laid out in C order, and aligned to its elements.
bool Argument::isDense() const {
  int64_t bytes = bytesOf(tensor.dtype), expected = 1;
  for (int32_t dim = tensor.rank; dim-- > 0;) {
    if (tensor.sizes[dim] == 0)
      return true;
    if (tensor.strides && tensor.sizes[dim] != 1 &&
        tensor.strides[dim] != expected)
      return false;
    expected *= tensor.sizes[dim];
  }
  return reinterpret_cast<uintptr_t>(tensor.data) % uintptr_t(bytes) == 0;
}

bool Argument::contains(const void *data) const {
  int64_t bytes = bytesOf(tensor.dtype);
  for (int32_t dim = 0; dim < tensor.rank; ++dim)
    bytes *= tensor.sizes[dim];
  auto *first = static_cast<const char *>(tensor.data);
  return pointer == &tensor && data >= first && data < first + bytes;
}

void Argument::import(const Parameter &parameter, nb::handle value,
                      const CallOptions &options) {
  if (!parameter.isTensor)
    return importScalar(parameter, value);
  pointer = &tensor;
  if (PyObject_CheckBuffer(value.ptr()))
    importBuffer(parameter, value, options);
  else if (PyObject_HasAttrString(value.ptr(), "__dlpack__"))
    importDLPack(parameter, value, options);
  else
    raiseNoArray(parameter, value);
  // Strides of dimensions of size one may be anything.
  tensor.strides = nullptr;
}

/// Imports what a helper makes of it.
void Argument::importCopy(const Parameter &parameter, nb::handle value,
                          const char *how) {
  nb::object made = helper(how)(value);
  release();
  CallOptions options;
  options.copiesReadOnly = false;
  import(parameter, made, options);
  copy = std::move(made);
}

/// Nothing for what the C interface has no name for; `isSwapped` is whether the
/// bytes are in the other order.
static std::optional<dietcode_dtype> readFormat(const Py_buffer &buffer,
                                                bool &isSwapped) {
  const char *format = buffer.format ? buffer.format : "B";
  isSwapped = *format == '>' || *format == '!';
  if (std::strchr("@=<>!", *format))
    ++format;
  if (!*format || format[1])
    return std::nullopt;
  if (*format == 'e')
    return DIETCODE_F16;
  if (*format == 'f')
    return DIETCODE_F32;
  if (*format == 'd')
    return DIETCODE_F64;
  if (*format == '?')
    return DIETCODE_I1;
  if (!std::strchr("bhilqn", *format))
    return std::nullopt;
  switch (buffer.itemsize) {
  case 1:
    return DIETCODE_I8;
  case 2:
    return DIETCODE_I16;
  case 4:
    return DIETCODE_I32;
  case 8:
    return DIETCODE_I64;
  }
  return std::nullopt;
}

/// False where the value is to be copied by NumPy first.
bool Argument::takeBuffer(const Parameter &parameter, nb::handle value) {
  bool isSwapped = false;
  std::optional<dietcode_dtype> dtype = readFormat(buffer, isSwapped);
  // NumPy has no buffers of bfloat16: these are its bits.
  if (parameter.dtype == DIETCODE_BF16 && buffer.format &&
      !std::strcmp(buffer.format, "H") && hasBits)
    dtype = DIETCODE_BF16;
  if (!dtype)
    raiseWrongDtype(parameter, dtypeName(value));
  tensor.data = buffer.buf;
  tensor.dtype = *dtype;
  tensor.rank = buffer.ndim;
  extents.assign(buffer.shape, buffer.shape + buffer.ndim);
  bool isMultiple = true;
  for (int i = 0; i < buffer.ndim; ++i) {
    isMultiple &= buffer.strides[i] % buffer.itemsize == 0;
    extents.push_back(buffer.strides[i] / buffer.itemsize);
  }
  tensor.sizes = extents.data();
  tensor.strides = extents.data() + buffer.ndim;
  checkTensor(parameter, *dtype);
  return !isSwapped && isMultiple && isDense();
}

void Argument::importBuffer(const Parameter &parameter, nb::handle value,
                            const CallOptions &options) {
  if (PyObject_GetBuffer(value.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    nb::object bits = helper("bits_of_bfloat16")(value);
    if (bits.is_none() || parameter.dtype != DIETCODE_BF16)
      raiseWrongDtype(parameter, dtypeName(value));
    hasBits = true;
    return importBuffer(parameter, bits, options);
  }
  hasBuffer = true;
  if (!takeBuffer(parameter, value))
    return importCopy(parameter, value, "dense");
  if (buffer.readonly && options.copiesReadOnly)
    return importCopy(parameter, value, "copied");
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

static std::optional<dietcode_dtype> readDtype(DLDataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  if (type.code == kDLBfloat && type.bits == 16)
    return DIETCODE_BF16;
  if (type.code == kDLBool && type.bits == 8)
    return DIETCODE_I1;
  switch (type.bits | type.code << 8) {
  case 16 | kDLFloat << 8:
    return DIETCODE_F16;
  case 32 | kDLFloat << 8:
    return DIETCODE_F32;
  case 64 | kDLFloat << 8:
    return DIETCODE_F64;
  case 8:
    return DIETCODE_I8;
  case 16:
    return DIETCODE_I16;
  case 32:
    return DIETCODE_I32;
  case 64:
    return DIETCODE_I64;
  }
  return std::nullopt;
}

/// The capsule of a tensor, which is ready on `stream`.
static nb::object exportTensor(const Parameter &parameter, nb::handle value,
                               bool isOnCuda, void *stream) {
  try {
    nb::object function = value.attr("__dlpack__");
    if (!isOnCuda)
      return function();
    // The legacy default stream is 1.
    auto number = reinterpret_cast<intptr_t>(stream);
    return function(nb::arg("stream") = number ? number : 1);
  } catch (nb::python_error &error) {
    std::string why = nb::cast<std::string>(nb::str(error.value()));
    raiseTypeError(argument(parameter) +
                   "cannot be shared through DLPack: " + why);
  }
}

void Argument::importDLPack(const Parameter &parameter, nb::handle value,
                            const CallOptions &options) {
  auto [kind, index] = nb::cast<std::pair<int, int>>(
      nb::object(value.attr("__dlpack_device__")()));
  bool isOnHost = kind == kDLCPU || kind == kDLCUDAHost;
  if (!isOnHost && kind != kDLCUDA && kind != kDLCUDAManaged)
    raiseValueError(argument(parameter) + "is on a device of DLPack's kind " +
                    std::to_string(kind) + "; only CPU and CUDA are known");
  if (!isOnHost && currentCudaIndex() < 0)
    raiseValueError(argument(parameter) + "is on CUDA device " +
                    std::to_string(index) + ", but kernels run on " +
                    dietcode_device_name() +
                    "; move it to the CPU, or choose the device first");
  nb::object capsule =
      exportTensor(parameter, value, !isOnHost, options.stream);
  managed = static_cast<DLManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed)
    throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  const DLTensor &from = managed->dl_tensor;
  std::optional<dietcode_dtype> dtype = readDtype(from.dtype);
  if (!dtype)
    raiseWrongDtype(parameter, "DLPack's type " +
                                   std::to_string(from.dtype.code) + " of " +
                                   std::to_string(from.dtype.bits) + " bits");
  tensor.data = static_cast<char *>(from.data) + from.byte_offset;
  tensor.dtype = *dtype;
  tensor.rank = from.ndim;
  tensor.sizes = from.shape;
  tensor.strides = from.strides;
  tensor.memory = isOnHost ? DIETCODE_HOST : DIETCODE_DEVICE;
  checkTensor(parameter, *dtype);
  if (isDense())
    return;
  if (!isOnHost)
    raiseValueError(argument(parameter) +
                    "is on the GPU and not dense in C order; copy it, e.g. "
                    "with .contiguous()");
  importCopy(parameter, value, "dense");
}
