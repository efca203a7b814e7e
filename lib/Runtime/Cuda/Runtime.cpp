//===- Runtime.cpp - Running programs on an NVIDIA GPU --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../LaunchLog.h"
#include "HostRanges.h"
#include "Modules.h"
#include "Pool.h"
#include "dietcode/Target/LaunchLimits.h"

namespace dietcode::runtime {
namespace {

struct CudaEvent : Event {
  cuda::Event handle = nullptr;
};

/// Between two events around a launch.
class EventTime : public PendingTime {
public:
  explicit EventTime(CudaSession &session) : session(session) {}
  ~EventTime() override;

  /// In the context.
  Result<bool> record(cuda::Event &event, const CudaStream &stream);
  std::optional<double> seconds() override;

  cuda::Event begin = nullptr, end = nullptr;

private:
  CudaSession &session;
};

class CudaRuntime : public Device {
public:
  CudaRuntime(std::unique_ptr<CudaSession> opened, uint64_t mostKept)
      : Device(opened->name + ", " + opened->product),
        session(std::move(opened)), streams(*session),
        pool(*session, streams, mostKept), modules(*session, streams),
        hostRanges(*session) {}

  Result<Stream *> createStream() override {
    return inContext(*session, [&] { return streams.create(); });
  }
  Result<bool> destroyStream(Stream *stream) override {
    return streams.destroy(static_cast<CudaStream *>(stream));
  }
  Result<Stream *> adoptStream(void *native, bool isDeferred) override {
    return streams.adopt(static_cast<cuda::Stream>(native), isDeferred);
  }
  Result<bool> synchronize(Stream *stream) override;

  Result<Event *> createEvent() override;
  Result<bool> destroyEvent(Event *event) override;
  Result<bool> recordEvent(Event *event, Stream *stream) override;
  Result<bool> synchronizeEvent(Event *event) override;
  Result<bool> waitEvent(Stream *stream, Event *event) override;

  Result<void *> allocate(uint64_t bytes, Stream *stream,
                          bool isHostShared) override;
  Result<bool> free(void *pointer, Stream *stream) override;
  Result<bool> copy(void *to, const void *from, uint64_t bytes,
                    Stream *stream) override;
  Result<bool> fill16(void *to, uint16_t value, size_t count,
                      Stream *stream) override;
  Result<bool> fill32(void *to, uint32_t value, size_t count,
                      Stream *stream) override;
  Result<bool> registerHost(void *pointer, uint64_t bytes,
                            const std::string &label) override;
  Result<bool> unregisterHost(void *pointer) override;

  void startCounting() override { pool.startCounting(); }
  vgpu::AllocationCounts counts() override { return pool.counts(); }

protected:
  ImageChoice imageChoice() const override {
    return {session->computeCapability, /*takesBinaries=*/true};
  }
  Result<std::shared_ptr<Module>> loadImage(const ModuleImage &image,
                                            std::string name) override {
    return inContext(*session,
                     [&] { return modules.load(image, std::move(name)); });
  }
  Result<bool> run(Function &function, const Launch &launch) override {
    return inContext(*session, [&] {
      return start(static_cast<CudaFunction &>(function), launch);
    });
  }

private:
  template <typename Enqueue>
  Result<bool> enqueue(Stream *stream, const char *what, uint64_t bytes,
                       Enqueue call);
  Result<bool> start(CudaFunction &function, const Launch &launch);
  Result<bool> prepare(CudaFunction &function, const Launch &launch,
                       const LaunchSite &site);

  std::unique_ptr<CudaSession> session;
  CudaStreams streams;
  CudaPool pool;
  CudaModules modules;
  CudaHostRanges hostRanges;
};

cuda::Pointer addressOf(const void *pointer) {
  return reinterpret_cast<cuda::Pointer>(pointer);
}

} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

EventTime::~EventTime() {
  (void)inContext(session, [&]() -> Result<bool> {
    for (cuda::Event event : {begin, end})
      if (event)
        session.driver.destroyEvent(event);
    return true;
  });
}

Result<bool> EventTime::record(cuda::Event &event, const CudaStream &stream) {
  cuda::Result result =
      session.driver.createEvent(&event, cuda::kEventWithTime);
  if (result == cuda::kSuccess)
    result = session.driver.recordEvent(event, stream.state.handle);
  return session.check(result,
                       [&] { return session.name + ": cannot time a launch"; });
}

std::optional<double> EventTime::seconds() {
  float milliseconds = 0;
  auto timed = inContext(session, [&] {
    cuda::Result result = session.driver.synchronizeEvent(end);
    if (result == cuda::kSuccess)
      result = session.driver.elapsed(&milliseconds, begin, end);
    return session.check(
        result, [&] { return session.name + ": cannot time a launch"; });
  });
  if (!timed)
    return std::nullopt;
  return 1e-3 * double(milliseconds);
}

/// Whether the launch is one that the driver takes, and lets it have the shared
/// memory that it asks for.
Result<bool> CudaRuntime::prepare(CudaFunction &function, const Launch &launch,
                                  const LaunchSite &site) {
  const DeviceSpec &spec = session->spec;
  std::string problem =
      checkLaunchShape(spec, session->name, launch.grid, launch.block);
  int64_t most = spec.optInSharedPerBlock - function.staticSharedBytes;
  int64_t dynamic = launch.dynamicSharedBytes;
  if (problem.empty() && (dynamic < 0 || dynamic > most))
    problem = "it has " + std::to_string(function.staticSharedBytes) +
              " static ones; " + session->name + " allows " +
              std::to_string(spec.optInSharedPerBlock) + " together";
  if (problem.empty() && function.paramCount &&
      *function.paramCount != launch.paramCount)
    problem = std::to_string(launch.paramCount) +
              " parameters were given; the kernel has " +
              std::to_string(*function.paramCount);
  if (!problem.empty())
    return fail(site.print() + ": " + problem);
  if (dynamic <= function.mostDynamic)
    return true;
  Result<bool> allowed =
      session->check(session->driver.setFunctionAttribute(
                         function.handle, cuda::kFunctionMaxDynamicShared,
                         static_cast<int>(most)),
                     [&] { return site.print(); });
  if (allowed)
    function.mostDynamic = most;
  return allowed;
}

Result<bool> CudaRuntime::start(CudaFunction &function, const Launch &launch) {
  CudaStream &stream = streams.orDefault(launch.stream);
  LaunchSite site{function.name, launch.grid, launch.block,
                  launch.dynamicSharedBytes};
  if (Result<bool> ready = prepare(function, launch, site); !ready)
    return ready;
  std::unique_ptr<EventTime> time;
  if (isLoggingLaunches()) {
    time = std::make_unique<EventTime>(*session);
    if (auto recorded = time->record(time->begin, stream); !recorded)
      return recorded;
  }
  auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
  cuda::Result result = session->driver.launch(
      function.handle, size(launch.grid[0]), size(launch.grid[1]),
      size(launch.grid[2]), size(launch.block[0]), size(launch.block[1]),
      size(launch.block[2]), size(launch.dynamicSharedBytes),
      stream.state.handle, launch.params, /*extra=*/nullptr);
  if (result != cuda::kSuccess)
    return tl::unexpected(session->failure(site.print(), result));
  streams.noteWork(stream, &site);
  if (!time)
    return true;
  if (auto recorded = time->record(time->end, stream); !recorded)
    return recorded;
  int64_t sharedBytes = function.staticSharedBytes + launch.dynamicSharedBytes;
  logLaunch({function.name, launch.grid, launch.block,
             launch.dynamicSharedBytes, sharedBytes, std::nullopt,
             std::nullopt},
            std::move(time));
  return true;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Result<bool> CudaRuntime::synchronize(Stream *stream) {
  CudaStream &target = streams.orDefault(stream);
  if (target.isDeferred)
    return session->checkUsable();
  return inContext(*session, [&] { return streams.synchronize(target); });
}

Result<Event *> CudaRuntime::createEvent() {
  auto event = std::make_unique<CudaEvent>();
  Result<bool> created = inContext(*session, [&] {
    return session->check(
        session->driver.createEvent(&event->handle, cuda::kEventWithoutTime),
        [&] { return session->name + ": cannot create an event"; });
  });
  if (!created)
    return tl::unexpected(created.error());
  return event.release();
}

Result<bool> CudaRuntime::destroyEvent(Event *event) {
  std::unique_ptr<CudaEvent> owned(static_cast<CudaEvent *>(event));
  return inContext(*session, [&] {
    return session->check(session->driver.destroyEvent(owned->handle), [&] {
      return session->name + ": cannot destroy an event";
    });
  });
}

Result<bool> CudaRuntime::recordEvent(Event *event, Stream *stream) {
  return inContext(*session, [&] {
    return session->check(
        session->driver.recordEvent(static_cast<CudaEvent *>(event)->handle,
                                    streams.orDefault(stream).state.handle),
        [&] { return session->name + ": cannot record an event"; });
  });
}

Result<bool> CudaRuntime::synchronizeEvent(Event *event) {
  return inContext(*session, [&] {
    return session->check(
        session->driver.synchronizeEvent(
            static_cast<CudaEvent *>(event)->handle),
        [&] { return session->name + ": cannot wait for an event"; });
  });
}

Result<bool> CudaRuntime::waitEvent(Stream *stream, Event *event) {
  return inContext(*session, [&] {
    return streams.waitEvent(streams.orDefault(stream),
                             static_cast<CudaEvent *>(event)->handle);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result<void *> CudaRuntime::allocate(uint64_t bytes, Stream *stream,
                                     bool isHostShared) {
  return inContext(*session, [&] {
    return pool.allocate(bytes, streams.orDefault(stream), isHostShared);
  });
}

Result<bool> CudaRuntime::free(void *pointer, Stream *stream) {
  return inContext(
      *session, [&] { return pool.free(pointer, streams.orDefault(stream)); });
}

/// Puts a copy or fill into a stream. A caller who gives none has nothing to
/// wait for, so that waits for the default one.
template <typename Enqueue>
Result<bool> CudaRuntime::enqueue(Stream *stream, const char *what,
                                  uint64_t bytes, Enqueue call) {
  CudaStream &target = streams.orDefault(stream);
  if (bytes == 0)
    return session->checkUsable();
  return inContext(*session, [&]() -> Result<bool> {
    Result<bool> done = session->check(call(target.state.handle), [&] {
      return session->name + ": " + what + " of " + std::to_string(bytes) +
             " bytes";
    });
    if (!done)
      return done;
    streams.noteWork(target);
    return stream ? done : streams.synchronize(target);
  });
}

Result<bool> CudaRuntime::copy(void *to, const void *from, uint64_t bytes,
                               Stream *stream) {
  return enqueue(stream, "memcpy", bytes, [&](cuda::Stream handle) {
    return session->driver.copy(addressOf(to), addressOf(from), bytes, handle);
  });
}

Result<bool> CudaRuntime::fill16(void *to, uint16_t value, size_t count,
                                 Stream *stream) {
  return enqueue(
      stream, "memset", count * sizeof(value), [&](cuda::Stream handle) {
        return session->driver.fill16(addressOf(to), value, count, handle);
      });
}

Result<bool> CudaRuntime::fill32(void *to, uint32_t value, size_t count,
                                 Stream *stream) {
  return enqueue(
      stream, "memset", count * sizeof(value), [&](cuda::Stream handle) {
        return session->driver.fill32(addressOf(to), value, count, handle);
      });
}

Result<bool> CudaRuntime::registerHost(void *pointer, uint64_t bytes,
                                       const std::string &label) {
  return inContext(*session,
                   [&] { return hostRanges.add(pointer, bytes, label); });
}

Result<bool> CudaRuntime::unregisterHost(void *pointer) {
  return inContext(*session, [&] { return hostRanges.remove(pointer); });
}

Expected<std::unique_ptr<Device>> makeCudaRuntime(int index) {
  Expected<std::unique_ptr<CudaSession>> session = CudaSession::open(index);
  if (!session)
    return tl::unexpected(session.error());
  if (!(*session)->attribute(cuda::kManagedMemory))
    return fail((*session)->name + " has no memory that the host shares");
  Expected<uint64_t> mostKept =
      poolBytesFromEnvironment((*session)->totalBytes);
  if (!mostKept)
    return tl::unexpected(mostKept.error());
  return std::make_unique<CudaRuntime>(std::move(*session), *mostKept);
}

} // namespace dietcode::runtime
