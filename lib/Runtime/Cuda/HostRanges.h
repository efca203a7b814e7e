//===- HostRanges.h - Host memory that kernels access -----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver registers pages, and each of them once; programs register ranges,
// which may nest and share pages.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CUDA_HOSTRANGES_H
#define DIETCODE_LIB_RUNTIME_CUDA_HOSTRANGES_H

#include "Session.h"
#include <map>

namespace dietcode::runtime {

class CudaHostRanges {
public:
  explicit CudaHostRanges(CudaSession &session);

  // In the context.
  Result<bool> add(void *pointer, uint64_t bytes, const std::string &label);
  Result<bool> remove(void *pointer);

private:
  /// Pages that were registered together.
  struct Run {
    uint64_t end;
    unsigned uses = 0;
    bool isOurs = true; ///< Or else somebody has registered them before.
  };
  using Runs = std::map<uint64_t, Run>; ///< By their first address.

  Result<bool> use(uint64_t begin, uint64_t end, const std::string &what,
                   std::vector<uint64_t> &used);
  Result<bool> registerGap(uint64_t begin, uint64_t end,
                           const std::string &what);
  Result<bool> release(const std::vector<uint64_t> &used);

  CudaSession &session;
  bool reachesAll = false; ///< Kernels access any host memory.
  std::mutex mutex;
  Runs runs;
  /// Of each registration, the runs that it uses; the newest last.
  std::unordered_map<uint64_t, std::vector<std::vector<uint64_t>>> ranges;
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CUDA_HOSTRANGES_H
