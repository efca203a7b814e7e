//===- Device.cpp - The process's device ----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "../Device/CudaDevice.h"
#include "dietcode/Device/Device.h"
#include <atomic>
#include <cstdlib>
#include <new>

namespace dietcode::runtime {
namespace {

std::atomic<Device *> theDevice = nullptr;

/// Guards the making of it.
std::mutex &deviceMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

Expected<std::unique_ptr<Device>> makeDevice(const std::string &name) {
  Expected<const DeviceSpec *> spec = lookupDeviceByName(name);
  if (!spec)
    return tl::unexpected(spec.error());
  if (std::optional<int> index = parseCudaName(name))
    return makeCudaRuntime(*index);
  return makeVirtualRuntime(**spec);
}

/// The device that DIETCODE_DEVICE names, or else the first GPU, or a virtual
/// one where there is none.
Expected<std::unique_ptr<Device>> makeDefaultDevice() {
  const char *env = std::getenv("DIETCODE_DEVICE");
  if (!env || !*env)
    return makeDevice(availableDeviceName());
  Expected<std::unique_ptr<Device>> made = makeDevice(env);
  if (made)
    return made;
  const std::string &message = made.error().message;
  bool hasName = message.rfind(env, 0) == 0;
  return fail("DIETCODE_DEVICE=" + (hasName ? "" : env + std::string(": ")) +
              message);
}

/// "cuda" and "cuda:0" are one device.
std::string canonicalName(const std::string &name) {
  std::optional<int> index = parseCudaName(name);
  return index ? "cuda:" + std::to_string(*index) : name;
}

} // namespace

Device *Device::getIfMade() {
  return theDevice.load(std::memory_order_acquire);
}

Expected<Device *> Device::get() {
  if (Device *device = getIfMade())
    return device;
  std::lock_guard<std::mutex> lock(deviceMutex());
  if (Device *device = getIfMade())
    return device;
  Expected<std::unique_ptr<Device>> made = makeDefaultDevice();
  if (!made)
    return tl::unexpected(made.error());
  theDevice.store(made->release(), std::memory_order_release);
  return getIfMade();
}

Expected<void> chooseDevice(const std::string &name) {
  std::lock_guard<std::mutex> lock(deviceMutex());
  if (Device *device = Device::getIfMade()) {
    // Descriptions begin with the name.
    const std::string &text = device->description();
    if (text.substr(0, text.find_first_of(", ")) == canonicalName(name))
      return {};
    return fail("the device of this process is " + text +
                " already, so it "
                "cannot be " +
                name +
                "; choose before the first call, or set "
                "DIETCODE_DEVICE");
  }
  Expected<std::unique_ptr<Device>> made = makeDevice(name);
  if (!made)
    return tl::unexpected(made.error());
  theDevice.store(made->release(), std::memory_order_release);
  return {};
}

Result<LoadedModule *> Device::load(const void *data, size_t limit) {
  Expected<ModuleImage> image = selectImage(data, limit, imageChoice());
  if (!image)
    return tl::unexpected(image.error());
  std::string name;
  {
    std::lock_guard<std::mutex> lock(mutex);
    name = "module" + std::to_string(moduleCounter++) + ".ptx";
  }
  Result<std::shared_ptr<Module>> loaded = loadImage(*image, std::move(name));
  if (!loaded)
    return tl::unexpected(loaded.error());
  auto module = std::make_unique<LoadedModule>();
  module->module = std::move(*loaded);
  LoadedModule *handle = module.get();
  std::lock_guard<std::mutex> lock(mutex);
  modules[handle] = std::move(module);
  return handle;
}

Result<bool> Device::unload(LoadedModule *module) {
  // The last owner of the module destroys it, without the lock.
  std::unique_ptr<LoadedModule> unloaded;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = modules.find(module);
  if (it == modules.end())
    return fail("cannot unload a module that is not loaded");
  for (auto &[name, function] : it->second->functions)
    functions.erase(function.get());
  unloaded = std::move(it->second);
  modules.erase(it);
  return true;
}

Result<Function *> Device::function(LoadedModule *module, const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = modules.find(module);
  if (it == modules.end())
    return fail(std::string("cannot look up kernel '") + name +
                "' in a module that is not loaded");
  if (auto known = module->functions.find(name);
      known != module->functions.end())
    return known->second.get();
  Result<std::shared_ptr<Function>> found = module->module->find(name);
  if (!found)
    return tl::unexpected(found.error());
  Function *function = found->get();
  functions[function] = *found;
  try {
    module->functions[name] = std::move(*found);
  } catch (const std::bad_alloc &) {
    functions.erase(function); // Nobody else would.
    throw;
  }
  return function;
}

Result<bool> Device::launch(Function *function, const Launch &launch) {
  // Shares the module, so that one unloaded meanwhile lives until the end.
  std::shared_ptr<Function> shared;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = functions.find(function);
    if (it == functions.end())
      return fail("cannot launch a kernel of a module that is not loaded");
    shared = it->second;
  }
  return run(*shared, launch);
}

vgpu::AllocationCounts countAllocations() {
  Expected<Device *> device = Device::get();
  return device ? (*device)->counts() : vgpu::AllocationCounts();
}

std::string deviceDescription() {
  Expected<Device *> device = Device::get();
  return device ? (*device)->description() : "";
}

} // namespace dietcode::runtime
