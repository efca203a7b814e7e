//===- Results.cpp - Tensors that calls return ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "DLPack.h"
#include "Failure.h"
#include "Signature.h"

#include <nanobind/stl/pair.h>
#include <vector>

namespace nb = nanobind;
using namespace dietcode::python;

Result::Result(const dietcode_tensor &taken, std::pair<int, int> device,
               void *stream, std::shared_ptr<void> holder)
    : device(device), pending(stream) {
  tensor.reset(new dietcode_tensor(taken),
               [holder = std::move(holder)](dietcode_tensor *owned) {
                 dietcode_tensor_release(owned);
                 delete owned;
               });
}

void Result::wait() const {
  if (!pending)
    return;
  dietcode_status status;
  {
    nb::gil_scoped_release release;
    status = dietcode_synchronize(pending);
  }
  check(status);
  pending = nullptr;
}

namespace {

/// What a copy consists of.
struct Copy {
  std::vector<int64_t> extents;
  std::vector<char> bytes;
};

} // namespace

dietcode_tensor dietcode::python::copyTensor(const dietcode_tensor &tensor) {
  auto made = std::make_unique<Copy>();
  auto rank = static_cast<size_t>(tensor.rank);
  made->extents.assign(tensor.sizes, tensor.sizes + rank);
  made->extents.insert(made->extents.end(), tensor.strides,
                       tensor.strides + rank);
  int64_t last = 0;
  for (size_t i = 0; i < rank; ++i)
    last += (tensor.sizes[i] - 1) * tensor.strides[i];
  auto *data = static_cast<const char *>(tensor.data);
  made->bytes.assign(data, data + (last + 1) * bytesOf(tensor.dtype));
  dietcode_tensor copy = tensor;
  copy.data = made->bytes.data();
  copy.sizes = made->extents.data();
  copy.strides = made->extents.data() + rank;
  copy.owner = made.release();
  copy.release = [](dietcode_tensor *self) {
    delete static_cast<Copy *>(self->owner);
    *self = {};
  };
  return copy;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Of the module struct; bfloat16 as its bits.
static const char *formatOf(dietcode_dtype dtype) {
  static constexpr const char *formats[] = {"",  "e", "H", "f", "d",
                                            "?", "b", "h", "i", "q"};
  return formats[dtype];
}

int Result::fillBuffer(PyObject *self, Py_buffer *view, int flags) const {
  int64_t bytes = bytesOf(tensor->dtype), length = bytes;
  auto rank = static_cast<size_t>(tensor->rank);
  // Sizes, then strides in bytes, as long as the buffer is held.
  auto *extents = new Py_ssize_t[2 * rank + 1];
  for (size_t i = 0; i < rank; ++i) {
    extents[i] = tensor->sizes[i];
    extents[rank + i] = tensor->strides[i] * bytes;
    length *= tensor->sizes[i];
  }
  static char nothing[16];
  *view = {};
  view->buf = tensor->data ? tensor->data : nothing;
  view->obj = Py_NewRef(self);
  view->len = length;
  view->itemsize = bytes;
  view->ndim = tensor->rank;
  if (flags & PyBUF_FORMAT)
    view->format = const_cast<char *>(formatOf(tensor->dtype));
  view->shape = extents;
  view->strides = extents + rank;
  view->internal = extents;
  return 0;
}

static int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto *result = nb::inst_ptr<Result>(self);
  try {
    result->wait();
  } catch (const Failure &failure) {
    setError(failure);
    return -1;
  }
  return result->fillBuffer(self, view, flags);
}

static void releaseBuffer(PyObject *, Py_buffer *view) {
  delete[] static_cast<Py_ssize_t *>(view->internal);
}

nb::object dietcode::python::asNumpy(const nb::object &result,
                                     dietcode_dtype dtype) {
  static auto *asArray =
      new nb::object(nb::module_::import_("numpy").attr("asarray"));
  nb::object array = (*asArray)(result);
  if (dtype != DIETCODE_BF16)
    return array;
  return nb::module_::import_("dietcode._arrays").attr("as_bfloat16")(array);
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {

/// What a capsule points to.
struct Export {
  DLManagedTensor managed = {};
  std::shared_ptr<dietcode_tensor> tensor;
};

} // namespace

static DLDataType dataTypeOf(dietcode_dtype dtype) {
  auto bits = static_cast<uint8_t>(8 * bytesOf(dtype));
  if (dtype == DIETCODE_BF16)
    return {kDLBfloat, bits, 1};
  if (dtype == DIETCODE_I1)
    return {kDLBool, bits, 1};
  return {dtype < DIETCODE_I1 ? kDLFloat : kDLInt, bits, 1};
}

/// Only of a capsule that nobody took.
static void destroyCapsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor"))
    return;
  auto *managed =
      static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

/// What is behind the result on its own stream needs not wait; nor does who
/// says so by -1. None means the legacy default stream, which is 1.
nb::object Result::exportCapsule(nb::handle stream) const {
  int64_t number = stream.is_none() ? 1 : nb::cast<int64_t>(stream);
  if (number != -1 && number != reinterpret_cast<intptr_t>(pending))
    wait();
  auto made = std::make_unique<Export>();
  made->tensor = tensor;
  DLTensor &to = made->managed.dl_tensor;
  to.data = tensor->data;
  to.device = {device.first, device.second};
  to.ndim = tensor->rank;
  to.dtype = dataTypeOf(tensor->dtype);
  to.shape = const_cast<int64_t *>(tensor->sizes);
  to.strides = const_cast<int64_t *>(tensor->strides);
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<Export *>(self->manager_ctx);
  };
  nb::object capsule =
      nb::steal(PyCapsule_New(&made->managed, "dltensor", destroyCapsule));
  if (capsule.is_valid())
    made.release();
  return capsule;
}

void dietcode::python::registerResults(nb::module_ &module) {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
      {0, nullptr}};
  nb::class_<Result>(module, "Result", nb::type_slots(slots))
      .def("__dlpack_device__", &Result::getDevice)
      .def(
          "__dlpack__",
          [](const Result &self, const nb::object &stream, const nb::kwargs &) {
            return self.exportCapsule(stream);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("kwargs"));
}
