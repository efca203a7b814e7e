//===- FakeCuda.cpp - A CUDA driver without a GPU -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough of the driver API to see that it is called rightly: memory is the
// host's, and kernels do what their names say, which is mostly nothing.
// FAKE_CUDA_PRODUCT and FAKE_CUDA_CAPABILITY say which GPU it is,
// FAKE_CUDA_FAIL is function:nth:result, as fakeCudaFail has them, and while
// one process uses the GPU there is the file FAKE_CUDA_LOCK, and no other can.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fake {

static int theContext = 0;
static thread_local std::vector<void *> contexts; ///< The current one last.

State &state() {
  static auto *state = new State;
  return *state;
}

const char *variable(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

/// Once, what FAKE_CUDA_FAIL says.
static void readEnvironment(State &state) {
  static bool isRead = false;
  std::string text = variable("FAKE_CUDA_FAIL", "");
  if (isRead || text.empty())
    return;
  isRead = true;
  size_t first = text.find(':'), second = text.find(':', first + 1);
  state.failing = text.substr(0, first);
  state.failsIn = std::atoi(text.c_str() + first + 1);
  state.failsWith = std::atoi(text.c_str() + second + 1);
}

thread_local int Inside::depth = 0;

/// Whether this process is forked from one that has initialised the driver.
static bool isForked() {
  static const pid_t first = ::getpid();
  return first != ::getpid();
}

int enter(const char *function, bool needsContext) {
  State &s = state();
  if (isForked())
    return kNotInitialized;
  readEnvironment(s);
  ++s.counts.calls;
  if (s.failsIn && (s.failing == "*" || s.failing == function) &&
      --s.failsIn == 0)
    return s.failsWith;
  if (s.sticky && needsContext)
    return s.sticky;
  bool isCurrent = !contexts.empty() && contexts.back() == &theContext;
  return needsContext && !isCurrent ? kInvalidContext : kSuccess;
}

namespace {

struct FakeFunction {
  std::string name;
  std::vector<size_t> params; ///< Their sizes.
};

struct FakeModule {
  std::string text;
  std::map<std::string, std::unique_ptr<FakeFunction>> functions;
};

/// From ".entry name(.param .u64 a, ...)"; where no parenthesis ends it, those
/// of "add".
std::vector<size_t> readParams(const std::string &text, size_t at) {
  size_t end = text.find(')', at);
  if (end == std::string::npos)
    return {8, 4};
  std::vector<size_t> sizes;
  for (; (at = text.find(".param", at)) < end; ++at) {
    size_t width = text.find_first_of("0123456789", at);
    sizes.push_back(std::strtoul(text.c_str() + width, nullptr, 10) / 8);
  }
  return sizes;
}

} // namespace
} // namespace fake

using namespace fake;

extern "C" {

FakeCounts fakeCudaCounts() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().counts;
}
void fakeCudaFail(const char *function, int nth, int result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().failing = function;
  state().failsIn = nth;
  state().failsWith = result;
}
void fakeCudaSetSticky(int result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().sticky = result;
}
void fakeCudaSetLaunchMicroseconds(int microseconds) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().launchTime = std::chrono::microseconds(microseconds);
}
void fakeCudaSetMemory(int64_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().memoryBytes = bytes;
}

bool fakeCudaIsInside() { return Inside::depth > 0; }

int cuInit(unsigned) {
  return isForked() ? kNotInitialized
                    : std::atoi(variable("FAKE_CUDA_INIT", "0"));
}
int cuDriverGetVersion(int *version) {
  *version = 12020;
  return kSuccess;
}
int cuDeviceGetCount(int *count) {
  *count = std::atoi(variable("FAKE_CUDA_DEVICES", "1"));
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
int cuDeviceGetPCIBusId(char *name, int bytes, int) {
  std::strncpy(name, "0000:3B:00.0", static_cast<size_t>(bytes));
  return kSuccess;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (device != 40)
    return kInvalidValue;
  int capability = std::atoi(variable("FAKE_CUDA_CAPABILITY", "75"));
  int pageable = std::atoi(variable("FAKE_CUDA_PAGEABLE", "0"));
  int managed = std::atoi(variable("FAKE_CUDA_MANAGED", "1"));
  const std::pair<int, int> values[] = {{75, capability / 10},
                                        {76, capability % 10},
                                        {16, 10},
                                        {36, 5000000},
                                        {37, 256},
                                        {83, managed},
                                        {88, pageable},
                                        {91, 1}};
  for (auto [known, answer] : values)
    if (known == attribute) {
      *value = answer;
      return kSuccess;
    }
  return kInvalidValue;
}

int cuDevicePrimaryCtxRetain(void **result, int) {
  ENTER(false);
  const char *exclusive = std::getenv("FAKE_CUDA_LOCK");
  if (exclusive && ::open(exclusive, O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0)
    return kDeviceUnavailable;
  ++state().counts.contexts;
  *result = &theContext;
  return kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER(false);
  if (const char *exclusive = std::getenv("FAKE_CUDA_LOCK"))
    ::unlink(exclusive);
  --state().counts.contexts;
  return kSuccess;
}
int cuCtxSetCurrent(void *current) {
  Inside inside;
  contexts.assign(1, current);
  return kSuccess;
}
int cuCtxGetCurrent(void **current) {
  ENTER(false);
  --state().counts.calls; // Costs nothing, and comes before all others.
  *current = contexts.empty() ? nullptr : contexts.back();
  return kSuccess;
}
int cuCtxPushCurrent_v2(void *pushed) {
  ENTER(false);
  contexts.push_back(pushed);
  return kSuccess;
}
int cuCtxPopCurrent_v2(void **popped) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *popped = contexts.back();
  contexts.pop_back();
  return kSuccess;
}
int cuCtxSynchronize() {
  ENTER();
  waitUntil(lock, lastEnd());
  return state().sticky;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       const int *options, void **values) {
  ENTER();
  auto *text = static_cast<const char *>(image);
  if (std::strstr(text, ".version") || std::strncmp(text,
                                                    "\x7f"
                                                    "ELF",
                                                    4) == 0) {
    *module = new FakeModule{text, {}};
    state().modules.insert(*module);
    ++state().counts.modules;
    ++state().counts.assembled;
    return kSuccess;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5)
      std::strcpy(static_cast<char *>(values[i]), "line 1; no version\n");
  return kInvalidPtx;
}
int cuModuleUnload(void *module) {
  ENTER();
  if (!state().modules.erase(module))
    return kInvalidHandle;
  --state().counts.modules;
  delete static_cast<FakeModule *>(module);
  return kSuccess;
}
int cuModuleGetFunction(void **function, void *handle, const char *name) {
  ENTER();
  if (!state().modules.count(handle))
    return kInvalidHandle;
  auto *module = static_cast<FakeModule *>(handle);
  size_t at = module->text.find(std::string(".entry ") + name + "(");
  if (at == std::string::npos)
    return kNotFound;
  auto &found = module->functions[name];
  if (!found)
    found = std::make_unique<FakeFunction>(
        FakeFunction{name, readParams(module->text, at)});
  *function = found.get();
  return kSuccess;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  ENTER();
  *value = attribute == 4 ? 77 : attribute == 1 ? 1024 : 0;
  return kSuccess;
}
int cuFuncSetAttribute(void *, int attribute, int bytes) {
  ENTER();
  return attribute == 8 && bytes <= 65536 ? kSuccess : kInvalidValue;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                       size_t *bytes) {
  const std::vector<size_t> &sizes =
      static_cast<FakeFunction *>(function)->params;
  if (index >= sizes.size())
    return kInvalidValue;
  *offset = 8 * index;
  *bytes = sizes[index];
  return kSuccess;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *,
                                                int threads, size_t) {
  *blocks = 1024 / threads;
  return kSuccess;
}

/// "add" adds its second parameter to the word that the first points to,
/// "fault" makes an error that stays, and other kernels do nothing.
int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned, unsigned, unsigned, unsigned, void *stream,
                   void **params, void **) {
  ENTER();
  Stream *target = findStream(stream);
  if (!target)
    return kInvalidHandle;
  if (!gridX || !gridY || !gridZ)
    return kInvalidValue;
  const std::string &name = static_cast<FakeFunction *>(handle)->name;
  ++state().counts.launches;
  ++target->launches;
  target->end = std::max(target->end, Clock::now()) + state().launchTime;
  if (name == "fault")
    state().sticky = kIllegalAddress;
  if (name == "add")
    **static_cast<uint32_t **>(params[0]) +=
        *static_cast<uint32_t *>(params[1]);
  return kSuccess;
}

int cuGetErrorName(int result, const char **name) {
  *name = result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : result == kOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 100           ? "CUDA_ERROR_NO_DEVICE"
          : result == 222           ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
                                    : nullptr;
  return *name ? kSuccess : kInvalidValue;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == kIllegalAddress ? "an illegal memory access" : "a fault";
  return kSuccess;
}
}
