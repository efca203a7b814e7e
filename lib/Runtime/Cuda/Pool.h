//===- Pool.h - Memory of a CUDA device -------------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation by the driver takes longer than many a kernel, and waits for
// the device, so what is freed is kept for the next allocation of its size
// class. It is given out again
//
//   - once all work that was enqueued before it was freed is known to have come
//     to its end, or
//   - before that, to the stream that it was freed on, if the host does not
//     touch it: it is not shared with the host, or the stream is deferred.
//
// What is in between is left alone, and the driver asked for more.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CUDA_POOL_H
#define DIETCODE_LIB_RUNTIME_CUDA_POOL_H

#include "Streams.h"
#include <map>

namespace dietcode::runtime {

/// What a pool keeps at most when nothing is in use, in bytes: what
/// DIETCODE_CUDA_POOL_BYTES says, or else a quarter of the device.
Expected<uint64_t> poolBytesFromEnvironment(uint64_t deviceBytes);

class CudaPool {
public:
  CudaPool(CudaSession &session, CudaStreams &streams, uint64_t mostKept)
      : session(session), streams(streams), mostKept(mostKept) {}
  ~CudaPool();

  // In the context.
  Result<void *> allocate(uint64_t bytes, CudaStream &stream,
                          bool isHostShared);
  Result<bool> free(void *pointer, CudaStream &stream);

  void startCounting();
  vgpu::AllocationCounts counts();

private:
  /// What blocks that can stand in for each other have in common.
  struct SizeClass {
    bool isHostShared;
    uint64_t bytes;
    bool operator<(const SizeClass &other) const {
      return std::pair(isHostShared, bytes) <
             std::pair(other.isHostShared, other.bytes);
    }
  };
  struct Block {
    cuda::Pointer pointer;
    uint64_t freedAt; ///< CudaStreams::now.
    uint64_t order;   ///< Of the stream that it was freed on.
  };
  struct Live {
    SizeClass sizeClass;
    uint64_t bytes; ///< That were asked for.
  };

  std::optional<cuda::Pointer> reuse(const SizeClass &sizeClass,
                                     const CudaStream &stream);
  Result<cuda::Pointer> allocateNew(const SizeClass &sizeClass, uint64_t bytes);
  cuda::Result askDriver(const SizeClass &sizeClass, cuda::Pointer *pointer);
  Result<bool> trim(uint64_t limit);
  void count(const Live &live);

  CudaSession &session;
  CudaStreams &streams;
  const uint64_t mostKept;
  std::mutex mutex;
  std::unordered_map<cuda::Pointer, Live> live;
  std::map<SizeClass, std::vector<Block>> kept; ///< Each with the newest last.
  uint64_t keptBytes = 0;
  uint64_t liveBytes = 0;   ///< As asked for.
  uint64_t liveAtStart = 0; ///< When counting started.
  vgpu::AllocationCounts counted;
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CUDA_POOL_H
