//===- Session.cpp - The context of a CUDA device -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "../../Device/CudaDevice.h"
#include "../../Device/CudaSpec.h"
#include "dietcode/Device/Device.h"
#include <pthread.h>

using namespace dietcode;
using namespace dietcode::runtime;

/// How often this process, or one that it is a child of, was forked off.
static std::atomic<unsigned> forks = 0;

static void countForks() {
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
  (void)registered;
}

CudaSession::CudaSession(const cuda::Driver &driver, const DeviceSpec &spec,
                         int index)
    : driver(driver), spec(spec), name("cuda:" + std::to_string(index)) {
  countForks();
  forksBefore = forks;
}

CudaSession::~CudaSession() {
  if (context)
    driver.releaseContext(handle);
  delete loss.load();
}

Expected<std::unique_ptr<CudaSession>> CudaSession::open(int index) {
  // Says what is missing: driver, device, or an architecture that is known.
  Expected<const DeviceSpec *> spec = lookupCudaDevice(index);
  if (!spec)
    return tl::unexpected(spec.error());
  Expected<const cuda::Driver *> driver = cuda::loadDriver();
  if (!driver)
    return fail("cuda:" + std::to_string(index) + ": " +
                driver.error().message);
  std::unique_ptr<CudaSession> session(
      new CudaSession(**driver, **spec, index));
  if (Expected<void> started = session->start(index); !started)
    return tl::unexpected(started.error());
  return session;
}

Expected<void> CudaSession::start(int index) {
  Expected<cuda::DeviceHandle> found = cuda::findDevice(driver, index);
  if (!found)
    return tl::unexpected(found.error());
  handle = *found;
  char text[256] = "";
  driver.deviceName(text, sizeof(text), handle);
  product = text;
  computeCapability = 10 * attribute(cuda::kCapabilityMajor) +
                      attribute(cuda::kCapabilityMinor);
  size_t bytes = 0;
  driver.deviceBytes(&bytes, handle);
  totalBytes = bytes;
  if (cuda::Result result = driver.retainContext(&context, handle);
      result != cuda::kSuccess) {
    context = nullptr;
    return tl::unexpected(
        driver.error(name + ": cannot make a context", result));
  }
  return {};
}

int CudaSession::attribute(cuda::Attribute attribute) const {
  int value = 0;
  return driver.deviceAttribute(&value, attribute, handle) == cuda::kSuccess
             ? value
             : 0;
}

Result<bool> CudaSession::checkUsable() const {
  if (forks.load(std::memory_order_relaxed) != forksBefore)
    return fail(name + ": " + cuda::kForked);
  const RuntimeFailure *lost = loss.load(std::memory_order_acquire);
  if (!lost)
    return true;
  RuntimeFailure failure;
  failure.message = name + " is lost to this process since " + lost->message;
  failure.kind = lost->kind;
  return tl::unexpected(std::move(failure));
}

RuntimeFailure CudaSession::failure(const std::string &what,
                                    cuda::Result result) {
  RuntimeFailure failure(driver.error(what, result));
  if (cuda::isFault(result))
    failure.kind = FailureKind::Finding;
  if (!cuda::isSticky(result))
    return failure;
  std::string launched = lastLaunch ? lastLaunch() : "";
  if (!launched.empty() && what.rfind("kernel ", 0) != 0)
    failure.message += "; the last launch was of " + launched;
  auto cause = std::make_unique<RuntimeFailure>(failure);
  const RuntimeFailure *none = nullptr;
  if (loss.compare_exchange_strong(none, cause.get()))
    (void)cause.release();
  return failure;
}

CudaScope::CudaScope(CudaSession &session)
    : session(session), status(session.checkUsable()) {
  if (!status)
    return;
  cuda::Context current = nullptr;
  cuda::Result result = session.driver.currentContext(&current);
  if (result == cuda::kSuccess && !current) {
    result = session.driver.setContext(session.context);
  } else if (result == cuda::kSuccess && current != session.context) {
    result = session.driver.pushContext(session.context);
    hasPushed = result == cuda::kSuccess;
  }
  status = session.check(
      result, [&] { return session.name + ": cannot use its context"; });
}

CudaScope::~CudaScope() {
  cuda::Context popped = nullptr;
  if (hasPushed)
    session.driver.popContext(&popped);
}
