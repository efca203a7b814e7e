//===- TimingUtil.h - Estimating kernels in tests ---------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_VIRTUALGPU_TIMINGUTIL_H
#define DIETCODE_TEST_UNIT_VIRTUALGPU_TIMINGUTIL_H

#include "TestUtil.h"
#include <functional>

namespace dietcode::vgpu {

inline LaunchConfig gridOf(int64_t blocks, int64_t threads) {
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  config.timeOnly = true;
  return config;
}

/// Estimates kernel k(out, in) of a module; `in` has this many bytes, and
/// `fill` may give them values.
inline LaunchReport
estimate(const std::string &ptx, LaunchConfig config,
         uint64_t inBytes = 1 << 20,
         const std::function<void(char *)> &fill = nullptr) {
  auto module = parseModule(ptx, "bench.ptx");
  EXPECT_TRUE(module) << messageOf(module);
  if (!module)
    return {};
  VirtualGPU gpu(testDevice());
  void *out = *gpu.memory().allocate(1 << 20, "out");
  void *in = *gpu.memory().allocate(inBytes, "in");
  if (fill)
    fill(static_cast<char *>(in));
  void *params[] = {&out, &in};
  // What the snippets read and write means nothing.
  config.checks = CheckOptions::none();
  auto report = gpu.launch(**module, "k", config, params, 2);
  EXPECT_TRUE(report) << messageOf(report);
  if (!report)
    return {};
  EXPECT_TRUE(report->replay.valid);
  return *report;
}

/// A loop of `trips` trips over `body`, counted in %r60.
inline std::string loopOf(const std::string &body, unsigned trips) {
  return "mov.u32 %r60, 0;\nLOOP:\n" + body +
         "add.s32 %r60, %r60, 1;\nsetp.lt.u32 %p15, %r60, " +
         std::to_string(trips) + ";\n@%p15 bra LOOP;\n";
}

/// `text` so many times, with each "#" replaced by the number of the copy.
inline std::string repeat(const std::string &text, unsigned times) {
  std::string result;
  for (unsigned i = 0; i < times; ++i)
    for (char c : text)
      if (c == '#')
        result += std::to_string(i);
      else
        result += c;
  return result;
}

/// Cycles of one copy of `body` in a loop: by the difference between two
/// lengths, which removes the loop, the prologue and the end.
inline double cyclesOf(const std::string &body, const LaunchConfig &config,
                       const std::string &before = "",
                       const std::string &variables = "") {
  auto cycles = [&](unsigned copies) {
    return estimate(wrap(before + loopOf(repeat(body, copies), 100), variables),
                    config)
        .replay.cycles;
  };
  return (cycles(48) - cycles(16)) / (32 * 100);
}

/// So many instructions of which none needs another's result.
inline std::string independent(const std::string &op, unsigned chains) {
  std::string text;
  for (unsigned i = 0; i < chains; ++i) {
    std::string r = "%f" + std::to_string(10 + i);
    text += op + " " + r + ", %f1, %f2, " + r + ";\n";
  }
  return text;
}

} // namespace dietcode::vgpu

#endif // DIETCODE_TEST_UNIT_VIRTUALGPU_TIMINGUTIL_H
