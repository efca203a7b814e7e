//===- PtxJob.cpp - Runs one kernel of a PTX file -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/VirtualGPU/PtxJob.h"
#include "dietcode/VirtualGPU/Module.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace dietcode;
using namespace dietcode::vgpu;

static Expected<std::shared_ptr<const Module>>
loadModule(const std::string &file, const std::string &kernel) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return fail("cannot open '" + file + "'");
  std::string text(std::istreambuf_iterator<char>(stream), {});
  return parseModule(text, file, kernel);
}

/// The kernel that the job names, or the only one.
static Expected<std::string> findKernel(const Module &module,
                                        const std::string &name) {
  if (!name.empty() && module.lookupKernel(name))
    return name;
  if (name.empty() && module.kernels().size() == 1)
    return module.kernels().front().name;
  std::string known;
  for (const KernelInfo &kernel : module.kernels())
    known += (known.empty() ? "" : ", ") + kernel.name;
  if (known.empty())
    return fail(module.name() + " has no kernel");
  return fail(
      name.empty()
          ? module.name() + " has several kernels (" + known + "); choose one"
          : module.name() + " has no kernel '" + name + "'; it has " + known);
}

/// Sizes of the arguments must be those of the parameters.
static Expected<bool> checkArguments(const Module &module,
                                     const std::string &kernel,
                                     const PtxJob &job) {
  const KernelInfo &info = *module.lookupKernel(kernel);
  if (info.paramBytes.size() != job.arguments.size())
    return fail("kernel '" + kernel + "' has " +
                std::to_string(info.paramBytes.size()) + " parameters, got " +
                std::to_string(job.arguments.size()) + " arguments");
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    const PtxArgument &argument = job.arguments[i];
    size_t bytes = argument.isBuffer ? sizeof(void *) : argument.bytes.size();
    if (bytes != info.paramBytes[i])
      return fail("parameter " + std::to_string(i) + " of kernel '" + kernel +
                  "' has " + std::to_string(info.paramBytes[i]) +
                  " bytes, argument '" + argument.text + "' has " +
                  std::to_string(bytes));
  }
  return true;
}

namespace {

/// The arguments on the device.
struct DeviceArguments {
  std::vector<void *> buffers; ///< Null for scalars.
  std::vector<void *> params;  ///< Points at the value of each parameter.
};

} // namespace

/// Moves the arguments to the device's memory, which frees them when it ends.
static Expected<DeviceArguments> upload(Memory &memory, const PtxJob &job) {
  DeviceArguments device;
  device.buffers.resize(job.arguments.size());
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    const PtxArgument &argument = job.arguments[i];
    if (!argument.isBuffer) {
      device.params.push_back(const_cast<char *>(argument.bytes.data()));
      continue;
    }
    Expected<void *> buffer =
        memory.allocate(argument.bytes.size(), "argument " + std::to_string(i) +
                                                   " (" + argument.text + ")");
    if (!buffer)
      return fail(buffer.error().message);
    if (!argument.bytes.empty())
      std::memcpy(*buffer, argument.bytes.data(), argument.bytes.size());
    // The bytes of a new buffer are there to be written by the kernel.
    if (argument.text.compare(0, 4, "out:") != 0)
      memory.markWritten(*buffer, argument.bytes.size());
    device.buffers[i] = *buffer;
    device.params.push_back(&device.buffers[i]);
  }
  return device;
}

/// Writes to a temporary file and renames it, so that there is no half-written
/// output.
static Expected<bool> writeOutput(const std::string &file, const void *data,
                                  size_t size) {
  std::string temporary = file + ".tmp";
  std::ofstream stream(temporary, std::ios::binary);
  stream.write(static_cast<const char *>(data),
               static_cast<std::streamsize>(size));
  stream.close();
  if (stream && std::rename(temporary.c_str(), file.c_str()) == 0)
    return true;
  std::remove(temporary.c_str());
  return fail("cannot write '" + file + "'");
}

Expected<PtxJobResult> dietcode::vgpu::runPtxJob(const PtxJob &job,
                                                 const DeviceSpec &device,
                                                 FailureKind *kind,
                                                 Finding *finding) {
  if (kind)
    *kind = FailureKind::Refused;
  Expected<std::shared_ptr<const Module>> module =
      loadModule(job.file, job.kernel);
  if (!module)
    return fail(module.error().message);
  Expected<std::string> kernel = findKernel(**module, job.kernel);
  if (!kernel)
    return fail(kernel.error().message);
  if (Expected<bool> fits = checkArguments(**module, *kernel, job); !fits)
    return fail(fits.error().message);
  VirtualGPU gpu(device);
  Expected<DeviceArguments> arguments = upload(gpu.memory(), job);
  if (!arguments)
    return fail(arguments.error().message);
  Expected<LaunchReport> report =
      gpu.launch(**module, *kernel, job.config, arguments->params.data(),
                 arguments->params.size(), kind, finding);
  if (!report)
    return fail(report.error().message);
  if (job.config.timeOnly)
    return PtxJobResult{*kernel, *report};
  for (size_t i = 0; i < job.arguments.size(); ++i)
    if (const auto &file = job.arguments[i].outputFile)
      if (Expected<bool> written = writeOutput(*file, arguments->buffers[i],
                                               job.arguments[i].bytes.size());
          !written)
        return fail(written.error().message);
  return PtxJobResult{*kernel, *report};
}
