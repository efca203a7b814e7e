//===- Streams.h - Streams of a CUDA device ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether memory can be used again depends on what has come to its end, and
// most of it is known without a call of the driver: each piece of work has a
// number, and of each stream is remembered up to which number it has been
// waited for.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CUDA_STREAMS_H
#define DIETCODE_LIB_RUNTIME_CUDA_STREAMS_H

#include "Session.h"

namespace dietcode::runtime {

/// A launch, for the errors that come up later.
struct LaunchSite {
  std::string kernel;
  std::array<int64_t, 3> grid = {};
  std::array<int64_t, 3> block = {};
  int64_t dynamicSharedBytes = 0;

  /// "kernel 'k', grid (..), block (..), n bytes of dynamic shared memory".
  std::string print() const;
};

/// What is known of a stream of the driver.
struct StreamState {
  cuda::Stream handle = nullptr;
  uint64_t id = 0;       ///< Never used again, unlike the handle.
  uint64_t enqueued = 0; ///< Number of the last work.
  uint64_t done = 0;     ///< Work up to this number is known to have ended.
  unsigned callers = 0;  ///< Of a caller's stream, how many use it now.
  bool isCallers = false;
  /// Of a caller's stream that may be gone, behind the last work.
  cuda::Event tail = nullptr;
  LaunchSite last; ///< The last launch.
};

struct CudaStream : Stream {
  CudaStream(StreamState &state, bool isDeferred, uint64_t order)
      : state(state), isDeferred(isDeferred), order(order) {}
  StreamState &state;
  /// The host does not wait for it, and looks at no memory before it has.
  const bool isDeferred;
  /// Equal for streams of which one's work is behind the other's, and 0 where a
  /// call gave no stream: what it means may have been used on any.
  const uint64_t order;
};

class CudaStreams {
public:
  explicit CudaStreams(CudaSession &session);
  ~CudaStreams();

  /// The one that is meant, or the default stream.
  CudaStream &orDefault(Stream *stream) {
    return stream ? static_cast<CudaStream &>(*stream) : defaultStream;
  }

  // In the context.
  Result<Stream *> create();
  Result<bool> synchronize(CudaStream &stream);
  Result<bool> waitEvent(CudaStream &stream, cuda::Event event);
  /// Asks the driver which streams have come to an end.
  Result<bool> poll();

  // In any case, as they only give back.
  Result<bool> destroy(CudaStream *stream);
  CudaStream *adopt(cuda::Stream handle, bool isDeferred);

  /// Says that work was put into a stream, after it was.
  void noteWork(CudaStream &stream, const LaunchSite *site = nullptr);
  /// The number of the latest work of all.
  uint64_t now() const { return latest.load(std::memory_order_acquire); }
  /// Whether all work up to a number is known to have ended.
  bool isDone(uint64_t number) const;

private:
  /// A state that goes again unless it is kept.
  class NewState {
  public:
    explicit NewState(CudaStreams &streams)
        : streams(streams), state(&streams.addState()) {}
    ~NewState() {
      if (state)
        streams.eraseState(*state);
    }
    NewState(const NewState &) = delete;
    NewState &operator=(const NewState &) = delete;
    StreamState &get() { return *state; }
    void keep() { state = nullptr; }

  private:
    CudaStreams &streams;
    StreamState *state;
  };

  StreamState &addState();
  static std::unique_ptr<CudaStream> makeStream(StreamState &state,
                                                bool isDeferred) {
    return std::make_unique<CudaStream>(state, isDeferred, state.id);
  }
  void eraseState(StreamState &state);
  Result<bool> release(StreamState &state);
  Result<bool> query(StreamState &state);
  Result<bool> markEnd(StreamState &state);
  Result<bool> pruneGone();
  RuntimeFailure failureIn(const StreamState &state, cuda::Result result);

  CudaSession &session;
  std::mutex siteMutex;
  LaunchSite lastSite; ///< On any stream.
  mutable std::mutex mutex;
  std::atomic<uint64_t> latest = 0;
  uint64_t nextId = 1;
  std::vector<std::unique_ptr<StreamState>> states;
  std::vector<StreamState *> spare; ///< Of ours, not in use.
  CudaStream defaultStream;
};

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CUDA_STREAMS_H
