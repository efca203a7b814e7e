//===- HostRanges.cpp - Host memory that kernels access -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostRanges.h"
#include <algorithm>
#include <new>
#include <unistd.h>

using namespace dietcode;
using namespace dietcode::runtime;

CudaHostRanges::CudaHostRanges(CudaSession &session)
    : session(session),
      reachesAll(session.attribute(cuda::kPageableMemoryAccess) != 0) {}

Result<bool> CudaHostRanges::add(void *pointer, uint64_t bytes,
                                 const std::string &label) {
  if (!reachesAll && !session.attribute(cuda::kHostPointersOfRegistered))
    return fail(session.name + " knows host memory by other addresses than "
                               "the host; give programs device memory");
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  auto address = reinterpret_cast<uint64_t>(pointer);
  uint64_t begin = address / page * page;
  uint64_t end = (address + bytes + page - 1) / page * page;
  if (reachesAll || !bytes)
    end = begin;
  std::string what = session.name + ": cannot register " +
                     std::to_string(bytes) + " bytes of host memory" +
                     (label.empty() ? "" : " '" + label + "'");
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<uint64_t> used;
  Result<bool> status = true;
  try {
    status = use(begin, end, what, used);
    if (status)
      ranges[address].push_back(used);
  } catch (const std::bad_alloc &) {
    if (auto at = ranges.find(address);
        at != ranges.end() && at->second.empty())
      ranges.erase(at);
    (void)release(used);
    throw;
  }
  if (!status)
    (void)release(used);
  return status;
}

/// Registers what of [begin, end) is not yet, and counts in `used` what is.
Result<bool> CudaHostRanges::use(uint64_t begin, uint64_t end,
                                 const std::string &what,
                                 std::vector<uint64_t> &used) {
  while (begin < end) {
    used.reserve(used.size() + 1); // What is registered must not get lost.
    auto next = runs.upper_bound(begin);
    auto before = next == runs.begin() ? runs.end() : std::prev(next);
    if (before == runs.end() || before->second.end <= begin) {
      uint64_t until = next == runs.end() ? end : std::min(end, next->first);
      if (Result<bool> done = registerGap(begin, until, what); !done)
        return done;
      before = runs.find(begin);
    }
    used.push_back(before->first);
    ++before->second.uses;
    begin = before->second.end;
  }
  return true;
}

Result<bool> CudaHostRanges::registerGap(uint64_t begin, uint64_t end,
                                         const std::string &what) {
  auto run = runs.try_emplace(begin, Run{end}).first;
  cuda::Result result =
      session.driver.registerHost(reinterpret_cast<void *>(begin), end - begin,
                                  cuda::kHostPortableAndMapped);
  run->second.isOurs = result != cuda::kHostAlreadyRegistered;
  if (!run->second.isOurs || result == cuda::kSuccess)
    return true;
  runs.erase(run);
  return tl::unexpected(session.failure(what, result));
}

/// Unregisters what nobody uses any more.
Result<bool> CudaHostRanges::release(const std::vector<uint64_t> &used) {
  Result<bool> status = true;
  for (uint64_t begin : used) {
    auto run = runs.find(begin);
    if (--run->second.uses)
      continue;
    bool isOurs = run->second.isOurs;
    runs.erase(run);
    cuda::Result result =
        isOurs ? session.driver.unregisterHost(reinterpret_cast<void *>(begin))
               : cuda::kSuccess;
    if (result != cuda::kSuccess && status)
      status = tl::unexpected(session.failure(
          session.name + ": cannot unregister host memory", result));
  }
  return status;
}

Result<bool> CudaHostRanges::remove(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = ranges.find(reinterpret_cast<uint64_t>(pointer));
  if (found == ranges.end())
    return fail("cannot unregister host memory that is not registered");
  std::vector<uint64_t> used = std::move(found->second.back());
  found->second.pop_back();
  if (found->second.empty())
    ranges.erase(found);
  return release(used);
}
