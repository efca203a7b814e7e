//===- CudaDevice.cpp - NVIDIA GPUs through the CUDA driver ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call of the driver is checked, and an error names the kernel: after a
// fault of a kernel the context is lost, so the first failing call is the one
// that tells. Whoever measures runs each candidate in a process of its own.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "CudaDriver.h"
#include "CudaSpec.h"
#include "CudaTimer.h"
#include "LaunchParams.h"
#include "Nvml.h"
#include "dietcode/Target/LaunchLimits.h"

#include <algorithm>

using namespace dietcode;
using cuda::Driver;

namespace {

class CudaModule : public DeviceModule {
public:
  CudaModule(const Driver &driver, cuda::ModuleHandle handle, std::string name)
      : driver(driver), handle(handle), name(std::move(name)) {}
  ~CudaModule() override { driver.unloadModule(handle); }

  Expected<KernelFacts> kernel(const std::string &kernel) const override;
  Expected<cuda::Function> find(const std::string &kernel) const;

private:
  const Driver &driver;
  cuda::ModuleHandle handle;
  std::string name;
};

class CudaDevice : public Device {
public:
  CudaDevice(const Driver &driver, const DeviceSpec &spec, int index,
             cuda::DeviceHandle handle, std::string product)
      : driver(driver), table(spec), handle(handle),
        deviceName("cuda:" + std::to_string(index)),
        product(std::move(product)) {}
  ~CudaDevice() override;

  /// Makes the context of the GPU that of this thread.
  Expected<bool> start();

  const std::string &name() const override { return deviceName; }
  const std::string &recordName() const override { return product; }
  const DeviceSpec &spec() const override { return table; }
  bool isModel() const override { return false; }

  Expected<std::shared_ptr<const DeviceModule>>
  loadModule(std::string_view ptx, const std::string &name) override;
  Expected<DevicePointer> allocate(uint64_t bytes, BufferUse use,
                                   const std::string &label) override;
  Expected<bool> free(DevicePointer pointer) override;
  Expected<bool> copyToDevice(DevicePointer to, const void *from,
                              uint64_t bytes) override;
  Expected<bool> copyToHost(void *to, DevicePointer from,
                            uint64_t bytes) override;
  Expected<LaunchResult> launch(const DeviceModule &module,
                                const DeviceLaunch &launch,
                                LaunchFailure *failure) override;
  Expected<TimedRun> time(const DeviceModule &module,
                          const std::vector<DeviceLaunch> &launches,
                          LaunchFailure *failure) override;

private:
  Expected<bool> check(const std::string &what, cuda::Result result) const;
  std::string busId() const;
  Expected<cuda::Function> prepare(const DeviceModule &module,
                                   const DeviceLaunch &launch,
                                   LaunchResult &result);
  Expected<bool> allow(cuda::Function function, const DeviceLaunch &launch);
  cuda::Result start(cuda::Function function, const DeviceLaunch &launch);
  Expected<cuda::Function> runOnce(const DeviceModule &module,
                                   const DeviceLaunch &launch,
                                   LaunchResult &result,
                                   LaunchFailure *failure);
  tl::unexpected<Error> failed(const DeviceLaunch &launch, cuda::Result result,
                               LaunchFailure *failure) const;

  const Driver &driver;
  const DeviceSpec &table;
  cuda::DeviceHandle handle;
  std::string deviceName;
  std::string product; ///< With "cuda:" before it.
  cuda::Context context = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Expected<cuda::Function> CudaModule::find(const std::string &kernel) const {
  cuda::Function function = nullptr;
  cuda::Result result = driver.getFunction(&function, handle, kernel.c_str());
  if (result == cuda::kNotFound)
    return fail(name + ": there is no kernel '" + kernel + "'");
  if (result != cuda::kSuccess)
    return tl::unexpected(
        driver.error(name + ": kernel '" + kernel + "'", result));
  return function;
}

Expected<KernelFacts> CudaModule::kernel(const std::string &kernel) const {
  Expected<cuda::Function> function = find(kernel);
  if (!function)
    return tl::unexpected(function.error());
  auto attribute = [&](cuda::FunctionAttribute which) {
    int value = 0;
    driver.functionAttribute(&value, which, *function);
    return value;
  };
  KernelFacts facts;
  facts.registers = attribute(cuda::kFunctionRegisters);
  facts.staticSharedBytes = attribute(cuda::kFunctionSharedBytes);
  facts.localBytes = attribute(cuda::kFunctionLocalBytes);
  size_t offset = 0, bytes = 0;
  while (driver.paramInfo &&
         driver.paramInfo(*function, facts.paramBytes.size(), &offset,
                          &bytes) == cuda::kSuccess)
    facts.paramBytes.push_back(static_cast<uint32_t>(bytes));
  return facts;
}

Expected<std::shared_ptr<const DeviceModule>>
CudaDevice::loadModule(std::string_view ptx, const std::string &name) {
  std::string text(ptx); // Ends in a null character.
  cuda::LoadResult loaded = driver.load(text.c_str());
  if (loaded.result == cuda::kSuccess)
    return std::make_shared<CudaModule>(driver, loaded.module, name);
  return tl::unexpected(cuda::loadError(driver, name, loaded));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CudaDevice::~CudaDevice() {
  if (context)
    driver.releaseContext(handle);
}

Expected<bool> CudaDevice::check(const std::string &what,
                                 cuda::Result result) const {
  if (result == cuda::kSuccess)
    return true;
  return tl::unexpected(driver.error(what, result));
}

Expected<bool> CudaDevice::start() {
  if (auto retained = check(deviceName + ": cannot make a context",
                            driver.retainContext(&context, handle));
      !retained)
    return retained;
  return check(deviceName + ": cannot use its context",
               driver.setContext(context));
}

Expected<DevicePointer> CudaDevice::allocate(uint64_t bytes, BufferUse use,
                                             const std::string &label) {
  cuda::Pointer pointer = 0;
  // The driver allocates nothing of no size.
  size_t size = std::max<uint64_t>(bytes, 1);
  if (auto done = check("cannot allocate " + std::to_string(bytes) +
                            " bytes of device memory for " + label,
                        driver.allocate(&pointer, size));
      !done)
    return tl::unexpected(done.error());
  if (use == BufferUse::Checked)
    if (auto done =
            check("cannot fill " + label, driver.fill(pointer, 0xff, size));
        !done)
      return tl::unexpected(done.error());
  return DevicePointer(pointer);
}

Expected<bool> CudaDevice::free(DevicePointer pointer) {
  return check("cannot free a buffer", driver.free(pointer));
}

Expected<bool> CudaDevice::copyToDevice(DevicePointer to, const void *from,
                                        uint64_t bytes) {
  if (bytes == 0)
    return true;
  return check("cannot copy " + std::to_string(bytes) + " bytes to the device",
               driver.toDevice(to, from, bytes));
}

Expected<bool> CudaDevice::copyToHost(void *to, DevicePointer from,
                                      uint64_t bytes) {
  if (bytes == 0)
    return true;
  return check("cannot copy " + std::to_string(bytes) +
                   " bytes from the device",
               driver.toHost(to, from, bytes));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Lets a kernel have the shared memory that it asks for.
Expected<bool> CudaDevice::allow(cuda::Function function,
                                 const DeviceLaunch &launch) {
  std::string problem =
      checkLaunchShape(table, deviceName, launch.grid, launch.block);
  if (!problem.empty())
    return fail("kernel '" + launch.kernel + "': " + problem);
  if (launch.dynamicSharedBytes <= table.staticSharedPerBlock)
    return true;
  return check(
      "kernel '" + launch.kernel + "' cannot have " +
          std::to_string(launch.dynamicSharedBytes) +
          " bytes of dynamic shared memory",
      driver.setFunctionAttribute(function, cuda::kFunctionMaxDynamicShared,
                                  static_cast<int>(launch.dynamicSharedBytes)));
}

cuda::Result CudaDevice::start(cuda::Function function,
                               const DeviceLaunch &launch) {
  std::vector<void *> params;
  for (const std::vector<char> &value : launch.params)
    params.push_back(const_cast<char *>(value.data()));
  auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
  return driver.launch(function, size(launch.grid[0]), size(launch.grid[1]),
                       size(launch.grid[2]), size(launch.block[0]),
                       size(launch.block[1]), size(launch.block[2]),
                       size(launch.dynamicSharedBytes), /*stream=*/nullptr,
                       params.data(), /*extra=*/nullptr);
}

tl::unexpected<Error> CudaDevice::failed(const DeviceLaunch &launch,
                                         cuda::Result result,
                                         LaunchFailure *failure) const {
  if (failure && cuda::isFault(result))
    *failure = LaunchFailure::Finding;
  if (failure && result == cuda::kLaunchTimeout)
    *failure = LaunchFailure::Endless;
  return tl::unexpected(driver.error("kernel '" + launch.kernel + "'", result));
}

/// What launches are checked for, and what one takes.
Expected<cuda::Function> CudaDevice::prepare(const DeviceModule &module,
                                             const DeviceLaunch &launch,
                                             LaunchResult &result) {
  Expected<KernelFacts> facts = module.kernel(launch.kernel);
  if (!facts)
    return tl::unexpected(facts.error());
  Expected<cuda::Function> function =
      static_cast<const CudaModule &>(module).find(launch.kernel);
  if (!function)
    return function;
  // The driver reads as many bytes as each parameter has.
  if (driver.paramInfo)
    if (auto fits = checkParams(*facts, launch); !fits)
      return tl::unexpected(fits.error());
  if (auto allowed = allow(*function, launch); !allowed)
    return tl::unexpected(allowed.error());
  result.registers = facts->registers;
  result.sharedBytes = facts->staticSharedBytes + launch.dynamicSharedBytes;
  int resident = 0;
  auto threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (driver.occupancy(&resident, *function, static_cast<int>(threads),
                       static_cast<size_t>(launch.dynamicSharedBytes)) ==
      cuda::kSuccess)
    result.blocksPerSM = resident;
  return function;
}

Expected<cuda::Function> CudaDevice::runOnce(const DeviceModule &module,
                                             const DeviceLaunch &launch,
                                             LaunchResult &result,
                                             LaunchFailure *failure) {
  if (failure)
    *failure = LaunchFailure::Refused;
  Expected<cuda::Function> function = prepare(module, launch, result);
  if (!function)
    return function;
  cuda::Result status = start(*function, launch);
  if (status == cuda::kSuccess)
    status = driver.synchronize();
  if (status != cuda::kSuccess)
    return failed(launch, status, failure);
  return function;
}

Expected<LaunchResult> CudaDevice::launch(const DeviceModule &module,
                                          const DeviceLaunch &launch,
                                          LaunchFailure *failure) {
  LaunchResult result;
  return runOnce(module, launch, result, failure).map([&](cuda::Function) {
    return result;
  });
}

std::string CudaDevice::busId() const {
  char text[32] = "";
  driver.busId(text, sizeof(text), handle);
  return text;
}

Expected<TimedRun> CudaDevice::time(const DeviceModule &module,
                                    const std::vector<DeviceLaunch> &launches,
                                    LaunchFailure *failure) {
  TimedRun timed;
  std::vector<cuda::Function> functions;
  // Each on its own first, so that a fault is that of its kernel.
  for (const DeviceLaunch &launch : launches) {
    LaunchResult result;
    Expected<cuda::Function> function =
        runOnce(module, launch, result, failure);
    if (!function)
      return tl::unexpected(function.error());
    if (functions.empty())
      timed.first = result;
    functions.push_back(*function);
  }
  CudaTimer timer(driver, static_cast<uint64_t>(table.l2Bytes));
  auto run = [&] {
    cuda::Result result = cuda::kSuccess;
    for (size_t i = 0; i < launches.size() && result == cuda::kSuccess; ++i)
      result = start(functions[i], launches[i]);
    return result;
  };
  timed.measured.emplace();
  cuda::Result result = timer.time(run, timed.seconds, *timed.measured);
  if (result != cuda::kSuccess)
    return failed(launches.front(), result, failure);
  timed.measured->conditions = askConditions(busId());
  return timed;
}

Expected<std::unique_ptr<Device>> dietcode::makeCudaDevice(int index) {
  Expected<const Driver *> driver = cuda::loadDriver();
  if (!driver)
    return fail("cuda:" + std::to_string(index) + ": " +
                driver.error().message);
  Expected<cuda::DeviceHandle> handle = cuda::findDevice(**driver, index);
  if (!handle)
    return tl::unexpected(handle.error());
  Expected<const DeviceSpec *> spec = lookupCudaDevice(index);
  Expected<std::string> product = cudaRecordName(index);
  if (!spec || !product)
    return tl::unexpected(spec ? product.error() : spec.error());
  auto device = std::make_unique<CudaDevice>(**driver, **spec, index, *handle,
                                             std::move(*product));
  if (auto started = device->start(); !started)
    return tl::unexpected(started.error());
  return device;
}
