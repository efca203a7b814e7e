//===- TestUtil.h - Running snippets of PTX ---------------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_VIRTUALGPU_TESTUTIL_H
#define DIETCODE_TEST_UNIT_VIRTUALGPU_TESTUTIL_H

#include "dietcode/VirtualGPU/VirtualGPU.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dietcode::vgpu {

inline const DeviceSpec &testDevice() { return *lookupDevice("t4"); }

inline std::string header() {
  return ".version 8.2\n.target sm_75\n.address_size 64\n";
}

template <typename To, typename From>
To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Registers that snippets may use: %rd0 is the output, %rd1 the input, %r0 the
/// thread's number, %rd2 and %rd3 the addresses of its output and input word.
inline std::string wrap(const std::string &body,
                        const std::string &before = "") {
  return header() + before + R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<16>;
  .reg .b16 %h<16>;
  .reg .b32 %r<64>;
  .reg .f32 %f<64>;
  .reg .b64 %rd<64>;
  .reg .f64 %fd<16>;
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [in];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd4, %r0, 4;
  add.s64 %rd2, %rd0, %rd4;
  add.s64 %rd3, %rd1, %rd4;
)" + body +
         "\n  ret;\n}\n";
}

/// Runs `k` of a module on one block. The output has as many words as there are
/// threads unless `outWords` says otherwise.
inline Expected<std::vector<uint32_t>>
runPtx(const std::string &ptx, std::vector<uint32_t> in, unsigned threads = 32,
       unsigned outWords = 0, LaunchConfig config = {}) {
  auto module = parseModule(ptx, "test.ptx");
  if (!module)
    return tl::unexpected(module.error());
  VirtualGPU gpu(testDevice());
  std::vector<uint32_t> out(outWords ? outWords : threads, 0xdeadbeef);
  auto ok = gpu.memory().registerRange(out.data(), 4 * out.size(), "out");
  ok = gpu.memory().registerRange(in.data(), 4 * in.size(), "in");
  void *outPointer = out.data(), *inPointer = in.data();
  void *params[] = {&outPointer, &inPointer};
  config.block = {threads, 1, 1};
  auto report = gpu.launch(**module, "k", config, params, 2);
  if (!report)
    return tl::unexpected(report.error());
  return out;
}

/// Runs a snippet that leaves its result in %r1; its operands are the words
/// a, b, c in %r10, %r11, %r12.
inline uint32_t eval(const std::string &code, uint32_t a = 0, uint32_t b = 0,
                     uint32_t c = 0) {
  auto result = runPtx(wrap("ld.global.b32 %r10, [%rd1];\n"
                            "ld.global.b32 %r11, [%rd1+4];\n"
                            "ld.global.b32 %r12, [%rd1+8];\n" +
                            code + "\nst.global.b32 [%rd2], %r1;"),
                       {a, b, c});
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return 0xbadbad;
  }
  for (uint32_t lane : *result)
    EXPECT_EQ(lane, result->front()) << "lanes differ: " << code;
  return result->front();
}

inline float evalF(const std::string &code, float a = 0, float b = 0,
                   float c = 0) {
  return bitsOf<float>(eval(code, bitsOf<uint32_t>(a), bitsOf<uint32_t>(b),
                            bitsOf<uint32_t>(c)));
}

/// The same for 64 bits: operands in %rd10 and %rd11, result in %rd12.
inline uint64_t eval64(const std::string &code, uint64_t a = 0,
                       uint64_t b = 0) {
  auto result = runPtx(
      wrap("ld.global.b64 %rd10, [%rd1];\nld.global.b64 %rd11, [%rd1+8];\n" +
           code + "\nst.global.b64 [%rd0], %rd12;"),
      {uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32)}, 32);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return 0xbadbad;
  }
  return uint64_t((*result)[1]) << 32 | (*result)[0];
}

/// The message of a parse or a launch that must fail.
template <typename T>
std::string messageOf(const Expected<T> &result) {
  return result ? "(no error)" : result.error().message;
}

inline void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos)
      << "'" << part << "' is not in: " << text;
}

} // namespace dietcode::vgpu

#endif // DIETCODE_TEST_UNIT_VIRTUALGPU_TESTUTIL_H
