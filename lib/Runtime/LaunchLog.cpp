//===- LaunchLog.cpp - What ran -------------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchLog.h"
#include "Device.h"

#include <atomic>

namespace dietcode::runtime {
namespace {

struct Entry {
  LaunchRecord record;
  std::unique_ptr<PendingTime> time;
};

struct LaunchLog {
  std::atomic<bool> active = false;
  std::mutex mutex;
  std::vector<Entry> entries;
};

LaunchLog &launchLog() {
  static auto *log = new LaunchLog;
  return *log;
}

} // namespace

bool isLoggingLaunches() {
  return launchLog().active.load(std::memory_order_relaxed);
}

void logLaunch(LaunchRecord record, std::unique_ptr<PendingTime> time) {
  if (!isLoggingLaunches())
    return;
  LaunchLog &log = launchLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  if (log.active)
    log.entries.push_back({std::move(record), std::move(time)});
}

void startLaunchLog() {
  LaunchLog &log = launchLog();
  std::vector<Entry> dropped;
  {
    std::lock_guard<std::mutex> lock(log.mutex);
    log.active = true;
    dropped.swap(log.entries);
  }
  if (Expected<Device *> device = Device::get())
    (*device)->startCounting();
}

std::vector<LaunchRecord> takeLaunchLog() {
  LaunchLog &log = launchLog();
  std::vector<Entry> taken;
  {
    std::lock_guard<std::mutex> lock(log.mutex);
    log.active = false;
    taken.swap(log.entries);
  }
  std::vector<LaunchRecord> records;
  for (Entry &entry : taken) {
    if (entry.time)
      entry.record.seconds = entry.time->seconds();
    records.push_back(std::move(entry.record));
  }
  return records;
}

} // namespace dietcode::runtime
