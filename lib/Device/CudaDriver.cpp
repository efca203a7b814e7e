//===- CudaDriver.cpp - The CUDA driver, loaded at run time ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>

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

/// The names with "_v2" are those that the headers of CUDA since 4.0 mean.
static std::string findFunctions(void *library, Driver &driver) {
  Symbols symbols{library, ""};
  symbols.find(driver.init, "cuInit");
  symbols.find(driver.deviceCount, "cuDeviceGetCount");
  symbols.find(driver.deviceGet, "cuDeviceGet");
  symbols.find(driver.deviceName, "cuDeviceGetName");
  symbols.find(driver.deviceAttribute, "cuDeviceGetAttribute");
  symbols.find(driver.retainContext, "cuDevicePrimaryCtxRetain");
  symbols.find(driver.releaseContext, "cuDevicePrimaryCtxRelease_v2");
  symbols.find(driver.setContext, "cuCtxSetCurrent");
  symbols.find(driver.synchronize, "cuCtxSynchronize");
  symbols.find(driver.loadModule, "cuModuleLoadDataEx");
  symbols.find(driver.unloadModule, "cuModuleUnload");
  symbols.find(driver.getFunction, "cuModuleGetFunction");
  symbols.find(driver.functionAttribute, "cuFuncGetAttribute");
  symbols.find(driver.setFunctionAttribute, "cuFuncSetAttribute");
  symbols.find(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  symbols.find(driver.allocate, "cuMemAlloc_v2");
  symbols.find(driver.free, "cuMemFree_v2");
  symbols.find(driver.fill, "cuMemsetD8_v2");
  symbols.find(driver.toDevice, "cuMemcpyHtoD_v2");
  symbols.find(driver.toHost, "cuMemcpyDtoH_v2");
  symbols.find(driver.launch, "cuLaunchKernel");
  symbols.find(driver.createEvent, "cuEventCreate");
  symbols.find(driver.destroyEvent, "cuEventDestroy_v2");
  symbols.find(driver.recordEvent, "cuEventRecord");
  symbols.find(driver.synchronizeEvent, "cuEventSynchronize");
  symbols.find(driver.elapsed, "cuEventElapsedTime");
  symbols.find(driver.errorName, "cuGetErrorName");
  symbols.find(driver.errorText, "cuGetErrorString");
  symbols.find(driver.paramInfo, "cuFuncGetParamInfo", /*isOptional=*/true);
  return symbols.missing;
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
  if (!driver)
    return tl::unexpected(driver.error());
  return &*driver;
}
