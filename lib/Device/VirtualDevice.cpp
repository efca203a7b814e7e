//===- VirtualDevice.cpp - The virtual GPU as a device --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VirtualDevice.h"
#include "LaunchParams.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <sys/mman.h>

using namespace dietcode;

namespace {

class VirtualModule : public DeviceModule {
public:
  explicit VirtualModule(std::shared_ptr<const vgpu::Module> module)
      : module(std::move(module)) {}

  Expected<KernelFacts> kernel(const std::string &name) const override;

  const std::shared_ptr<const vgpu::Module> module;
};

class VirtualDevice : public Device {
public:
  VirtualDevice(const DeviceSpec &spec, uint64_t instructionLimit)
      : gpu(spec), instructionLimit(instructionLimit),
        deviceName(std::string(virtualDevicePrefix) + std::string(spec.name)) {}
  ~VirtualDevice() override;

  const std::string &name() const override { return deviceName; }
  const std::string &recordName() const override { return deviceName; }
  const DeviceSpec &spec() const override { return gpu.spec(); }
  bool isModel() const override { return true; }

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
  Expected<vgpu::LaunchReport> run(const DeviceModule &module,
                                   const DeviceLaunch &launch,
                                   const vgpu::LaunchConfig &how,
                                   LaunchFailure *failure);
  Expected<bool> checkRange(DevicePointer pointer, uint64_t bytes);

  vgpu::VirtualGPU gpu;
  uint64_t instructionLimit;
  std::string deviceName;
  std::map<DevicePointer, uint64_t> mappings; ///< And their sizes.
};

void *toHost(DevicePointer pointer) {
  return reinterpret_cast<void *>(pointer);
}

/// Where buffers lie. Addresses are the same in every process, so that what is
/// found and its message are, and far apart, so that what misses a buffer does
/// not hit another one.
constexpr uint64_t firstAddress = uint64_t(1) << 45;
constexpr uint64_t addressStep = uint64_t(64) << 20;
constexpr uint64_t mostBytes = uint64_t(1) << 42;

/// Pages that are there once they are touched, at an address or, if that is in
/// use, further up. Null if there are none.
void *mapPages(uint64_t address, uint64_t bytes) {
#ifndef MAP_FIXED_NOREPLACE
  constexpr int MAP_FIXED_NOREPLACE = 0;
#endif
  // Another device of this process has its buffers there.
  constexpr uint64_t further = uint64_t(1) << 38;
  constexpr int tries = 64;
  for (int i = 0; i < tries; ++i, address += further) {
    void *pages = ::mmap(
        reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
        0);
    if (pages != MAP_FAILED)
      return pages;
    if (errno != EEXIST)
      return nullptr;
  }
  return nullptr;
}

} // namespace

Expected<KernelFacts> VirtualModule::kernel(const std::string &name) const {
  if (const vgpu::KernelInfo *info = module->lookupKernel(name))
    return KernelFacts{info->liveRegisters, info->staticSharedBytes,
                       info->localBytes, info->paramBytes};
  std::string known;
  for (const vgpu::KernelInfo &info : module->kernels())
    known += (known.empty() ? "" : ", ") + info.name;
  return fail(module->name() + ": there is no kernel '" + name +
              "'; the module has " + (known.empty() ? "none" : known));
}

VirtualDevice::~VirtualDevice() {
  for (auto &[pointer, bytes] : mappings)
    ::munmap(toHost(pointer), bytes);
}

Expected<std::shared_ptr<const DeviceModule>>
VirtualDevice::loadModule(std::string_view ptx, const std::string &name) {
  Expected<std::shared_ptr<const vgpu::Module>> module =
      vgpu::parseModule(ptx, name);
  if (!module)
    return tl::unexpected(module.error());
  return std::make_shared<VirtualModule>(std::move(*module));
}

Expected<DevicePointer> VirtualDevice::allocate(uint64_t bytes, BufferUse use,
                                                const std::string &label) {
  uint64_t address = firstAddress;
  if (!mappings.empty())
    address = mappings.rbegin()->first + mappings.rbegin()->second;
  address = (address / addressStep + 1) * addressStep;
  constexpr uint64_t page = 4096;
  uint64_t size = (std::max<uint64_t>(bytes, 1) + page - 1) / page * page;
  void *pages = bytes <= mostBytes ? mapPages(address, size) : nullptr;
  if (!pages)
    return fail("out of memory: cannot allocate " + std::to_string(bytes) +
                " bytes of device memory");
  auto pointer = reinterpret_cast<DevicePointer>(pages);
  mappings[pointer] = size;
  bool isTimed = use == BufferUse::Timed;
  if (!isTimed)
    std::memset(pages, 0xff, bytes);
  if (auto ok = gpu.memory().adopt(pages, bytes, label, isTimed); !ok)
    return tl::unexpected(ok.error());
  return pointer;
}

Expected<bool> VirtualDevice::free(DevicePointer pointer) {
  auto it = mappings.find(pointer);
  if (it == mappings.end())
    return fail("cannot free what is no buffer of the device");
  Expected<bool> ok = gpu.memory().free(toHost(pointer));
  ::munmap(toHost(pointer), it->second);
  mappings.erase(it);
  return ok;
}

Expected<bool> VirtualDevice::checkRange(DevicePointer pointer,
                                         uint64_t bytes) {
  if (bytes == 0 || gpu.memory().snapshot().find(pointer, bytes))
    return true;
  return fail("cannot copy " + std::to_string(bytes) +
              " bytes: they are not in one allocation of device memory");
}

Expected<bool> VirtualDevice::copyToDevice(DevicePointer to, const void *from,
                                           uint64_t bytes) {
  Expected<bool> ok = checkRange(to, bytes);
  if (!ok || bytes == 0)
    return ok;
  std::memcpy(toHost(to), from, bytes);
  gpu.memory().markWritten(toHost(to), bytes);
  return true;
}

Expected<bool> VirtualDevice::copyToHost(void *to, DevicePointer from,
                                         uint64_t bytes) {
  Expected<bool> ok = checkRange(from, bytes);
  if (ok && bytes != 0)
    std::memcpy(to, toHost(from), bytes);
  return ok;
}

static LaunchFailure failureOf(vgpu::FailureKind kind,
                               const vgpu::Finding &finding) {
  if (kind == vgpu::FailureKind::Refused)
    return LaunchFailure::Refused;
  return finding.kind == vgpu::FindingKind::Limit ? LaunchFailure::Endless
                                                  : LaunchFailure::Finding;
}

static LaunchResult resultOf(const vgpu::LaunchReport &report) {
  return {report.registersPerThread, report.sharedBytesPerBlock,
          report.residentBlocksPerSM};
}

/// `how` says what is not part of a launch.
Expected<vgpu::LaunchReport> VirtualDevice::run(const DeviceModule &module,
                                                const DeviceLaunch &launch,
                                                const vgpu::LaunchConfig &how,
                                                LaunchFailure *failure) {
  if (failure)
    *failure = LaunchFailure::Refused;
  Expected<KernelFacts> facts = module.kernel(launch.kernel);
  if (!facts)
    return tl::unexpected(facts.error());
  if (Expected<bool> fits = checkParams(*facts, launch); !fits)
    return tl::unexpected(fits.error());
  vgpu::LaunchConfig config = how;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicSharedBytes = launch.dynamicSharedBytes;
  config.maxWarpInstructionsPerBlock = instructionLimit;
  config.registersPerThread = static_cast<uint32_t>(launch.registers);
  std::vector<void *> params;
  for (const std::vector<char> &value : launch.params)
    params.push_back(const_cast<char *>(value.data()));
  vgpu::FailureKind kind = vgpu::FailureKind::Refused;
  vgpu::Finding finding;
  Expected<vgpu::LaunchReport> report = gpu.launch(
      *static_cast<const VirtualModule &>(module).module, launch.kernel, config,
      params.data(), params.size(), &kind, &finding);
  if (!report && failure)
    *failure = failureOf(kind, finding);
  return report;
}

Expected<LaunchResult> VirtualDevice::launch(const DeviceModule &module,
                                             const DeviceLaunch &launch,
                                             LaunchFailure *failure) {
  vgpu::LaunchConfig how;
  how.checks = vgpu::CheckOptions::all();
  return run(module, launch, how, failure).map(resultOf);
}

Expected<TimedRun>
VirtualDevice::time(const DeviceModule &module,
                    const std::vector<DeviceLaunch> &launches,
                    LaunchFailure *failure) {
  TimedRun timed;
  vgpu::LaunchConfig how;
  how.timeOnly = true;
  how.checks = vgpu::CheckOptions::none();
  for (const DeviceLaunch &launch : launches) {
    Expected<vgpu::LaunchReport> report = run(module, launch, how, failure);
    if (!report)
      return tl::unexpected(report.error());
    if (&launch == &launches.front())
      timed.first = resultOf(*report);
    timed.seconds += report->virtualSeconds;
    how.recent = std::move(report->written);
  }
  return timed;
}

Expected<std::unique_ptr<Device>>
dietcode::makeVirtualDevice(const DeviceSpec &spec) {
  Expected<uint64_t> limit = vgpu::instructionLimitFromEnvironment();
  if (!limit)
    return tl::unexpected(limit.error());
  return std::make_unique<VirtualDevice>(spec, *limit);
}
