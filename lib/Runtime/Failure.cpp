//===- Failure.cpp - How running programs fail ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Resources.h"
#include "dietcode/Runtime/Runtime.h"
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace dietcode::runtime {
namespace {

/// One per active guardedCall, innermost first.
struct Guard {
  std::jmp_buf target;
  Guard *outer;
  size_t heldBefore; ///< Resources of this thread.
};

thread_local Guard *innermost = nullptr;
/// Outlives the jump, unlike anything in the frames it leaves.
thread_local RuntimeFailure pending;

/// Runs the call under the guard. A function of its own, so that no variable of
/// it is alive across setjmp in the caller.
__attribute__((noinline)) void runGuarded(FunctionRef<void()> call,
                                          Guard &guard) {
  innermost = &guard;
  call();
  innermost = guard.outer;
  dropHeldResources(guard.heldBefore, /*hasFailed=*/false);
}

__attribute__((noinline)) void takePending(RuntimeFailure *failure) {
  if (failure)
    *failure = std::move(pending);
  pending = RuntimeFailure();
}

/// Where there is no memory for the text, that is the failure.
void keepPending(const char *message, FailureKind kind) {
  try {
    pending.message = message;
    pending.kind = kind;
  } catch (const std::bad_alloc &) {
    pending.message = outOfMemoryMessage;
    pending.kind = FailureKind::OutOfMemory;
  }
}

} // namespace

bool isGuarded() { return innermost; }

void reportFailure(const char *message, FailureKind kind) {
  if (innermost) {
    keepPending(message, kind);
    std::longjmp(innermost->target, 1);
  }
  std::fflush(stdout);
  std::fprintf(stderr, "error: %s\n", message);
  std::fflush(nullptr);
  // Not exit: the frames above may be in the middle of anything, and the
  // objects that exit would destroy may be what they work on.
  std::_Exit(kind == FailureKind::Finding ? exitFinding : exitError);
}

bool guardedCall(FunctionRef<void()> call, RuntimeFailure *failure) {
  Guard guard;
  guard.outer = innermost;
  guard.heldBefore = countHeldResources();
  if (setjmp(guard.target) == 0) {
    runGuarded(call, guard);
    return true;
  }
  innermost = guard.outer;
  takePending(failure);
  dropHeldResources(guard.heldBefore, /*hasFailed=*/true);
  return false;
}

} // namespace dietcode::runtime

extern "C" void dietcodeShapeMismatch(const char *message, int64_t actual,
                                      int64_t expected) {
  // A plain buffer: a string's destructor would not run.
  static thread_local char text[1024];
  std::snprintf(text, sizeof(text), "%s: got %lld, expected %lld", message,
                static_cast<long long>(actual),
                static_cast<long long>(expected));
  dietcode::runtime::reportFailure(text, dietcode::runtime::FailureKind::Shape);
}
