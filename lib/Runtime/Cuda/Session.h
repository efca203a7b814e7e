//===- Session.h - The context of a CUDA device -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primary context of a GPU, which other libraries of the process share, and
// whether it is still of use: after a fault of a kernel it is not, and in a
// child that was forked it never is.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_RUNTIME_CUDA_SESSION_H
#define DIETCODE_LIB_RUNTIME_CUDA_SESSION_H

#include "../../Device/CudaDriver.h"
#include "../Device.h"
#include <atomic>
#include <functional>

namespace dietcode::runtime {

class CudaSession {
public:
  /// Retains the primary context of the device with this number.
  static Expected<std::unique_ptr<CudaSession>> open(int index);
  ~CudaSession();
  CudaSession(const CudaSession &) = delete;
  CudaSession &operator=(const CudaSession &) = delete;

  const cuda::Driver &driver;
  const DeviceSpec &spec; ///< Its limits and sizes.
  std::string name;       ///< "cuda:0".
  std::string product;    ///< "Tesla T4".
  int computeCapability = 0;
  uint64_t totalBytes = 0;

  /// Asks the driver; 0 if it does not know.
  int attribute(cuda::Attribute attribute) const;

  /// An error unless the context can be used, which costs next to nothing.
  Result<bool> checkUsable() const;

  /// "what: what the driver says". An error after which the context is lost is
  /// remembered: it is the cause of all that come later. It may come up far
  /// from the launch that is to blame, so unless `what` is of one, the last is
  /// named.
  RuntimeFailure failure(const std::string &what, cuda::Result result);
  /// Unless it is a success; `what` is called for an error only.
  template <typename What>
  Result<bool> check(cuda::Result result, What what) {
    if (result == cuda::kSuccess)
      return true;
    return tl::unexpected(failure(what(), result));
  }

  /// "kernel 'k' ...", of which `what` is one, too; empty: nothing was
  /// launched.
  std::function<std::string()> lastLaunch;

private:
  friend class CudaScope;
  CudaSession(const cuda::Driver &driver, const DeviceSpec &spec, int index);
  Expected<void> start(int index);

  cuda::DeviceHandle handle = 0;
  cuda::Context context = nullptr;
  unsigned forksBefore = 0; ///< Of the process that this is a child of.
  std::atomic<const RuntimeFailure *> loss = nullptr;
};

/// Makes the context that of this thread. Puts back the caller's, but a thread
/// that had none keeps ours, as it would by CUDA's runtime.
class CudaScope {
public:
  explicit CudaScope(CudaSession &session);
  ~CudaScope();
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;

  /// Whether the context can be used.
  const Result<bool> &entered() const { return status; }

private:
  CudaSession &session;
  bool hasPushed = false;
  Result<bool> status;
};

/// Runs `fn` in the context if that can be used.
template <typename Fn>
auto inContext(CudaSession &session, Fn fn) -> std::invoke_result_t<Fn> {
  CudaScope scope(session);
  if (!scope.entered())
    return tl::unexpected(scope.entered().error());
  return fn();
}

} // namespace dietcode::runtime

#endif // DIETCODE_LIB_RUNTIME_CUDA_SESSION_H
