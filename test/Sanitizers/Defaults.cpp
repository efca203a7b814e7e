//===- Defaults.cpp - What sanitizers are told ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each program of a build with DIETCODE_SANITIZER, so that it needs no
// variables of the environment. No report is suppressed: what libraries without
// sanitizers would need may be suppressed here, and nothing else.
//
//===----------------------------------------------------------------------===//

extern "C" {

// As malloc without a sanitizer: some tests ask for more than there is. LLVM's
// arenas poison what nobody was given yet, in their headers, which are built
// with a sanitizer here; of what its libraries, which are not, give out of the
// same arena, they do not know.
const char *__asan_default_options() {
  return "allocator_may_return_null=1:allow_user_poisoning=0";
}
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

const char *__ubsan_default_options() { return "print_stacktrace=1"; }
}
