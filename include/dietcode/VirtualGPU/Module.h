//===- Module.h - PTX modules for the virtual GPU ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_VIRTUALGPU_MODULE_H
#define DIETCODE_VIRTUALGPU_MODULE_H

#include "dietcode/Support/Expected.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode::vgpu {

/// What is known of a kernel without running it.
struct KernelInfo {
  std::string name;
  std::vector<uint32_t> paramBytes; ///< Size of each parameter.
  uint32_t liveRegisters = 0;       ///< 32-bit registers that are live at once.
  /// Per thread, what an assembler would allocate on a T4. Target/Ptxas.h asks
  /// one.
  uint32_t estimatedRegisters = 0;
  uint32_t staticSharedBytes = 0;
  uint32_t localBytes = 0;
  uint32_t instructions = 0;
};

/// A loaded PTX module: decoded kernels, and storage for its .global and .const
/// variables, which launches of the kernels may change.
class Module {
public:
  struct Impl;

  explicit Module(std::unique_ptr<Impl> impl);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// The name given to parseModule, which error messages start with.
  const std::string &name() const;
  const std::vector<KernelInfo> &kernels() const;
  /// Null if there is no such kernel.
  const KernelInfo *lookupKernel(std::string_view kernel) const;

  const Impl &impl() const { return *pimpl; }

private:
  std::unique_ptr<Impl> pimpl;
};

/// Parses and decodes PTX. Whatever the interpreter does not implement is an
/// error here that quotes the instruction and its line, never a guess later:
/// "matmul.ptx:123: unsupported instruction 'foo.bar %r1, %r2'".
/// With `onlyKernel` the others need only be PTX: the module knows their names,
/// and cannot launch them.
Expected<std::shared_ptr<const Module>>
parseModule(std::string_view text, std::string name,
            std::string_view onlyKernel = {});

} // namespace dietcode::vgpu

#endif // DIETCODE_VIRTUALGPU_MODULE_H
