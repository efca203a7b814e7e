//===- Streams.cpp - Streams of a CUDA device -----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Streams.h"
#include "dietcode/Target/LaunchLimits.h"
#include <algorithm>

using namespace dietcode;
using namespace dietcode::runtime;

/// Streams of ours that are kept for the next program; creating one takes
/// longer than many a kernel.
static constexpr size_t kMostSpare = 16;
/// Streams of callers, no longer in use, that work may be left on.
static constexpr size_t kMostGone = 32;

std::string LaunchSite::print() const {
  return "kernel '" + kernel + "', grid " + printTriple(grid) + ", block " +
         printTriple(block) + ", " + std::to_string(dynamicSharedBytes) +
         " bytes of dynamic shared memory";
}

CudaStreams::CudaStreams(CudaSession &session)
    : session(session),
      defaultStream(addState(), /*isDeferred=*/false, /*order=*/0) {
  spare.reserve(kMostSpare);
  session.lastLaunch = [this] {
    std::lock_guard<std::mutex> lock(siteMutex);
    return lastSite.kernel.empty() ? "" : lastSite.print();
  };
}

CudaStreams::~CudaStreams() {
  for (auto &state : states) {
    if (!state->isCallers && state->handle)
      session.driver.destroyStream(state->handle);
    if (state->tail)
      session.driver.destroyEvent(state->tail);
  }
}

StreamState &CudaStreams::addState() {
  states.push_back(std::make_unique<StreamState>());
  states.back()->id = nextId++;
  return *states.back();
}

void CudaStreams::eraseState(StreamState &state) {
  if (state.tail && session.checkUsable())
    session.driver.destroyEvent(state.tail);
  states.erase(
      std::find_if(states.begin(), states.end(),
                   [&](const auto &each) { return each.get() == &state; }));
}

RuntimeFailure CudaStreams::failureIn(const StreamState &state,
                                      cuda::Result result) {
  return session.failure(state.last.kernel.empty()
                             ? session.name + ": cannot wait for a stream"
                             : state.last.print(),
                         result);
}

/// They wait for the default stream, and it for them: who mixes calls with and
/// without a stream gets what is written.
Result<Stream *> CudaStreams::create() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!spare.empty()) {
    std::unique_ptr<CudaStream> stream = makeStream(*spare.back(), false);
    spare.pop_back();
    return stream.release();
  }
  NewState state(*this);
  std::unique_ptr<CudaStream> stream = makeStream(state.get(), false);
  cuda::Result result =
      session.driver.createStream(&state.get().handle, cuda::kBlockingStream);
  if (result != cuda::kSuccess)
    return tl::unexpected(
        session.failure(session.name + ": cannot create a stream", result));
  state.keep();
  return stream.release();
}

CudaStream *CudaStreams::adopt(cuda::Stream handle, bool isDeferred) {
  std::lock_guard<std::mutex> lock(mutex);
  // The caller has the default stream, too.
  auto use = [&](StreamState &state) {
    std::unique_ptr<CudaStream> stream = makeStream(state, isDeferred);
    ++state.callers;
    return stream.release();
  };
  if (!handle)
    return use(defaultStream.state);
  for (auto &state : states)
    if (state->isCallers && state->handle == handle)
      return use(*state);
  NewState state(*this);
  CudaStream *stream = use(state.get());
  state.get().handle = handle;
  state.get().isCallers = true;
  state.keep();
  return stream;
}

Result<bool> CudaStreams::destroy(CudaStream *stream) {
  std::unique_ptr<CudaStream> owned(stream);
  StreamState &state = stream->state;
  std::unique_lock<std::mutex> lock(mutex);
  if (!state.handle || state.isCallers)
    return --state.callers || !state.handle ? true : release(state);
  if (spare.size() < kMostSpare) {
    spare.push_back(&state);
    return true;
  }
  lock.unlock();
  // Nobody can ask a stream that is gone what was left on it.
  return inContext(session, [&]() -> Result<bool> {
    Result<bool> waited = synchronize(*stream);
    std::lock_guard<std::mutex> again(mutex);
    cuda::Result result = session.driver.destroyStream(state.handle);
    eraseState(state);
    if (!waited)
      return waited;
    return session.check(
        result, [&] { return session.name + ": cannot destroy a stream"; });
  });
}

/// The caller may destroy its stream from now on.
Result<bool> CudaStreams::release(StreamState &state) {
  Result<bool> isLeft = state.enqueued != state.done;
  if (*isLeft)
    isLeft = inContext(session, [&] { return markEnd(state); });
  if (!isLeft || !*isLeft) {
    eraseState(state);
    return isLeft;
  }
  return inContext(session, [&] { return pruneGone(); });
}

/// Records an event behind the last work, or waits. Returns whether work may be
/// left.
Result<bool> CudaStreams::markEnd(StreamState &state) {
  const cuda::Driver &driver = session.driver;
  cuda::Result result = cuda::kSuccess;
  if (!state.tail)
    result = driver.createEvent(&state.tail, cuda::kEventWithoutTime);
  if (result == cuda::kSuccess)
    result = driver.recordEvent(state.tail, state.handle);
  if (result == cuda::kSuccess)
    return true;
  return session
      .check(
          driver.synchronizeStream(state.handle),
          [&] { return session.name + ": cannot wait for a caller's stream"; })
      .map([](bool) { return false; });
}

/// Forgets streams of callers on which nothing is left.
Result<bool> CudaStreams::pruneGone() {
  auto isGone = [](const std::unique_ptr<StreamState> &state) {
    return state->isCallers && state->callers == 0;
  };
  if (static_cast<size_t>(
          std::count_if(states.begin(), states.end(), isGone)) <= kMostGone)
    return true;
  for (size_t i = states.size(); i-- > 0;) {
    if (!isGone(states[i]))
      continue;
    if (Result<bool> asked = query(*states[i]); !asked)
      return asked;
    if (states[i]->done == states[i]->enqueued)
      eraseState(*states[i]);
  }
  return true;
}

void CudaStreams::noteWork(CudaStream &stream, const LaunchSite *site) {
  {
    // First: copying names may throw, and the work is there anyway.
    std::lock_guard<std::mutex> lock(mutex);
    stream.state.enqueued = ++latest;
    if (site)
      stream.state.last = *site;
  }
  if (!site)
    return;
  std::lock_guard<std::mutex> lock(siteMutex);
  lastSite = *site;
}

Result<bool> CudaStreams::synchronize(CudaStream &stream) {
  StreamState &state = stream.state;
  uint64_t mark = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    mark = state.enqueued;
    if (mark == state.done && !state.isCallers && state.handle)
      return true; // Nobody else puts work into it.
  }
  cuda::Result result = session.driver.synchronizeStream(state.handle);
  std::lock_guard<std::mutex> lock(mutex);
  if (result != cuda::kSuccess)
    return tl::unexpected(failureIn(state, result));
  state.done = std::max(state.done, mark);
  return true;
}

Result<bool> CudaStreams::waitEvent(CudaStream &stream, cuda::Event event) {
  Result<bool> waits = session.check(
      session.driver.waitEvent(stream.state.handle, event, 0),
      [&] { return session.name + ": a stream cannot wait for an event"; });
  if (waits)
    noteWork(stream);
  return waits;
}

bool CudaStreams::isDone(uint64_t number) const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::all_of(states.begin(), states.end(), [&](const auto &state) {
    return state->done == state->enqueued || state->done >= number;
  });
}

/// Work that came in since is not noted yet, and not counted as done.
Result<bool> CudaStreams::query(StreamState &state) {
  bool isGone = state.isCallers && state.callers == 0;
  cuda::Result result = isGone ? session.driver.queryEvent(state.tail)
                               : session.driver.queryStream(state.handle);
  if (result == cuda::kSuccess)
    state.done = state.enqueued;
  else if (result != cuda::kNotReady)
    return tl::unexpected(failureIn(state, result));
  return true;
}

Result<bool> CudaStreams::poll() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &state : states)
    if (state->done != state->enqueued)
      if (Result<bool> asked = query(*state); !asked)
        return asked;
  return true;
}
