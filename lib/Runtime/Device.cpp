//===- Device.cpp - The process's device ----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "dietcode/Device/Device.h"
#include "dietcode/Target/KernelImages.h"
#include <cstdlib>
#include <cstring>
#include <optional>

namespace dietcode::runtime {
namespace {

struct LaunchLog {
  std::mutex mutex;
  bool active = false;
  std::vector<LaunchRecord> records;
};

LaunchLog &launchLog() {
  static auto *log = new LaunchLog;
  return *log;
}

/// The device table's entry for DIETCODE_DEVICE.
Expected<const DeviceSpec *> chosenDevice() {
  const char *env = std::getenv("DIETCODE_DEVICE");
  if (env && std::string_view(env).substr(0, 4) == "cuda")
    return fail("DIETCODE_DEVICE=" + std::string(env) +
                ": this runtime runs programs on virtual devices only; MLIR's "
                "own CUDA runtime runs the same programs on a GPU");
  Expected<const DeviceSpec *> spec =
      lookupDeviceByName(env && *env ? env : defaultDeviceName);
  if (!spec)
    return fail("DIETCODE_DEVICE=" + spec.error().message);
  return spec;
}

/// What DIETCODE_VGPU_REGISTERS says.
Expected<bool> asksPtxas() {
  const char *env = std::getenv("DIETCODE_VGPU_REGISTERS");
  std::string choice = env && *env ? env : "estimate";
  if (choice != "ptxas" && choice != "estimate")
    return fail("DIETCODE_VGPU_REGISTERS: '" + choice +
                "' is no source of register counts; use ptxas or estimate");
  return choice == "ptxas";
}

thread_local std::optional<vgpu::Finding> latestFinding;

/// Refuses what is not PTX by the magic numbers of the other formats.
Expected<std::string_view> ptxText(const void *data, size_t limit) {
  if (!data)
    return fail("cannot load a module from a null pointer");
  auto *bytes = static_cast<const char *>(data);
  const char *format = nullptr;
  if (std::strncmp(bytes,
                   "\x7f"
                   "ELF",
                   4) == 0)
    format = "an ELF cubin";
  else if (std::strncmp(bytes, "\x50\xed\x55\xba", 4) == 0)
    format = "a fatbin";
  else if (std::strncmp(bytes, "BC\xc0\xde", 4) == 0)
    format = "LLVM bitcode";
  if (format)
    return fail(std::string("cannot load ") + format +
                ": the virtual GPU runs PTX; compile with the binary format "
                "'isa' (cubin-format=isa)");
  return std::string_view(bytes, strnlen(bytes, limit));
}

/// The image of an artefact that the virtual GPU runs.
Expected<KernelImage> selectKernels(const void *data, size_t limit,
                                    const DeviceSpec &spec) {
  Expected<std::vector<KernelImage>> images = readKernelImages(data, limit);
  if (!images)
    return tl::unexpected(images.error());
  return chooseKernelImage(*images,
                           {lookupChip(spec.chip)->computeCapability, false});
}

} // namespace

Expected<Device *> Device::get() {
  static std::mutex mutex;
  static Device *device = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (device)
    return device;
  Expected<const DeviceSpec *> spec = chosenDevice();
  if (!spec)
    return tl::unexpected(spec.error());
  Expected<vgpu::CheckOptions> checks = vgpu::checkOptionsFromEnvironment();
  if (!checks)
    return tl::unexpected(checks.error());
  Expected<uint64_t> limit = vgpu::instructionLimitFromEnvironment();
  if (!limit)
    return tl::unexpected(limit.error());
  Expected<bool> usePtxas = asksPtxas();
  if (!usePtxas)
    return tl::unexpected(usePtxas.error());
  device = new Device(**spec, *checks, *limit, *usePtxas,
                      virtualName(**spec) + " (model, not a measurement)");
  return device;
}

Expected<LoadedModule *> Device::load(const void *data, size_t limit) {
  if (isKernelImages(data, limit)) {
    Expected<KernelImage> image = selectKernels(data, limit, virtualGpu.spec());
    if (!image)
      return tl::unexpected(image.error());
    data = image->bytes.data();
    limit = image->bytes.size();
  }
  // The text may be followed by a NUL inside of its size, or have one as its
  // end; either way the NUL ends it.
  Expected<std::string_view> text = ptxText(data, limit);
  if (!text)
    return tl::unexpected(text.error());
  std::string name;
  {
    std::lock_guard<std::mutex> lock(mutex);
    name = "module" + std::to_string(moduleCounter++) + ".ptx";
  }
  Expected<std::shared_ptr<const vgpu::Module>> parsed =
      vgpu::parseModule(*text, name);
  if (!parsed)
    return tl::unexpected(parsed.error());
  auto module = std::make_unique<LoadedModule>();
  module->module = *parsed;
  LoadedModule *handle = module.get();
  std::lock_guard<std::mutex> lock(mutex);
  modules[handle] = std::move(module);
  return handle;
}

Expected<bool> Device::unload(LoadedModule *module) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = modules.find(module);
  if (it == modules.end())
    return fail("cannot unload a module that is not loaded");
  for (auto &[name, function] : it->second->functions)
    functions.erase(function.get());
  modules.erase(it);
  return true;
}

Expected<Function *> Device::function(LoadedModule *module, const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = modules.find(module);
  if (it == modules.end())
    return fail(std::string("cannot look up kernel '") + name +
                "' in a module that is not loaded");
  if (!module->module->lookupKernel(name))
    return fail(module->module->name() + ": there is no kernel '" + name + "'");
  std::unique_ptr<Function> &function = module->functions[name];
  if (!function) {
    function = std::make_unique<Function>(Function{module, name});
    functions[function.get()] = module->module;
  }
  return function.get();
}

Expected<std::vector<vgpu::WrittenRange>>
Device::launch(Function *function, const vgpu::LaunchConfig &config,
               void **params, size_t paramCount, FailureKind &kind) {
  // Shares the module, so that one unloaded meanwhile lives until the end.
  std::shared_ptr<const vgpu::Module> module;
  std::string kernel;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = functions.find(function);
    if (it == functions.end())
      return fail("cannot launch a kernel of a module that is not loaded");
    module = it->second;
    kernel = function->name;
  }
  vgpu::LaunchConfig launched = config;
  launched.checks = checks;
  launched.maxWarpInstructionsPerBlock = instructionLimit;
  launched.usePtxas = usePtxas;
  vgpu::FailureKind why = vgpu::FailureKind::Refused;
  vgpu::Finding finding;
  latestFinding.reset();
  Expected<vgpu::LaunchReport> report = virtualGpu.launch(
      *module, kernel, launched, params, paramCount, &why, &finding);
  if (why == vgpu::FailureKind::Finding) {
    latestFinding = std::move(finding);
  }
  kind = why == vgpu::FailureKind::Finding ? FailureKind::Finding
                                           : FailureKind::Error;
  if (!report)
    return tl::unexpected(report.error());
  logLaunch(
      {kernel, config.grid, config.block, config.dynamicSharedBytes, *report});
  return std::move(report->written);
}

Expected<bool> Device::checkCopy(const void *pointer, uint64_t bytes,
                                 const char *what) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  vgpu::RangeTable table = virtualGpu.memory().snapshot();
  const vgpu::MemoryRange *range = table.find(address, 1);
  if (const vgpu::MemoryRange *old =
          bytes && !range ? table.findFreed(address, 1) : nullptr)
    return fail(std::string(what) + " of " + std::to_string(bytes) +
                " bytes uses allocation '" + old->label + "' of " +
                std::to_string(old->size) + " bytes, which was freed before");
  // Host memory that was never registered is the host's business.
  if (bytes == 0 || !range || range->kind != vgpu::RangeKind::Allocated ||
      table.find(address, bytes))
    return true;
  return fail(std::string(what) + " of " + std::to_string(bytes) +
              " bytes runs past the end of allocation '" + range->label +
              "' of " + std::to_string(range->size) + " bytes");
}

std::optional<vgpu::Finding> lastFinding() { return latestFinding; }

void logLaunch(LaunchRecord record) {
  LaunchLog &log = launchLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  if (log.active)
    log.records.push_back(std::move(record));
}

void startLaunchLog() {
  LaunchLog &log = launchLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  log.active = true;
  log.records.clear();
  if (Expected<Device *> device = Device::get())
    (*device)->gpu().memory().startCounting();
}

vgpu::AllocationCounts countAllocations() {
  Expected<Device *> device = Device::get();
  return device ? (*device)->gpu().memory().counts() : vgpu::AllocationCounts();
}

std::vector<LaunchRecord> takeLaunchLog() {
  LaunchLog &log = launchLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  log.active = false;
  return std::exchange(log.records, {});
}

std::string deviceDescription() {
  Expected<Device *> device = Device::get();
  return device ? (*device)->description() : "";
}

} // namespace dietcode::runtime
