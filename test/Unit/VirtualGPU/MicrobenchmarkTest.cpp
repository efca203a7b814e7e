//===- MicrobenchmarkTest.cpp - The T4's figures, measured on the model ---===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The microbenchmarks with which the literature measured the figures of the
// device table, run through the model: it must give back what it was built
// from, within 5 %. What is printed is virtual, as everything the model says.
// The tags are those of lib/Target/Devices/Turing.cpp; "derived" follows from
// other rows or from the architecture. Two more tags:
//   [N] an engineer of NVIDIA on loads from equal addresses, for 7.0 to 7.5:
//       forums.developer.nvidia.com/t/77228
//   [F] forums.developer.nvidia.com/t/359822 and 339143: conflicts of 128-bit
//       loads end at 32 wavefronts per warp, as profiled
//
// Shared memory serves a wavefront of 128 bytes in the 2 cycles that 64 bytes
// per cycle take [C], [J]; a load of 64 bits takes one for each half of a warp,
// and one of 128 bits for each quarter. With n words of a bank in a part there
// are n wavefronts for it. Since a half has 16 lanes and a quarter 8, conflicts
// end at 16 and 8 ways: at any width, the worst is 32 wavefronts, 64 cycles.
// Loads of equal addresses are packed by the rule of [N]. Stores carry the data
// of every lane over the same 64 bytes per cycle, so nothing is packed.
//
//===----------------------------------------------------------------------===//

#include "TimingUtil.h"
#include <cstdio>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

constexpr double tolerance = 0.05;

struct Row {
  const char *what, *unit, *source;
  double expected;
  double (*measure)();
};

/// Figures of the whole device from a replay.
double perSecond(const LaunchReport &report, double amount) {
  return amount / (report.replay.cycles / testDevice().clockHz);
}

double peak(const std::string &body, double scale = 1e-12) {
  LaunchReport report =
      estimate(wrap(loopOf(repeat(body, 16), 200)), gridOf(160, 256));
  return perSecond(report, report.replay.flop) * scale;
}

std::string halves(unsigned chains) {
  std::string text;
  for (unsigned i = 10; i < 10 + chains; ++i) {
    std::string r = "%r" + std::to_string(i);
    text += "fma.rn.f16x2 " + r + ", %r1, %r2, " + r + ";\n";
  }
  return text;
}

std::string doubles() {
  return "fma.rn.f64 %fd1, %fd8, %fd9, %fd1;\n"
         "fma.rn.f64 %fd2, %fd8, %fd9, %fd2;\n";
}

std::string hmma(unsigned d) {
  std::string r;
  for (unsigned i = 0; i < 4; ++i)
    r += (i ? ", %f" : "%f") + std::to_string(d + i);
  return "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {" + r +
         "}, {%r1, %r2}, {%r3}, {" + r + "};\n";
}

std::string fourHmma() { return hmma(0) + hmma(4) + hmma(8) + hmma(12); }

/// Four products of bytes, or of 4-bit elements.
std::string imma(const char *shape, const char *type) {
  std::string text;
  for (unsigned d = 10; d < 18; d += 2) {
    std::string r =
        "{%r" + std::to_string(d) + ", %r" + std::to_string(d + 1) + "}";
    text += std::string("mma.sync.aligned.") + shape + ".row.col.s32." + type +
            "." + type + ".s32 " + r + ", {%r1}, {%r2}, " + r + ";\n";
  }
  return text;
}

constexpr const char *sharedArray = ".shared .align 16 .b8 s[32768];\n";

/// %r1 = s + lane / divisor % modulus * stride.
std::string sharedPlace(unsigned stride, unsigned divisor = 1,
                        unsigned modulus = 32) {
  return "mov.u32 %r1, s;\nand.b32 %r2, %r0, 31;\ndiv.u32 %r2, %r2, " +
         std::to_string(divisor) + ";\nrem.u32 %r2, %r2, " +
         std::to_string(modulus) + ";\nmad.lo.u32 %r1, %r2, " +
         std::to_string(stride) + ", %r1;\n";
}

const std::string lds32 = "ld.shared.b32 %f#, [%r1];\n";
const std::string lds64 = "ld.shared.v2.b32 {%f1, %f2}, [%r1];\n";
const std::string lds128 = "ld.shared.v4.b32 {%f1, %f2, %f3, %f4}, [%r1];\n";
const std::string sts32 = "st.shared.b32 [%r1], %f1;\n";
const std::string sts64 = "st.shared.v2.b32 [%r1], {%f1, %f2};\n";
const std::string sts128 = "st.shared.v4.b32 [%r1], {%f1, %f2, %f3, %f4};\n";

/// Cycles of the shared path per instruction, in a burst of one warp.
double burst(const std::string &access, const std::string &place) {
  auto cycles = [&](unsigned copies) {
    return estimate(wrap(place + repeat(access, copies), sharedArray),
                    gridOf(1, 32))
        .replay.cycles;
  };
  return (cycles(7) - cycles(3)) / 4;
}

/// With lanes this many times as far apart as they are wide.
template <const std::string &access, unsigned bytes, unsigned ways = 1>
double strided() {
  return burst(access, sharedPlace(bytes * ways));
}

/// With all lanes n that share n / divisor % modulus at one address.
template <const std::string &access, unsigned bytes, unsigned divisor,
          unsigned modulus>
double together() {
  return burst(access, sharedPlace(bytes, divisor, modulus));
}

/// GB/s of all SMs in the long run.
double sharedBandwidth() {
  double cycles =
      cyclesOf(lds128, gridOf(1, 256), sharedPlace(16), sharedArray) / 8;
  return 32 * 16 / cycles * testDevice().clockHz * testDevice().smCount * 1e-9;
}

double sharedLatency() {
  return cyclesOf("ld.shared.u32 %r1, [%r1];\n", gridOf(1, 32),
                  "mov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\n", sharedArray);
}

/// The lanes lie 8 bytes apart, each with a pointer to itself.
double sharedLatency64() {
  return cyclesOf("ld.shared.v2.u32 {%r1, %r2}, [%r1];\n", gridOf(1, 32),
                  "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 8, %r1;\n"
                  "st.shared.u32 [%r1], %r1;\nst.shared.u32 [%r1+4], %r1;\n",
                  sharedArray);
}

/// Cycles of a dependent load in a ring of `bytes`, a line apart, once it has
/// been gone round.
template <uint64_t bytes>
double chase() {
  auto link = [](char *base) {
    for (uint64_t at = 0; at < bytes; at += 128) {
      uint64_t next = reinterpret_cast<uint64_t>(base) + (at + 128) % bytes;
      std::memcpy(base + at, &next, sizeof(next));
    }
  };
  auto lap = static_cast<unsigned>(bytes / 128 / 32);
  auto cycles = [&](unsigned laps) {
    std::string body =
        loopOf(repeat("ld.global.u64 %rd1, [%rd1];\n", 32), lap * laps);
    return estimate(wrap(body), gridOf(1, 1), bytes, link).replay.cycles;
  };
  return (cycles(4) - cycles(2)) / (2.0 * lap * 32);
}

/// Bytes per cycle and SM: 256 threads read the same 4 KB again and again.
double l1Bandwidth() {
  std::string before = "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd5, %rd1, %rd5;"
                       "\n";
  double cycles =
      cyclesOf("ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5];\n",
               gridOf(1, 256), before);
  return 256 * 16 / cycles;
}

/// All blocks read the same 2 MB: less than L2; .cg leaves out L1.
double l2Bandwidth() {
  std::string body = "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd5, %rd1, %rd5;\n";
  std::string read;
  for (unsigned i = 0; i < 8; ++i)
    read += "ld.global.cg.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5+" +
            std::to_string(i * 4096) + "];\n";
  read += "add.s64 %rd5, %rd5, 32768;\n";
  unsigned trips = 64, blocks = 160;
  LaunchReport report =
      estimate(wrap(body + loopOf(read, trips)), gridOf(blocks, 256), 2 << 20);
  double bytes =
      double(blocks) * 256 * 16 * 8 * trips * (1 - report.replay.l1HitRate);
  return perSecond(report, bytes) * 1e-9;
}

/// Every thread of a large grid reads 16 bytes of its own eight times.
double dramBandwidth() {
  std::string body = "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 256, %r0;\n"
                     "mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd5, %rd1, %rd5;\n";
  unsigned blocks = 40 * 4 * 4;
  uint64_t step = uint64_t(blocks) * 256 * 16;
  for (unsigned i = 0; i < 8; ++i)
    body += "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5+" +
            std::to_string(i * step) + "];\n";
  LaunchReport report = estimate(wrap(body), gridOf(blocks, 256), 8 * step);
  EXPECT_EQ(report.replay.limiter, "DRAM bandwidth");
  return perSecond(report, double(8 * step)) * 1e-9;
}

double emptyKernel() {
  LaunchReport report = estimate(wrap(""), gridOf(1, 32));
  EXPECT_EQ(report.replay.limiter, "launch overhead");
  return report.virtualSeconds * 1e6;
}

const Row rows[] = {
    {"FFMA, dependent", "cycles", "unverified, X", 4,
     [] {
       return cyclesOf("fma.rn.f32 %f1, %f1, %f2, %f3;\n", gridOf(1, 32));
     }},
    {"IADD, dependent", "cycles", "unverified", 4,
     [] { return cyclesOf("add.s32 %r1, %r1, %r2;\n", gridOf(1, 32)); }},
    {"HFMA2, dependent", "cycles", "unverified", 6,
     [] {
       return cyclesOf("fma.rn.f16x2 %r1, %r1, %r2, %r3;\n", gridOf(1, 32));
     }},
    {"MUFU, dependent", "cycles", "unverified", 18,
     [] { return cyclesOf("ex2.approx.f32 %f1, %f1;\n", gridOf(1, 32)); }},
    {"FFMA, independent, one warp", "cycles", "W", 2,
     [] { return cyclesOf(independent("fma.rn.f32", 8), gridOf(1, 32)) / 8; }},
    {"FFMA, two warps per scheduler", "cycles", "W", 2,
     [] { return cyclesOf(independent("fma.rn.f32", 2), gridOf(1, 256)) / 4; }},
    {"MUFU, two warps per scheduler", "cycles", "C", 8,
     [] {
       return cyclesOf("ex2.approx.f32 %f#, %f50;\n", gridOf(1, 256)) / 2;
     }},
    {"FP32 peak", "TFLOP/s", "P", 8.14,
     [] { return peak(independent("fma.rn.f32", 16)); }},
    {"FP16 peak, HFMA2", "TFLOP/s", "P", 16.3, [] { return peak(halves(16)); }},
    {"FP64 peak", "TFLOP/s", "P", 0.254, [] { return peak(doubles()); }},
    {"HMMA.1688, dependent", "cycles", "unverified", 18,
     [] { return cyclesOf(hmma(0), gridOf(1, 32)); }},
    {"HMMA.1688, independent", "cycles", "derived", 8,
     [] { return cyclesOf(fourHmma(), gridOf(1, 128)) / 4; }},
    {"tensor peak, FP16", "TFLOP/s", "P", 65.1,
     [] { return peak(fourHmma()); }},
    {"tensor peak, INT8", "TOP/s", "P", 130,
     [] { return peak(imma("m8n8k16", "s8")); }},
    {"tensor peak, INT4", "TOP/s", "unverified", 260,
     [] { return peak(imma("m8n8k32", "s4")); }},
    {"LDS.32", "cycles", "derived", 2, strided<lds32, 4>},
    {"LDS.32, 2-way conflicts", "cycles", "derived", 4, strided<lds32, 4, 2>},
    {"LDS.32, 4-way conflicts", "cycles", "derived", 8, strided<lds32, 4, 4>},
    {"LDS.32, 8-way conflicts", "cycles", "derived", 16, strided<lds32, 4, 8>},
    {"LDS.32, 32-way conflicts", "cycles", "derived", 64,
     strided<lds32, 4, 32>},
    {"LDS.64", "cycles", "derived", 4, strided<lds64, 8>},
    {"LDS.64, 2-way conflicts", "cycles", "derived", 8, strided<lds64, 8, 2>},
    {"LDS.64, 4-way conflicts", "cycles", "derived", 16, strided<lds64, 8, 4>},
    {"LDS.64, 8-way conflicts", "cycles", "derived", 32, strided<lds64, 8, 8>},
    {"LDS.64, 32-way: 16-way", "cycles", "F", 64, strided<lds64, 8, 32>},
    {"LDS.128", "cycles", "derived", 8, strided<lds128, 16>},
    {"LDS.128, 2-way conflicts", "cycles", "derived", 16,
     strided<lds128, 16, 2>},
    {"LDS.128, 4-way conflicts", "cycles", "derived", 32,
     strided<lds128, 16, 4>},
    {"LDS.128, 8-way conflicts", "cycles", "F", 64, strided<lds128, 16, 8>},
    {"LDS.128, 32-way: 8-way", "cycles", "F", 64, strided<lds128, 16, 32>},
    {"LDS.32, one word", "cycles", "derived", 2, together<lds32, 4, 1, 1>},
    {"LDS.64, one address", "cycles", "N", 2, together<lds64, 8, 1, 1>},
    {"LDS.64, pairs n, n ^ 1", "cycles", "N", 2, together<lds64, 8, 2, 16>},
    {"LDS.64, lane % 4", "cycles", "N", 4, together<lds64, 8, 1, 4>},
    {"LDS.128, one address", "cycles", "N", 4, together<lds128, 16, 1, 1>},
    {"LDS.128, pairs n, n ^ 1", "cycles", "N", 4, together<lds128, 16, 2, 16>},
    {"LDS.128, pairs n, n ^ 2", "cycles", "N", 4, together<lds128, 16, 1, 2>},
    {"LDS.128, lane % 4", "cycles", "N", 8, together<lds128, 16, 1, 4>},
    {"STS.32", "cycles", "derived", 2, strided<sts32, 4>},
    {"STS.32, 8-way conflicts", "cycles", "derived", 16, strided<sts32, 4, 8>},
    {"STS.64", "cycles", "derived", 4, strided<sts64, 8>},
    {"STS.64, 8-way conflicts", "cycles", "derived", 32, strided<sts64, 8, 8>},
    {"STS.128", "cycles", "derived", 8, strided<sts128, 16>},
    {"STS.128, 8-way conflicts", "cycles", "derived", 64,
     strided<sts128, 16, 8>},
    {"STS.64, one address", "cycles", "derived", 4, together<sts64, 8, 1, 1>},
    {"STS.128, one address", "cycles", "derived", 8,
     together<sts128, 16, 1, 1>},
    {"LDS.32 latency", "cycles", "S", 23, sharedLatency},
    {"LDS.64 latency", "cycles", "S", 27, sharedLatency64},
    {"shared-memory bandwidth", "GB/s", "J", 3662, sharedBandwidth},
    {"L1 bandwidth of an SM", "B/cycle", "S", 58.8, l1Bandwidth},
    {"L1 latency", "cycles", "S", 32, chase<(16 << 10)>},
    {"L2 latency", "cycles", "S", 236, chase<(1 << 20)>},
    {"DRAM latency", "cycles", "derived", 628, chase<(32 << 20)>},
    {"L2 bandwidth", "GB/s", "A", 1270, l2Bandwidth},
    {"DRAM bandwidth", "GB/s", "J", 220, dramBandwidth},
    {"an empty kernel", "us", "X", 3.7, emptyKernel},
};

TEST(Microbenchmarks, GiveTheSourcedFigures) {
  for (const Row &row : rows) {
    double value = row.measure();
    std::printf("[ virtual  ] %-30s %9.2f %-8s source [%s] %9.2f  %+5.1f %%\n",
                row.what, value, row.unit, row.source, row.expected,
                100 * (value / row.expected - 1));
    EXPECT_NEAR(value, row.expected, tolerance * row.expected) << row.what;
  }
}

} // namespace
