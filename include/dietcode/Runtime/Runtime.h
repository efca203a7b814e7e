//===- Runtime.h - Running compiled programs --------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an embedder of libdietcode_runtime sees. The library also implements the
// mgpu* functions that MLIR's gpu-to-llvm conversion calls, so that any program
// lowered by stock MLIR passes runs on the device that DIETCODE_DEVICE names:
// "cuda:0", the default where there is a GPU, or "virtual:t4", the default
// where there is none. docs/runtime.md is about GPUs. Variables of the
// environment for virtual ones:
//
//   DIETCODE_VGPU_CHECK=all|memory|none  which checkers watch kernels.
//   "memory",
//     the default, costs next to nothing: bounds, alignment, use after free,
//     divergent barriers, reads of registers and of device memory that nobody
//     has written. "all" adds uninitialised shared memory and races in shared
//     and in global memory; kernels then take two to four times as long. "none"
//     leaves what protects this process: bounds.
//   DIETCODE_VGPU_MAX_INSTRUCTIONS=N  stops a block that executes more warp
//     instructions, which is a finding; 0 is no limit.
//   DIETCODE_VGPU_REGISTERS=ptxas|estimate  where the registers per thread come
//     from that decide how many blocks share an SM: from ptxas, if it is found
//     (DIETCODE_PTXAS=path|none, Target/Ptxas.h), or from live ranges, the
//     default. dietcode-run's default is ptxas.
//   DIETCODE_VGPU_THREADS=N  host threads that run blocks; results do not
//     depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUNTIME_RUNTIME_H
#define DIETCODE_RUNTIME_RUNTIME_H

#include "dietcode/Support/FunctionRef.h"
#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dietcode::runtime {

/// What went wrong: something that could not be done, something that a checker
/// of the virtual GPU found in a running kernel, shapes that do not fit, or no
/// memory of the host.
enum class FailureKind : uint8_t { Error, Finding, Shape, OutOfMemory };

struct RuntimeFailure {
  RuntimeFailure() = default;
  RuntimeFailure(Error error) : message(std::move(error.message)) {}
  std::string message;
  FailureKind kind = FailureKind::Error;
};

/// The exit statuses of a program that nobody guards.
constexpr int exitError = 1;
constexpr int exitFinding = 4;

/// The parts of the finding that this thread's last launch ended in, if any.
std::optional<vgpu::Finding> lastFinding();

/// Ends the innermost guardedCall of this thread; without one, prints
/// "error: <message>" and ends the process with one of the statuses above.
[[noreturn]] void reportFailure(const char *message,
                                FailureKind kind = FailureKind::Error);

/// Calls `call` and returns true, or returns false and fills in `failure` when
/// something under it called reportFailure. Control comes back by longjmp: the
/// frames in between, which are those of compiled programs and of this library,
/// must not own anything that a destructor releases. Memory, streams, events,
/// modules and registrations that this thread got from mgpu* functions under a
/// failed call, and has not given back, are released. Calls may nest.
bool guardedCall(FunctionRef<void()> call, RuntimeFailure *failure);

/// What dietcode_last_error of this thread says from now on, for libraries that
/// add to the C interface.
void setLastError(std::string message);

/// One kernel launch, for tools that show what ran.
struct LaunchRecord {
  std::string kernel;
  std::array<int64_t, 3> grid;
  std::array<int64_t, 3> block;
  int64_t dynamicSharedBytes;
  int64_t sharedBytes; ///< Of a block, with the static ones.
  /// The model's of a virtual GPU, or else what the events of the driver say;
  /// nothing if the launch failed later on.
  std::optional<double> seconds;
  /// What only a virtual GPU tells.
  std::optional<vgpu::LaunchReport> report;
};

/// Starts to collect launches of all threads, dropping any collected before,
/// and to count allocations.
void startLaunchLog();
/// Stops and returns what was collected.
std::vector<LaunchRecord> takeLaunchLog();
/// Of device memory, since startLaunchLog.
vgpu::AllocationCounts countAllocations();

/// Which device programs run on, e.g. "virtual:t4 (model, not a measurement)".
/// An empty string if DIETCODE_DEVICE names none that there is.
std::string deviceDescription();

/// Makes `name` the device of this process. An error if there is none of that
/// name, or the process has another one already.
Expected<void> chooseDevice(const std::string &name);

/// Lets kernels access [pointer, pointer + bytes), which findings then call
/// `label`. Exact ranges make exact checks. Registering nests.
void registerHostMemory(void *pointer, uint64_t bytes,
                        const std::string &label);
void unregisterHostMemory(void *pointer);

} // namespace dietcode::runtime

/// Called by generated host code when a run-time shape check fails. `message`
/// says where and what, e.g. "file.mlir:3:8: dimension 0 of argument 1".
extern "C" void dietcodeShapeMismatch(const char *message, int64_t actual,
                                      int64_t expected);

/// Called by generated host code when an assertion does not hold. `message`
/// says where and what, e.g. "file.mlir:3:8: assertion failed: must be even".
extern "C" void dietcodeAssertionFailed(const char *message);

#endif // DIETCODE_RUNTIME_RUNTIME_H
