//===- Defaults.cpp - What sanitizers are told ----------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each program of a build with DIETCODE_SANITIZER, so that it needs no
// variables of the environment. Nothing is suppressed: what libraries without
// sanitizers would need may be suppressed here, and nothing else.
//
//===----------------------------------------------------------------------===//

extern "C" {

// As malloc without a sanitizer: some tests ask for more than there is.
const char *__asan_default_options() { return "allocator_may_return_null=1"; }
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

const char *__ubsan_default_options() { return "print_stacktrace=1"; }
}
