//===- CudaDriver.cpp - The CUDA driver, loaded at run time ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace dietcode;
using namespace dietcode::cuda;

namespace {

/// Looks symbols up in a library, and remembers the first that is missing.
struct Symbols {
  void *library;
  std::string missing;

  template <typename FunctionT>
  void find(FunctionT *&function, const char *name, bool isOptional = false) {
    function = reinterpret_cast<FunctionT *>(::dlsym(library, name));
    if (!function && !isOptional && missing.empty())
      missing = name;
  }
};

} // namespace

static void findMemory(Symbols &symbols, Driver &driver) {
  symbols.find(driver.allocate, "cuMemAlloc_v2");
  symbols.find(driver.allocateManaged, "cuMemAllocManaged");
  symbols.find(driver.free, "cuMemFree_v2");
  symbols.find(driver.fill, "cuMemsetD8_v2");
  symbols.find(driver.toDevice, "cuMemcpyHtoD_v2");
  symbols.find(driver.toHost, "cuMemcpyDtoH_v2");
  symbols.find(driver.copy, "cuMemcpyAsync");
  symbols.find(driver.fill16, "cuMemsetD16Async");
  symbols.find(driver.fill32, "cuMemsetD32Async");
  symbols.find(driver.registerHost, "cuMemHostRegister_v2");
  symbols.find(driver.unregisterHost, "cuMemHostUnregister");
}

static void findStreams(Symbols &symbols, Driver &driver) {
  symbols.find(driver.createEvent, "cuEventCreate");
  symbols.find(driver.destroyEvent, "cuEventDestroy_v2");
  symbols.find(driver.recordEvent, "cuEventRecord");
  symbols.find(driver.synchronizeEvent, "cuEventSynchronize");
  symbols.find(driver.elapsed, "cuEventElapsedTime");
  symbols.find(driver.queryEvent, "cuEventQuery");
  symbols.find(driver.createStream, "cuStreamCreate");
  symbols.find(driver.destroyStream, "cuStreamDestroy_v2");
  symbols.find(driver.synchronizeStream, "cuStreamSynchronize");
  symbols.find(driver.queryStream, "cuStreamQuery");
  symbols.find(driver.waitEvent, "cuStreamWaitEvent");
}

/// The names with "_v2" are those that the headers of CUDA since 4.0 mean.
static std::string findFunctions(void *library, Driver &driver) {
  Symbols symbols{library, ""};
  symbols.find(driver.init, "cuInit");
  symbols.find(driver.version, "cuDriverGetVersion");
  symbols.find(driver.deviceCount, "cuDeviceGetCount");
  symbols.find(driver.deviceGet, "cuDeviceGet");
  symbols.find(driver.deviceName, "cuDeviceGetName");
  symbols.find(driver.deviceAttribute, "cuDeviceGetAttribute");
  symbols.find(driver.deviceBytes, "cuDeviceTotalMem_v2");
  symbols.find(driver.busId, "cuDeviceGetPCIBusId");
  symbols.find(driver.retainContext, "cuDevicePrimaryCtxRetain");
  symbols.find(driver.releaseContext, "cuDevicePrimaryCtxRelease_v2");
  symbols.find(driver.setContext, "cuCtxSetCurrent");
  symbols.find(driver.currentContext, "cuCtxGetCurrent");
  symbols.find(driver.pushContext, "cuCtxPushCurrent_v2");
  symbols.find(driver.popContext, "cuCtxPopCurrent_v2");
  symbols.find(driver.synchronize, "cuCtxSynchronize");
  symbols.find(driver.loadModule, "cuModuleLoadDataEx");
  symbols.find(driver.unloadModule, "cuModuleUnload");
  symbols.find(driver.getFunction, "cuModuleGetFunction");
  symbols.find(driver.functionAttribute, "cuFuncGetAttribute");
  symbols.find(driver.setFunctionAttribute, "cuFuncSetAttribute");
  symbols.find(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  findMemory(symbols, driver);
  findStreams(symbols, driver);
  symbols.find(driver.launch, "cuLaunchKernel");
  symbols.find(driver.errorName, "cuGetErrorName");
  symbols.find(driver.errorText, "cuGetErrorString");
  symbols.find(driver.paramInfo, "cuFuncGetParamInfo", /*isOptional=*/true);
  return symbols.missing;
}

bool cuda::isFault(Result result) {
  return result == kIllegalAddress || result == kAssert ||
         (result >= kHardwareStackError && result <= kLaunchFailed);
}

bool cuda::isSticky(Result result) {
  return isFault(result) || result == kDeinitialized ||
         result == kEccUncorrectable || result == kNvlinkUncorrectable ||
         result == kContained || result == kLaunchTimeout ||
         result == kContextDestroyed;
}

LoadResult Driver::load(const void *image) const {
  LoadResult loaded;
  std::string &log = loaded.log;
  log.resize(8192);
  JitOption options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  loaded.result = loadModule(&loaded.module, image, 2, options, values);
  log.resize(log.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
  std::replace(log.begin(), log.end(), '\n', ' ');
  return loaded;
}

Error cuda::loadError(const Driver &driver, const std::string &name,
                      const LoadResult &loaded) {
  Error error = driver.error(name, loaded.result);
  if (!loaded.log.empty())
    error.message += ": " + loaded.log;
  int version = 0;
  if (loaded.result == kUnsupportedPtx && driver.version(&version) == kSuccess)
    error.message += "; this driver is CUDA " + std::to_string(version / 1000) +
                     "." + std::to_string(version % 1000 / 10) +
                     "'s: compile for an older PTX (ptx-version)";
  return error;
}

Error Driver::error(const std::string &what, Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (errorName(result, &name) != kSuccess || !name)
    return {what + ": CUDA error " + std::to_string(result)};
  std::string message = what + ": " + name;
  if (errorText(result, &text) == kSuccess && text)
    message += std::string(", ") + text;
  return {message};
}

static Expected<Driver> openDriver() {
  const char *named = std::getenv("DIETCODE_LIBCUDA");
  std::string path = named && *named ? named : "libcuda.so.1";
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = ::dlerror();
    return fail("there is no CUDA driver: " + std::string(why ? why : path));
  }
  Driver driver{};
  if (std::string missing = findFunctions(library, driver); !missing.empty())
    return fail("the CUDA driver '" + path + "' is too old: it has no " +
                missing);
  if (Result result = driver.init(0); result != kSuccess)
    return tl::unexpected(
        driver.error("the CUDA driver cannot be used", result));
  return driver;
}

Expected<const Driver *> cuda::loadDriver() {
  // Never closed: what it has started cannot be stopped.
  static const Expected<Driver> driver = openDriver();
  static const pid_t owner = ::getpid();
  if (!driver)
    return tl::unexpected(driver.error());
  if (owner != ::getpid())
    return fail(kForked);
  return &*driver;
}
