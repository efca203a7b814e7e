//===- VirtualRuntime.cpp - Running programs on a virtual GPU -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is synchronous, so events only have identities, and streams only
// know what is in the caches.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "LaunchLog.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <cstdlib>
#include <cstring>

namespace dietcode::runtime {
namespace {

struct VirtualFunction : Function {
  VirtualFunction(std::string name, std::shared_ptr<const vgpu::Module> module)
      : Function(std::move(name)), module(std::move(module)) {}
  const std::shared_ptr<const vgpu::Module> module;
};

struct VirtualModule : Module {
  explicit VirtualModule(std::shared_ptr<const vgpu::Module> module)
      : module(std::move(module)) {}
  Result<std::shared_ptr<Function>> find(const std::string &kernel) override {
    if (!module->lookupKernel(kernel))
      return fail(module->name() + ": there is no kernel '" + kernel + "'");
    return std::make_shared<VirtualFunction>(kernel, module);
  }
  const std::shared_ptr<const vgpu::Module> module;
};

struct VirtualStream : Stream {
  /// By the last launch; forgotten once the host has waited for it.
  std::vector<vgpu::WrittenRange> written;
};

/// What the environment says of virtual GPUs.
struct Options {
  vgpu::CheckOptions checks;     ///< From DIETCODE_VGPU_CHECK.
  uint64_t instructionLimit = 0; ///< From DIETCODE_VGPU_MAX_INSTRUCTIONS.
  bool usePtxas = false;         ///< From DIETCODE_VGPU_REGISTERS.
};

class VirtualRuntime : public Device {
public:
  VirtualRuntime(const DeviceSpec &spec, const Options &options)
      : Device(virtualName(spec) + " (model, not a measurement)"), gpu(spec),
        options(options) {}

  Result<Stream *> createStream() override { return new VirtualStream; }
  Result<bool> destroyStream(Stream *stream) override {
    delete stream;
    return true;
  }
  Result<Stream *> adoptStream(void *, bool) override {
    return new VirtualStream;
  }
  Result<bool> synchronize(Stream *stream) override {
    if (stream)
      static_cast<VirtualStream *>(stream)->written.clear();
    return true;
  }

  Result<Event *> createEvent() override { return new Event; }
  Result<bool> destroyEvent(Event *event) override {
    delete event;
    return true;
  }
  Result<bool> recordEvent(Event *, Stream *) override { return true; }
  Result<bool> synchronizeEvent(Event *) override { return true; }
  Result<bool> waitEvent(Stream *, Event *) override { return true; }

  Result<void *> allocate(uint64_t bytes, Stream *stream,
                          bool isHostShared) override;
  Result<bool> free(void *pointer, Stream *) override {
    return gpu.memory().free(pointer).map_error(toFailure);
  }
  Result<bool> copy(void *to, const void *from, uint64_t bytes,
                    Stream *stream) override;
  Result<bool> fill16(void *to, uint16_t value, size_t count,
                      Stream *) override {
    return fill(static_cast<uint16_t *>(to), value, count);
  }
  Result<bool> fill32(void *to, uint32_t value, size_t count,
                      Stream *) override {
    return fill(static_cast<uint32_t *>(to), value, count);
  }
  Result<bool> registerHost(void *pointer, uint64_t bytes,
                            const std::string &label) override {
    return gpu.memory()
        .registerRange(pointer, bytes, label)
        .map_error(toFailure);
  }
  Result<bool> unregisterHost(void *pointer) override {
    return gpu.memory().unregisterRange(pointer).map_error(toFailure);
  }

  void startCounting() override { gpu.memory().startCounting(); }
  vgpu::AllocationCounts counts() override { return gpu.memory().counts(); }

protected:
  ImageChoice imageChoice() const override {
    return {lookupChip(gpu.spec().chip)->computeCapability,
            /*takesBinaries=*/false};
  }
  Result<std::shared_ptr<Module>> loadImage(const ModuleImage &image,
                                            std::string name) override;
  Result<bool> run(Function &function, const Launch &launch) override;

private:
  static RuntimeFailure toFailure(const Error &error) { return error; }
  Result<bool> checkCopy(const void *pointer, uint64_t bytes, const char *what);
  template <typename T>
  Result<bool> fill(T *to, T value, size_t count);

  vgpu::VirtualGPU gpu;
  Options options;
};

thread_local std::optional<vgpu::Finding> latestFinding;

/// What DIETCODE_VGPU_REGISTERS says.
Expected<bool> asksPtxas() {
  const char *env = std::getenv("DIETCODE_VGPU_REGISTERS");
  std::string choice = env && *env ? env : "estimate";
  if (choice != "ptxas" && choice != "estimate")
    return fail("DIETCODE_VGPU_REGISTERS: '" + choice +
                "' is no source of register counts; use ptxas or estimate");
  return choice == "ptxas";
}

Result<std::shared_ptr<Module>>
VirtualRuntime::loadImage(const ModuleImage &image, std::string name) {
  Expected<std::shared_ptr<const vgpu::Module>> parsed =
      vgpu::parseModule(image.bytes, name);
  if (!parsed)
    return tl::unexpected(parsed.error());
  return std::make_shared<VirtualModule>(std::move(*parsed));
}

Result<bool> VirtualRuntime::run(Function &function, const Launch &launch) {
  auto &kernel = static_cast<VirtualFunction &>(function);
  auto *stream = static_cast<VirtualStream *>(launch.stream);
  vgpu::LaunchConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicSharedBytes = launch.dynamicSharedBytes;
  config.checks = options.checks;
  config.maxWarpInstructionsPerBlock = options.instructionLimit;
  config.usePtxas = options.usePtxas;
  if (stream)
    config.recent = stream->written;
  vgpu::FailureKind why = vgpu::FailureKind::Refused;
  vgpu::Finding finding;
  latestFinding.reset();
  Expected<vgpu::LaunchReport> report =
      gpu.launch(*kernel.module, kernel.name, config, launch.params,
                 launch.paramCount, &why, &finding);
  if (!report) {
    RuntimeFailure failure(report.error());
    if (why == vgpu::FailureKind::Finding) {
      failure.kind = FailureKind::Finding;
      latestFinding = std::move(finding);
    }
    return tl::unexpected(std::move(failure));
  }
  if (stream)
    stream->written = report->written;
  logLaunch({kernel.name, launch.grid, launch.block, launch.dynamicSharedBytes,
             report->sharedBytesPerBlock, report->virtualSeconds,
             std::move(*report)});
  return true;
}

Result<void *> VirtualRuntime::allocate(uint64_t bytes, Stream *,
                                        bool isHostShared) {
  Expected<void *> allocated = gpu.memory().allocate(bytes);
  if (!allocated)
    return tl::unexpected(allocated.error());
  // The host may write shared memory without a word.
  if (isHostShared)
    gpu.memory().markWritten(*allocated, bytes);
  return *allocated;
}

Result<bool> VirtualRuntime::checkCopy(const void *pointer, uint64_t bytes,
                                       const char *what) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  vgpu::RangeTable table = gpu.memory().snapshot();
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

Result<bool> VirtualRuntime::copy(void *to, const void *from, uint64_t bytes,
                                  Stream *) {
  Result<bool> ok = checkCopy(to, bytes, "memcpy to the device");
  if (ok)
    ok = checkCopy(from, bytes, "memcpy from the device");
  if (!ok)
    return ok;
  std::memmove(to, from, bytes);
  gpu.memory().markWritten(to, bytes);
  return true;
}

template <typename T>
Result<bool> VirtualRuntime::fill(T *to, T value, size_t count) {
  Result<bool> ok = checkCopy(to, count * sizeof(T), "memset");
  if (!ok)
    return ok;
  for (size_t i = 0; i < count; ++i)
    to[i] = value;
  gpu.memory().markWritten(to, count * sizeof(T));
  return true;
}

} // namespace

std::optional<vgpu::Finding> lastFinding() { return latestFinding; }

Expected<std::unique_ptr<Device>> makeVirtualRuntime(const DeviceSpec &spec) {
  Options options;
  Expected<vgpu::CheckOptions> checks = vgpu::checkOptionsFromEnvironment();
  if (!checks)
    return tl::unexpected(checks.error());
  options.checks = *checks;
  Expected<uint64_t> limit = vgpu::instructionLimitFromEnvironment();
  if (!limit)
    return tl::unexpected(limit.error());
  options.instructionLimit = *limit;
  Expected<bool> usePtxas = asksPtxas();
  if (!usePtxas)
    return tl::unexpected(usePtxas.error());
  options.usePtxas = *usePtxas;
  return std::make_unique<VirtualRuntime>(spec, options);
}

} // namespace dietcode::runtime
