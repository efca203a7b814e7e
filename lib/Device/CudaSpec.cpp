//===- CudaSpec.cpp - What is known of a GPU of this machine --------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaSpec.h"
#include "CudaDevice.h"

#include <cctype>
#include <map>
#include <mutex>

using namespace dietcode;
using namespace dietcode::cuda;

Expected<DeviceHandle> cuda::findDevice(const Driver &driver, int index) {
  std::string name = "cuda:" + std::to_string(index);
  int count = 0;
  if (Result result = driver.deviceCount(&count); result != kSuccess)
    return tl::unexpected(driver.error(name, result));
  if (index >= count)
    return fail(name + ": there " +
                (count == 1
                     ? "is 1 CUDA device"
                     : "are " + std::to_string(count) + " CUDA devices") +
                (count > 0 ? ", numbered from 0" : ""));
  DeviceHandle handle = 0;
  if (Result result = driver.deviceGet(&handle, index); result != kSuccess)
    return tl::unexpected(driver.error(name, result));
  return handle;
}

/// Some of its words in a row spell the name.
bool cuda::isProduct(std::string_view product, std::string_view name) {
  std::vector<std::string> words(1);
  for (char c : product) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() +=
          static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  for (size_t first = 0; first < words.size(); ++first) {
    std::string spelt;
    for (size_t last = first; last < words.size(); ++last)
      if ((spelt += words[last]) == name)
        return true;
  }
  return false;
}

namespace {

/// Asks the driver about one device.
class Query {
public:
  Query(const Driver &driver, DeviceHandle handle)
      : driver(driver), handle(handle) {}

  std::string product() const {
    char name[256] = "";
    driver.deviceName(name, sizeof(name), handle);
    return name;
  }
  /// Sets `value`, unless the driver does not know.
  template <typename T>
  void read(Attribute attribute, T &value, double factor = 1) const {
    int answer = 0;
    if (driver.deviceAttribute(&answer, attribute, handle) == kSuccess &&
        answer > 0)
      value = static_cast<T>(answer * factor);
  }
  int capability() const {
    int major = 0, minor = 0;
    read(kCapabilityMajor, major);
    read(kCapabilityMinor, minor);
    return 10 * major + minor;
  }

private:
  const Driver &driver;
  DeviceHandle handle;
};

} // namespace

/// The entry of the table that comes nearest.
static const DeviceSpec *findNearest(const Query &query, bool &isExact) {
  std::string product = query.product();
  const DeviceSpec *nearest = nullptr;
  int best = 0;
  for (std::string_view name : knownDeviceNames()) {
    const DeviceSpec *entry = lookupDevice(name);
    isExact = isProduct(product, name);
    if (isExact)
      return entry;
    int capability = lookupChip(entry->chip)->computeCapability;
    if (capability <= query.capability() && capability > best) {
      nearest = entry;
      best = capability;
    }
  }
  return nearest;
}

/// A bus transfers twice in each cycle of the memory clock.
static double theoreticalBandwidth(const Query &query) {
  double hertz = 0, bytes = 0;
  query.read(kMemoryClockKilohertz, hertz, 1e3);
  query.read(kMemoryBusBits, bytes, 1.0 / 8);
  return 2 * hertz * bytes;
}

static DeviceSpec describe(const Query &query, const DeviceSpec &entry) {
  DeviceSpec spec = entry;
  spec.calibrated = false;
  query.read(kMultiprocessors, spec.smCount);
  query.read(kClockKilohertz, spec.clockHz, 1e3);
  query.read(kMaxThreadsPerBlock, spec.maxThreadsPerBlock);
  query.read(kThreadsPerMultiprocessor, spec.maxThreadsPerSM);
  spec.maxWarpsPerSM = spec.maxThreadsPerSM / spec.warpSize;
  query.read(kRegistersPerMultiprocessor, spec.registersPerSM);
  query.read(kSharedPerBlock, spec.staticSharedPerBlock);
  query.read(kSharedPerBlockOptIn, spec.optInSharedPerBlock);
  query.read(kSharedPerMultiprocessor, spec.sharedPerSM);
  query.read(kL2Bytes, spec.l2Bytes);
  // About what a copy reaches of it.
  constexpr double kReachable = 0.8;
  if (double bandwidth = theoreticalBandwidth(query); bandwidth > 0)
    spec.dramBytesPerSecond = kReachable * bandwidth;
  return spec;
}

/// Asks about the device with this number.
static Expected<Query> makeQuery(int index) {
  Expected<const Driver *> driver = loadDriver();
  if (!driver)
    return fail("cuda:" + std::to_string(index) + ": " +
                driver.error().message);
  Expected<DeviceHandle> handle = findDevice(**driver, index);
  if (!handle)
    return tl::unexpected(handle.error());
  return Query(**driver, *handle);
}

Expected<std::string> dietcode::cudaRecordName(int index) {
  Expected<Query> query = makeQuery(index);
  if (!query)
    return tl::unexpected(query.error());
  return "cuda:" + query->product();
}

Expected<const DeviceSpec *> dietcode::lookupCudaDevice(int index) {
  static std::mutex mutex;
  static std::map<int, DeviceSpec> specs;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = specs.find(index); known != specs.end())
    return &known->second;
  Expected<Query> query = makeQuery(index);
  if (!query)
    return tl::unexpected(query.error());
  bool isExact = false;
  const DeviceSpec *entry = findNearest(*query, isExact);
  if (!entry)
    return fail("cuda:" + std::to_string(index) + " is '" + query->product() +
                "' of compute capability " +
                std::to_string(query->capability() / 10) + "." +
                std::to_string(query->capability() % 10) +
                ", which is older than all that the device table knows");
  DeviceSpec spec = isExact ? *entry : describe(*query, *entry);
  return &specs.emplace(index, std::move(spec)).first->second;
}
