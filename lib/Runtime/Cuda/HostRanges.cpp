//===- CudaHostRanges.cpp - Host memory that kernels access ---------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaHostRanges.h"
#include <algorithm>
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
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<uint64_t> used;
  std::string what = session.name + ": cannot register " +
                     std::to_string(bytes) + " bytes of host memory" +
                     (label.empty() ? "" : " '" + label + "'");
  while (!reachesAll && bytes && begin < end) {
    auto next = runs.upper_bound(begin);
    auto before = next == runs.begin() ? runs.end() : std::prev(next);
    if (before == runs.end() || before->second.end <= begin) {
      uint64_t until = next == runs.end() ? end : std::min(end, next->first);
      if (Result<bool> done = registerGap(begin, until, what); !done) {
        (void)release(used);
        return done;
      }
      before = runs.find(begin);
    }
    ++before->second.uses;
    used.push_back(before->first);
    begin = before->second.end;
  }
  ranges[address].push_back(std::move(used));
  return true;
}

Result<bool> CudaHostRanges::registerGap(uint64_t begin, uint64_t end,
                                         const std::string &what) {
  cuda::Result result =
      session.driver.registerHost(reinterpret_cast<void *>(begin), end - begin,
                                  cuda::kHostPortableAndMapped);
  bool isOurs = result != cuda::kHostAlreadyRegistered;
  if (isOurs && result != cuda::kSuccess)
    return tl::unexpected(session.failure(what, result));
  runs[begin] = {end, 0, isOurs};
  return true;
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
