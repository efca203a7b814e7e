//===- Module.cpp - Loading PTX modules -----------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/Module.h"
#include "Program.h"
#include "Syntax.h"
#include "Timing/Registers.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dietcode::vgpu {
namespace {

/// Most bytes of a module's variables.
constexpr uint64_t maxGlobalBytes = uint64_t(1) << 30;

/// Storage for the module's variables, at their alignment.
Expected<bool> allocateGlobals(const RawModule &raw, Module::Impl &impl) {
  uint64_t total = 0;
  for (const Variable &variable : raw.variables) {
    if (variable.space != Space::Global && variable.space != Space::Const)
      continue;
    uint64_t align = std::max(16u, variable.align);
    total += variable.size + align;
    // Zeroed memory costs nothing until it is used, however large it is.
    Module::Impl::Storage storage(
        total > maxGlobalBytes
            ? nullptr
            : static_cast<uint8_t *>(std::calloc(variable.size + align, 1)));
    if (!storage)
      return fail(impl.name + ": the variables up to '" + variable.name +
                  "' take " + std::to_string(total) + " bytes; the limit is " +
                  std::to_string(maxGlobalBytes));
    auto address = reinterpret_cast<uint64_t>(storage.get());
    auto *data = storage.get() + (align - address % align) % align;
    std::copy(variable.initializer.begin(), variable.initializer.end(), data);
    impl.globals.push_back(
        {variable.name, variable.size, variable.align, data});
    impl.storage.push_back(std::move(storage));
  }
  return true;
}

/// Addresses of functions can be stored and compared, no more: calls through
/// them are refused. They are where no memory is.
constexpr uint64_t functionWindow = uint64_t(0xf4) << 56;

/// The address of a variable or a function; 0 if there is no such one.
uint64_t addressOf(const std::string &symbol, const RawModule &raw,
                   const Module::Impl &impl) {
  for (const GlobalVariable &global : impl.globals)
    if (global.name == symbol)
      return reinterpret_cast<uint64_t>(global.data);
  auto function = raw.functions.find(symbol);
  if (function == raw.functions.end())
    return 0;
  auto index = std::distance(raw.functions.begin(), function);
  return functionWindow + 16 * static_cast<uint64_t>(index + 1);
}

/// Fills in the addresses in initializers.
Expected<bool> relocateGlobals(const RawModule &raw, Module::Impl &impl) {
  for (const Variable &variable : raw.variables) {
    if (variable.relocations.empty())
      continue;
    auto named = [&](const std::string &name) {
      return std::find_if(
          impl.globals.begin(), impl.globals.end(),
          [&](const GlobalVariable &global) { return global.name == name; });
    };
    for (const Relocation &relocation : variable.relocations) {
      uint64_t address = addressOf(relocation.symbol, raw, impl);
      if (!address)
        return fail(impl.name + ":" + std::to_string(relocation.line) +
                    ": unsupported initializer '" + relocation.symbol +
                    "': it is neither a function nor a variable in global or "
                    "constant memory");
      address += static_cast<uint64_t>(relocation.addend);
      address >>= relocation.shift;
      std::memcpy(named(variable.name)->data + relocation.offset, &address,
                  relocation.bytes);
    }
  }
  return true;
}

KernelInfo describe(Program &program) {
  KernelInfo info;
  info.name = program.name;
  for (const Param &param : program.params)
    info.paramBytes.push_back(param.size);
  info.liveRegisters = program.liveRegisters;
  const DeviceSpec &t4 = *lookupDevice("t4");
  program.wantedRegisters = wantedRegisters(program, t4);
  info.estimatedRegisters = estimateRegisters(program, t4);
  info.staticSharedBytes = program.staticSharedBytes;
  info.localBytes = program.localBytes;
  info.instructions = static_cast<uint32_t>(
      std::count_if(program.code.begin(), program.code.end(),
                    [](const Inst &inst) { return inst.pipe != Pipe::None; }));
  return info;
}

} // namespace

Module::Module(std::unique_ptr<Impl> impl) : pimpl(std::move(impl)) {}
Module::~Module() = default;

const std::string &Module::name() const { return pimpl->name; }

const std::vector<KernelInfo> &Module::kernels() const {
  return pimpl->kernels;
}

const KernelInfo *Module::lookupKernel(std::string_view kernel) const {
  for (const KernelInfo &info : pimpl->kernels)
    if (info.name == kernel)
      return &info;
  return nullptr;
}

Expected<std::shared_ptr<const Module>>
parseModule(std::string_view text, std::string name,
            std::string_view onlyKernel) {
  Expected<RawModule> raw = parsePtx(text, name);
  if (!raw)
    return tl::unexpected(raw.error());
  auto impl = std::make_unique<Module::Impl>();
  impl->name = std::move(name);
  impl->text = text;
  impl->chip = raw->chip;
  if (auto ok = allocateGlobals(*raw, *impl); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = relocateGlobals(*raw, *impl); !ok)
    return tl::unexpected(ok.error());
  for (const RawKernel &kernel : raw->kernels) {
    if (!onlyKernel.empty() && kernel.name != onlyKernel) {
      KernelInfo other;
      other.name = kernel.name;
      impl->kernels.push_back(std::move(other));
      continue;
    }
    Expected<RawKernel> inlined = inlineCalls(*raw, kernel, impl->name);
    if (!inlined)
      return tl::unexpected(inlined.error());
    Expected<Program> program =
        decodeKernel(*raw, *inlined, impl->globals, impl->name);
    if (!program)
      return tl::unexpected(program.error());
    if (impl->programs.count(kernel.name))
      return fail(impl->name + ": kernel '" + kernel.name +
                  "' is defined twice");
    impl->kernels.push_back(describe(*program));
    impl->programs.emplace(kernel.name, std::move(*program));
  }
  return std::make_shared<const Module>(std::move(impl));
}

} // namespace dietcode::vgpu
