//===- FakeCuda.cpp - A CUDA driver without a GPU -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough of the driver API to see that it is called rightly: memory is the
// host's, and kernels do what their names say. FAKE_CUDA_PRODUCT and
// FAKE_CUDA_CAPABILITY say which GPU it is.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>

namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kNotFound = 500,
  kIllegalAddress = 700,
};

std::map<uint64_t, size_t> allocations;
int context = 0;
bool isCurrent = false;
/// An error of a kernel stays until the process ends.
int sticky = kSuccess;
int launches = 0;

const char *variable(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

bool holds(uint64_t pointer, size_t bytes) {
  auto at = allocations.upper_bound(pointer);
  return at != allocations.begin() &&
         pointer + bytes <= std::prev(at)->first + std::prev(at)->second;
}

struct FakeFunction {
  std::string name;
};

} // namespace

extern "C" {

/// As the driver, of no use in a process that is forked from one that has
/// initialised it.
int cuInit(unsigned) {
  constexpr int kNotInitialized = 3;
  static const pid_t first = ::getpid();
  return first == ::getpid() ? std::atoi(variable("FAKE_CUDA_INIT", "0"))
                             : kNotInitialized;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}
int cuDeviceGet(int *device, int index) {
  *device = index + 40;
  return kSuccess;
}
int cuDeviceGetName(char *name, int bytes, int) {
  std::strncpy(name, variable("FAKE_CUDA_PRODUCT", "Tesla T4"),
               static_cast<size_t>(bytes));
  return kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (device != 40)
    return kInvalidValue;
  int capability = std::atoi(variable("FAKE_CUDA_CAPABILITY", "75"));
  std::map<int, int> values = {{75, capability / 10},
                               {76, capability % 10},
                               {16, 10},
                               {36, 5000000},
                               {37, 256}};
  if (!values.count(attribute))
    return kInvalidValue;
  *value = values[attribute];
  return kSuccess;
}
int cuDevicePrimaryCtxRetain(void **result, int) {
  *result = &context;
  return kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
int cuCtxSetCurrent(void *current) {
  isCurrent = current == &context;
  return kSuccess;
}
int cuCtxSynchronize() { return sticky; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       const int *options, void **values) {
  if (!isCurrent)
    return kInvalidContext;
  auto *text = static_cast<const char *>(image);
  if (std::strstr(text, ".version")) {
    *module = new std::string(text);
    return kSuccess;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5)
      std::strcpy(static_cast<char *>(values[i]), "line 1; no version\n");
  return kInvalidPtx;
}
int cuModuleUnload(void *module) {
  delete static_cast<std::string *>(module);
  return kSuccess;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  std::string entry = std::string(".entry ") + name + "(";
  if (static_cast<std::string *>(module)->find(entry) == std::string::npos)
    return kNotFound;
  static std::map<std::string, FakeFunction> functions;
  FakeFunction &found = functions[name];
  found.name = name;
  *function = &found;
  return kSuccess;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 4 ? 77 : attribute == 1 ? 1024 : 0;
  return kSuccess;
}
int cuFuncSetAttribute(void *, int attribute, int bytes) {
  return attribute == 8 && bytes <= 65536 ? kSuccess : kInvalidValue;
}
int cuFuncGetParamInfo(void *, size_t index, size_t *offset, size_t *bytes) {
  if (index > 1)
    return kInvalidValue;
  *offset = 8 * index;
  *bytes = index == 0 ? 8 : 4;
  return kSuccess;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *,
                                                int threads, size_t) {
  *blocks = 1024 / threads;
  return kSuccess;
}

int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  if (bytes == 0)
    return kInvalidValue;
  if (bytes > size_t(1) << 30)
    return kOutOfMemory;
  *pointer = reinterpret_cast<uint64_t>(std::malloc(bytes));
  allocations[*pointer] = bytes;
  return kSuccess;
}
int cuMemFree_v2(unsigned long long pointer) {
  if (!allocations.erase(pointer))
    return kInvalidValue;
  std::free(reinterpret_cast<void *>(pointer));
  return kSuccess;
}
int cuMemsetD8_v2(unsigned long long pointer, unsigned char value,
                  size_t bytes) {
  if (!holds(pointer, bytes))
    return kInvalidValue;
  std::memset(reinterpret_cast<void *>(pointer), value, bytes);
  return kSuccess;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  if (!holds(to, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  if (!holds(from, bytes))
    return kInvalidValue;
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return kSuccess;
}

/// "add" adds its second parameter to the word that the first points to.
int cuLaunchKernel(void *function, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, unsigned, void *, void **params,
                   void **) {
  const std::string &name = static_cast<FakeFunction *>(function)->name;
  ++launches;
  if (name == "fault")
    sticky = kIllegalAddress;
  if (name == "add")
    **static_cast<uint32_t **>(params[0]) +=
        *static_cast<uint32_t *>(params[1]);
  return kSuccess;
}

int cuEventCreate(void **event, unsigned) {
  *event = new int(0);
  return kSuccess;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<int *>(event);
  return kSuccess;
}
int cuEventRecord(void *event, void *) {
  *static_cast<int *>(event) = launches;
  return kSuccess;
}
int cuEventSynchronize(void *) { return sticky; }
/// Only of two events with one launch in between.
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  if (*static_cast<int *>(end) != *static_cast<int *>(begin) + 1)
    return kInvalidValue;
  *milliseconds = 2;
  return kSuccess;
}

int cuGetErrorName(int result, const char **name) {
  *name = result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : result == kOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 100           ? "CUDA_ERROR_NO_DEVICE"
                                    : nullptr;
  return *name ? kSuccess : kInvalidValue;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == kIllegalAddress ? "an illegal memory access" : "a fault";
  return kSuccess;
}
}
