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
#include <set>

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
    record.registers = job.kernels.front().registers;
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

  bool makeBuffers(const JobSequence &launches, BufferUse use);
  bool fill(int index, DevicePointer pointer);
  Expected<std::vector<double>> readDoubles(const std::string &file,
                                            const JobOutput &output);
  void freeBuffers();
  DeviceLaunch translate(const JobLaunch &launch) const;
  bool launchAll(const JobSequence &launches);
  void describe(const JobLaunch &launch, const LaunchResult &result);

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
  for (const JobKernel &kernel : job.kernels)
    if (Expected<KernelFacts> facts = module->kernel(kernel.name); !facts)
      return stop(facts.error());
  return true;
}

void Measurement::freeBuffers() {
  for (auto &[index, pointer] : buffers)
    (void)device.free(pointer);
  buffers.clear();
  initial.clear();
}

/// The buffers that launches are given.
static std::set<int> buffersOf(const JobSequence &launches) {
  std::set<int> indices;
  for (const JobLaunch &launch : launches)
    for (const JobArgument &argument : launch.args)
      if (argument.buffer >= 0)
        indices.insert(argument.buffer);
  return indices;
}

bool Measurement::makeBuffers(const JobSequence &launches, BufferUse use) {
  for (int index : buffersOf(launches)) {
    if (buffers.count(index))
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

DeviceLaunch Measurement::translate(const JobLaunch &launch) const {
  const JobKernel &kernel = job.kernels[static_cast<size_t>(launch.kernel)];
  DeviceLaunch config;
  config.kernel = kernel.name;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicSharedBytes = launch.sharedBytes;
  config.registers = kernel.registers;
  for (const JobArgument &argument : launch.args) {
    config.params.push_back(argument.scalar);
    if (argument.buffer < 0)
      continue;
    DevicePointer pointer = buffers.at(argument.buffer) + argument.offset;
    config.params.back().resize(sizeof(pointer));
    std::memcpy(config.params.back().data(), &pointer, sizeof(pointer));
  }
  return config;
}

/// The record has what the first kernel takes.
void Measurement::describe(const JobLaunch &launch,
                           const LaunchResult &result) {
  if (launch.kernel != 0)
    return;
  int64_t assembled = job.kernels.front().registers;
  record.registers = assembled ? assembled : result.registers;
  record.sharedBytes = result.sharedBytes;
  record.blocksPerSM = result.blocksPerSM;
  record.threads = launch.block[0] * launch.block[1] * launch.block[2];
}

bool Measurement::launchAll(const JobSequence &launches) {
  for (const JobLaunch &launch : launches) {
    LaunchFailure failure = LaunchFailure::Refused;
    Expected<LaunchResult> result =
        device.launch(*module, translate(launch), &failure);
    if (!result)
      return stop(statusOf(failure), result.error().message);
    describe(launch, *result);
  }
  return true;
}

bool Measurement::verifyAll() {
  for (const JobVerify &run : job.verify) {
    bool ok = verify(run);
    freeBuffers();
    if (!ok)
      return false;
  }
  record.verified = !job.verify.empty();
  return true;
}

bool Measurement::verify(const JobVerify &verify) {
  return makeBuffers(verify.launches, BufferUse::Checked) &&
         launchAll(verify.launches) && compare(verify);
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
  for (auto &[index, bytes] : contents)
    if (verify.untouched && !job.buffers[static_cast<size_t>(index)].isScratch)
      if (auto mistake =
              checkUntouched(index, verify.outputs, initial[index], bytes))
        return stop(RecordStatus::WrongResult, *mistake);
  return true;
}

bool Measurement::timeAll() {
  for (const JobTime &run : job.time) {
    bool ok = time(run);
    freeBuffers();
    if (!ok)
      return false;
  }
  return true;
}

bool Measurement::time(const JobTime &time) {
  if (!makeBuffers(time.launches, BufferUse::Timed))
    return false;
  std::vector<DeviceLaunch> launches;
  for (const JobLaunch &launch : time.launches)
    launches.push_back(translate(launch));
  LaunchFailure failure = LaunchFailure::Refused;
  Expected<TimedRun> timed = device.time(*module, launches, &failure);
  if (!timed)
    return stop(statusOf(failure), timed.error().message);
  describe(time.launches.front(), timed->first);
  double seconds = timed->seconds;
  if (!(seconds > 0) || !std::isfinite(seconds))
    return stop(RecordStatus::LaunchError, "the device says that a run takes " +
                                               std::to_string(seconds) + " s");
  const std::array<int64_t, 3> &grid = time.launches.front().grid;
  record.runs.push_back(
      {time.shape, grid[0] * grid[1] * grid[2], seconds, "", timed->measured});
  return true;
}

Record dietcode::measureJob(const Job &job, const std::string &folder,
                            Device &device) {
  return Measurement(job, folder, device).run();
}
