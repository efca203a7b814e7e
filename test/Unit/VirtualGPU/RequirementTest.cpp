//===- RequirementTest.cpp - What a chip or a PTX version lacks -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row is what ptxas 13.0 says of the instruction under -arch=sm_75, less
// its prefix of file and line.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::string parseAs(const std::string &version, const std::string &chip,
                    const std::string &line) {
  return messageOf(parseModule(
      ".version " + version + "\n.target " + chip +
          "\n.visible .entry k() { .reg .pred %p<9>; .reg .b16 %h<9>; "
          ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n" +
          line + "\nret; }",
      "m.ptx"));
}

struct Row {
  const char *line;
  const char *feature;
  const char *chip;
};

constexpr Row newerChips[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
     "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
     ".m16n8k16", "sm_80"},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0, %r1, %r2, %r3}, "
     "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r0, %r1, %r2, %r3};",
     ".m16n8k32", "sm_80"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3},"
     " {%r0, %r1}, {%r4}, {%f0, %f1, %f2, %f3};",
     ".bf16", "sm_80"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3},"
     " {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
     ".tf32", "sm_80"},
    {"cp.async.ca.shared.global [%r1], [%rd1], 16;", "cp.async", "sm_80"},
    {"redux.sync.add.s32 %r1, %r2, 0xffffffff;", "redux", "sm_80"},
    {"min.NaN.f32 %f1, %f2, %f3;", ".NaN", "sm_80"},
    {"max.NaN.f32 %f1, %f2, %f3;", ".NaN", "sm_80"},
    {"max.f16 %h1, %h2, %h3;", "max.f16 or max.f16x2", "sm_80"},
    {"min.f16x2 %r1, %r2, %r3;", "min.f16 or min.f16x2", "sm_80"},
    {"fma.rn.relu.f16 %h1, %h2, %h3, %h0;", ".relu", "sm_80"},
    {"fma.rn.bf16 %h1, %h2, %h3, %h0;", ".bf16", "sm_80"},
    {"abs.bf16 %h1, %h2;", ".bf16", "sm_80"},
    {"cvt.rn.bf16.f32 %h1, %f1;", ".bf16", "sm_80"},
    {"cvt.rna.tf32.f32 %r1, %f1;", ".tf32", "sm_80"},
    {"cvt.rn.f16x2.f32 %r1, %f1, %f2;", "cvt.f16x2.f32", "sm_80"},
    {"ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;", ".L2::cache_hint",
     "sm_80"},
    {"discard.global.L2 [%rd1], 128;", "discard", "sm_80"},
    {"elect.sync %r1|%p1, 0xffffffff;", "elect", "sm_90"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", "stmatrix",
     "sm_90"},
    {"barrier.cluster.arrive;", "barrier.cluster", "sm_90"},
    {"fence.proxy.async;", ".async", "sm_90"},
    {"fence.acq_rel.cluster;", ".cluster scope", "sm_90"},
    {"mapa.u32 %r1, %r2, %r3;", "mapa", "sm_90"},
    {"multimem.ld_reduce.global.add.u32 %r1, [%rd1];", "multimem", "sm_90"},
    {"add.rn.f32x2 %rd1, %rd2, %rd3;", ".f32x2", "sm_100"},
    {"ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd1];",
     "256 bit wide load/store", "sm_100"},
};

TEST(Requirement, InstructionsOfNewerChips) {
  for (const Row &row : newerChips) {
    std::string message = parseAs("9.0", "sm_75", row.line);
    expectContains(message, "m.ptx:4: unsupported instruction '" +
                                std::string(row.line).substr(0, 12));
    expectContains(message, "': Feature '" + std::string(row.feature) +
                                "' requires .target " + row.chip +
                                " or higher");
  }
}

struct VersionRow {
  const char *line;
  const char *version; ///< The first that has it.
  const char *before;
};

constexpr VersionRow versions[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
     "{%r0, %r1}, {%r4}, {%f0, %f1, %f2, %f3};",
     "6.5", "6.4"},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r4}, {%r5}, "
     "{%r0, %r1};",
     "6.5", "6.3"},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1}, "
     "{%r4}, {%r5}, {%r0, %r1};",
     "7.0", "6.5"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "6.5", "6.4"},
    {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "7.8", "7.7"},
    {"tanh.approx.f32 %f1, %f2;", "7.0", "6.5"},
    {"ex2.approx.f16 %h1, %h2;", "7.0", "6.5"},
    {"abs.f16 %h1, %h2;", "6.5", "6.4"},
    {"barrier.cta.sync 0;", "7.8", "7.7"},
    {"ld.global.L1::no_allocate.b32 %r1, [%rd1];", "7.4", "7.3"},
    {"ld.global.L2::128B.b32 %r1, [%rd1];", "7.4", "7.3"},
    {"ld.mmio.relaxed.sys.global.b32 %r1, [%rd1];", "8.2", "8.1"},
};

TEST(Requirement, VersionsOfPtx) {
  for (const VersionRow &row : versions) {
    EXPECT_EQ(parseAs(row.version, "sm_75", row.line), "(no error)");
    expectContains(parseAs(row.before, "sm_75", row.line),
                   "' requires PTX ISA .version " + std::string(row.version) +
                       " or later");
  }
}

TEST(Requirement, NewerTargets) {
  // What a newer chip has is not refused for the chip, but is not known.
  std::string line = "redux.sync.add.s32 %r1, %r2, 0xffffffff;";
  EXPECT_EQ(parseAs("8.0", "sm_80", line),
            "m.ptx:4: unsupported instruction "
            "'redux.sync.add.s32 %r1, %r2, 0xffffffff'");
  EXPECT_EQ(parseAs("8.0", "sm_90a, debug", "max.f16 %h1, %h2, %h3;"),
            "(no error)");
  std::string ptx = wrap("");
  ptx.replace(ptx.find("sm_75"), 5, "sm_80");
  expectContains(messageOf(runPtx(ptx, {0})),
                 "the module is for sm_80; t4 is sm_75");
}

} // namespace
