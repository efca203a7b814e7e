//===- MeasureJob.cpp - From a job to a record ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"
#include "dietcode/Measure/Measure.h"
#include "dietcode/Support/File.h"
#include <cmath>
#include <cstring>
#include <map>

using namespace dietcode;

namespace {

/// One job on one device, in this process. Methods return false once the record
/// says what is wrong.
class Measurement {
public:
  Measurement(const Job &job, const std::string &folder, Device &device)
      : job(job), folder(folder), device(device), record(job.record) {
    record.device = device.recordName();
    record.status = RecordStatus::Ok;
    record.error.clear();
    record.runs.clear();
    record.verified = false;
    record.registers = job.registers;
  }
  ~Measurement() { freeBuffers(); }

  Record run() {
    if (load() && verifyAll())
      timeAll();
    if (record.status != RecordStatus::Ok)
      record.runs.clear();
    return std::move(record);
  }

private:
  bool stop(RecordStatus status, const std::string &why) {
    record.status = status;
    record.error = why;
    return false;
  }
  bool stop(const Error &error) {
    return stop(RecordStatus::LaunchError, error.message);
  }

  std::string pathOf(const std::string &file) const {
    return folder + "/" + file;
  }

  bool load();
  bool verifyAll();
  bool verify(const JobVerify &verify);
  bool compare(const JobVerify &verify);
  bool timeAll();
  bool time(const JobTime &time);

  bool makeBuffers(const JobLaunch &launch, BufferUse use);
  bool fill(int index, DevicePointer pointer);
  Expected<std::vector<double>> readDoubles(const std::string &file,
                                            const JobOutput &output);
  void freeBuffers();
  std::optional<LaunchResult> launch(const JobLaunch &launch, LaunchMode mode);

  const Job &job;
  const std::string &folder;
  Device &device;
  Record record;
  std::shared_ptr<const DeviceModule> module;
  std::map<int, DevicePointer> buffers;
  std::map<int, std::string> initial; ///< Contents of the checked ones.
};

} // namespace

bool Measurement::load() {
  Expected<std::string> ptx = readFile(pathOf(job.ptx));
  if (!ptx)
    return stop(ptx.error());
  auto loaded = device.loadModule(*ptx, job.ptx);
  if (!loaded)
    return stop(loaded.error());
  module = std::move(*loaded);
  Expected<KernelFacts> facts = module->kernel(job.kernel);
  return facts ? true : stop(facts.error());
}

void Measurement::freeBuffers() {
  for (auto &[index, pointer] : buffers)
    (void)device.free(pointer);
  buffers.clear();
  initial.clear();
}

bool Measurement::makeBuffers(const JobLaunch &launch, BufferUse use) {
  for (const JobArgument &argument : launch.args) {
    int index = argument.buffer;
    if (index < 0 || buffers.count(index))
      continue;
    Expected<DevicePointer> pointer =
        device.allocate(job.buffers[static_cast<size_t>(index)].bytes, use,
                        "buffer " + std::to_string(index));
    if (!pointer)
      return stop(pointer.error());
    buffers[index] = *pointer;
    if (use == BufferUse::Checked && !fill(index, *pointer))
      return false;
  }
  return true;
}

/// Gives a buffer its initial contents. New memory is bytes of 0xff that nobody
/// may read yet.
bool Measurement::fill(int index, DevicePointer pointer) {
  const JobBuffer &buffer = job.buffers[static_cast<size_t>(index)];
  std::string &contents = initial[index];
  contents.assign(buffer.bytes, char(0xff));
  if (buffer.init == BufferInit::Uninitialized)
    return true;
  if (buffer.init == BufferInit::File) {
    Expected<std::string> file = readFile(pathOf(buffer.file));
    if (!file)
      return stop(file.error());
    if (file->size() != buffer.bytes)
      return stop(RecordStatus::LaunchError,
                  "'" + buffer.file + "' has " + std::to_string(file->size()) +
                      " bytes, buffer " + std::to_string(index) + " has " +
                      std::to_string(buffer.bytes));
    contents = std::move(*file);
  }
  Expected<bool> copied =
      device.copyToDevice(pointer, contents.data(), contents.size());
  return copied ? true : stop(copied.error());
}

static RecordStatus statusOf(LaunchFailure failure) {
  switch (failure) {
  case LaunchFailure::Refused:
    return RecordStatus::LaunchError;
  case LaunchFailure::Finding:
    return RecordStatus::Finding;
  case LaunchFailure::Endless:
    return RecordStatus::Timeout;
  }
  return RecordStatus::LaunchError;
}

std::optional<LaunchResult> Measurement::launch(const JobLaunch &launch,
                                                LaunchMode mode) {
  DeviceLaunch config;
  config.kernel = job.kernel;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicSharedBytes = launch.sharedBytes;
  config.registers = job.registers;
  for (const JobArgument &argument : launch.args) {
    config.params.push_back(argument.scalar);
    if (argument.buffer < 0)
      continue;
    DevicePointer pointer = buffers.at(argument.buffer) + argument.offset;
    config.params.back().resize(sizeof(pointer));
    std::memcpy(config.params.back().data(), &pointer, sizeof(pointer));
  }
  LaunchFailure failure = LaunchFailure::Refused;
  Expected<LaunchResult> result =
      device.launch(*module, config, mode, &failure);
  if (!result) {
    stop(statusOf(failure), result.error().message);
    return std::nullopt;
  }
  record.registers = job.registers ? job.registers : result->registers;
  record.sharedBytes = result->sharedBytes;
  record.blocksPerSM = result->blocksPerSM;
  record.threads = launch.block[0] * launch.block[1] * launch.block[2];
  return *result;
}

bool Measurement::verifyAll() {
  for (const JobVerify &launch : job.verify) {
    bool ok = verify(launch);
    freeBuffers();
    if (!ok)
      return false;
  }
  record.verified = !job.verify.empty();
  return true;
}

bool Measurement::verify(const JobVerify &verify) {
  return makeBuffers(verify, BufferUse::Checked) &&
         launch(verify, LaunchMode::Check) && compare(verify);
}

Expected<std::vector<double>>
Measurement::readDoubles(const std::string &file, const JobOutput &output) {
  Expected<std::string> bytes = readFile(pathOf(file));
  if (!bytes)
    return tl::unexpected(bytes.error());
  size_t count = elementCount(output);
  if (bytes->size() != count * sizeof(double))
    return fail("'" + file + "' has " + std::to_string(bytes->size()) +
                " bytes, but an output of " + std::to_string(count) +
                " elements needs " + std::to_string(count * sizeof(double)));
  std::vector<double> values(count);
  if (count != 0)
    std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

bool Measurement::compare(const JobVerify &verify) {
  std::map<int, std::string> contents;
  for (auto &[index, pointer] : buffers) {
    std::string &bytes = contents[index];
    bytes.resize(initial[index].size());
    Expected<bool> copied =
        device.copyToHost(bytes.data(), pointer, bytes.size());
    if (!copied)
      return stop(copied.error());
  }
  for (const JobOutput &output : verify.outputs) {
    auto got = contents.find(output.buffer);
    if (got == contents.end())
      return stop(RecordStatus::LaunchError, "the kernel does not get buffer " +
                                                 std::to_string(output.buffer) +
                                                 " of an output");
    OutputReference reference;
    Expected<std::vector<double>> values = readDoubles(output.expected, output);
    if (!values)
      return stop(values.error());
    reference.expected = std::move(*values);
    if (!output.magnitudes.empty()) {
      values = readDoubles(output.magnitudes, output);
      if (!values)
        return stop(values.error());
      reference.magnitudes = std::move(*values);
    }
    if (auto mistake = checkOutput(output, reference, got->second))
      return stop(RecordStatus::WrongResult, *mistake);
  }
  if (verify.untouched)
    for (auto &[index, bytes] : contents)
      if (auto mistake =
              checkUntouched(index, verify.outputs, initial[index], bytes))
        return stop(RecordStatus::WrongResult, *mistake);
  return true;
}

bool Measurement::timeAll() {
  for (const JobTime &launch : job.time)
    if (!time(launch))
      return false;
  return true;
}

bool Measurement::time(const JobTime &time) {
  if (!makeBuffers(time, BufferUse::Timed))
    return false;
  std::optional<LaunchResult> result = launch(time, LaunchMode::Time);
  if (!result)
    return false;
  if (!(result->seconds > 0) || !std::isfinite(result->seconds))
    return stop(RecordStatus::LaunchError,
                "the device says that a launch takes " +
                    std::to_string(result->seconds) + " s");
  int64_t blocks = time.grid[0] * time.grid[1] * time.grid[2];
  record.runs.push_back({time.shape, blocks, result->seconds, ""});
  return true;
}

Record dietcode::measureJob(const Job &job, const std::string &folder,
                            Device &device) {
  return Measurement(job, folder, device).run();
}
