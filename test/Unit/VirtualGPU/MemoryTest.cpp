//===- MemoryTest.cpp - Loads, stores and memory spaces -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::vector<uint32_t> run(const std::string &ptx, std::vector<uint32_t> in,
                          unsigned threads = 32, unsigned outWords = 0) {
  auto result = runPtx(ptx, std::move(in), threads, outWords);
  EXPECT_TRUE(result) << messageOf(result);
  return result ? *result : std::vector<uint32_t>(std::max(threads, outWords));
}

std::vector<uint32_t> iota(unsigned n) {
  std::vector<uint32_t> v(n);
  for (unsigned i = 0; i < n; ++i)
    v[i] = i * 0x01010101u;
  return v;
}

TEST(MemoryOps, Vectors) {
  std::string body = R"(mul.wide.u32 %rd5, %r0, 16;
    add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd0, %rd5;
    ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];
    st.global.v2.f32 [%rd7], {%f4, %f3};
    st.global.v2.b32 [%rd7+8], {%r0, 5};)";
  auto in = iota(32 * 4);
  auto out = run(wrap(body), in, 32, 32 * 4);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[4 * i], in[4 * i + 3]);
    EXPECT_EQ(out[4 * i + 1], in[4 * i + 2]);
    EXPECT_EQ(out[4 * i + 2], i);
    EXPECT_EQ(out[4 * i + 3], 5u);
  }
}

TEST(MemoryOps, VectorsUnderAMask) {
  std::string body = R"(mul.wide.u32 %rd5, %r0, 16;
    add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd0, %rd5;
    mov.u32 %r1, 9; mov.u32 %r2, 9; mov.u32 %r3, 9; mov.u32 %r4, 9;
    setp.lt.u32 %p1, %r0, 7;
    @%p1 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd6];
    @!%p1 st.global.v4.u32 [%rd7], {%r4, %r3, %r2, %r1};
    @%p1 st.global.v4.u32 [%rd7], {%r1, %r2, %r3, %r4};)";
  // Lanes that do not load point beyond the end.
  auto out = run(wrap(body), iota(7 * 4), 32, 32 * 4);
  for (unsigned i = 0; i < 32 * 4; ++i)
    EXPECT_EQ(out[i], i < 28 ? i * 0x01010101u : 9u);
}

TEST(MemoryOps, NarrowElements) {
  std::string body = R"(cvt.u64.u32 %rd5, %r0; add.s64 %rd6, %rd1, %rd5;
    ld.global.s8 %r1, [%rd6]; ld.global.u8 %h1, [%rd6+1];
    cvt.u32.u16 %r2, %h1; shl.b32 %r2, %r2, 16;
    xor.b32 %r1, %r1, %r2; st.global.u32 [%rd2], %r1;
    setp.eq.u32 %p1, %r0, 3; @%p1 st.global.u8 [%rd2], %r0;
    @%p1 st.global.b16 [%rd2+2], 7;)";
  std::vector<uint32_t> in(16);
  for (unsigned i = 0; i < 64; ++i)
    reinterpret_cast<uint8_t *>(in.data())[i] = static_cast<uint8_t>(200 + i);
  auto out = run(wrap(body), in);
  for (unsigned i = 0; i < 32; ++i) {
    uint32_t expected =
        uint32_t(int32_t(int8_t(200 + i))) ^ uint32_t(uint8_t(201 + i)) << 16;
    if (i == 3)
      expected = (expected & 0xff00u) | 3 | 7 << 16;
    EXPECT_EQ(out[i], expected) << i;
  }
}

TEST(MemoryOps, SharedMemoryAndBarriers) {
  // Reverses the words of a block through shared memory.
  std::string body = R"(mov.u64 %rd5, buffer; add.s64 %rd6, %rd5, %rd4;
    ld.global.u32 %r1, [%rd3]; st.shared.u32 [%rd6], %r1;
    bar.sync 0;
    mov.u32 %r2, %ntid.x; sub.s32 %r2, %r2, %r0; shl.b32 %r2, %r2, 2;
    mov.u32 %r3, buffer; add.s32 %r2, %r3, %r2;
    ld.shared.u32 %r4, [%r2+-4]; st.global.u32 [%rd2], %r4;)";
  auto in = iota(256);
  auto out = run(wrap(body, ".shared .align 4 .b8 buffer[1024];"), in, 256);
  for (unsigned i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], in[255 - i]);
}

TEST(MemoryOps, GenericAddresses) {
  // The same load reads shared memory, global memory, or both.
  std::string body = R"(.shared .align 4 .b32 word;
    mov.u64 %rd5, word; cvta.shared.u64 %rd6, %rd5;
    st.shared.u32 [word], 77;
    bar.sync 0;
    setp.lt.u32 %p1, %r0, 16; selp.b64 %rd7, %rd6, %rd3, %p1;
    ld.u32 %r1, [%rd7]; ld.u32 %r2, [%rd6]; ld.u32 %r3, [%rd3];
    add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r3;
    st.u32 [%rd2], %r1;
    cvta.to.shared.u64 %rd8, %rd6; ld.shared.u32 %r4, [%rd8];)";
  auto out = run(wrap(body), std::vector<uint32_t>(32, 5));
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 16 ? 77 + 77 + 5u : 5 + 77 + 5u);
}

TEST(MemoryOps, LocalMemoryIsPerThread) {
  std::string body = R"(.local .align 8 .b8 __local_depot0[64];
    .reg .b64 %SP; .reg .b64 %SPL;
    mov.b64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL;
    and.b32 %r1, %r0, 15; mul.wide.u32 %rd5, %r1, 4;
    add.u64 %rd6, %SPL, %rd5; add.u64 %rd7, %SP, %rd5;
    st.local.u32 [%rd6], %r0; ld.u32 %r2, [%rd7];
    st.global.u32 [%rd2], %r2;)";
  auto out = run(wrap(body), {0});
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i);
}

TEST(MemoryOps, ConstantsAndGlobals) {
  std::string variables = R"(
.const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 255};
.visible .global .align 4 .u32 counter = 40;
.global .align 4 .f32 values[2] = {0f3F800000, 0f40000000};)";
  std::string body = R"(and.b32 %r1, %r0, 3; mul.wide.u32 %rd5, %r1, 4;
    mov.u64 %rd6, table; add.s64 %rd7, %rd6, %rd5;
    ld.const.u32 %r2, [%rd7]; ld.global.u32 %r3, [counter];
    ld.global.f32 %f1, [values+4]; cvt.rzi.u32.f32 %r4, %f1;
    add.s32 %r2, %r2, %r3; mad.lo.s32 %r2, %r4, 1000, %r2;
    st.global.u32 [%rd2], %r2;)";
  auto out = run(wrap(body, variables), {0});
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 2040 + (i % 4 == 3 ? 255 : i % 4 + 1));
}

TEST(MemoryOps, DynamicSharedMemory) {
  std::string before = ".shared .align 4 .b8 fixed[20];\n"
                       ".extern .shared .align 16 .b8 dyn[];";
  std::string body = R"(mov.u32 %r1, dyn; mov.u32 %r2, %dynamic_smem_size;
    mov.u32 %r3, fixed; shl.b32 %r4, %r0, 2; add.s32 %r4, %r4, %r1;
    st.shared.u32 [%r4], %r0;
    mad.lo.s32 %r1, %r1, 1000, %r2; st.global.u32 [%rd2], %r1;)";
  LaunchConfig config;
  config.dynamicSharedBytes = 128;
  auto out = runPtx(wrap(body, before), {0}, 32, 0, config);
  ASSERT_TRUE(out) << messageOf(out);
  EXPECT_EQ((*out)[0], 32000u + 128); // After 20 bytes, aligned to 16.
}

TEST(MemoryOps, StructParameters) {
  std::string ptx = header() + R"(
.visible .entry k(.param .u64 .ptr .global .align 4 out,
                  .param .align 8 .b8 s[24])
{
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .b16 %h<2>;
  ld.param.b64 %rd1, [out];
  ld.param.v2.b32 {%r1, %r2}, [s+8];
  ld.param.u8 %h1, [s+16];
  mov.b64 %rd2, s; ld.param.b64 %rd3, [%rd2];
  st.global.b32 [%rd1], %r1; st.global.b32 [%rd1+4], %r2;
  st.global.u16 [%rd1+8], %h1; st.global.b64 [%rd1+16], %rd3;
  ret;
})";
  auto module = parseModule(ptx, "t.ptx");
  ASSERT_TRUE(module) << messageOf(module);
  EXPECT_EQ((*module)->kernels()[0].paramBytes, (std::vector<uint32_t>{8, 24}));
  VirtualGPU gpu(testDevice());
  uint64_t out[3] = {};
  ASSERT_TRUE(gpu.memory().registerRange(out, sizeof(out)));
  void *pointer = out;
  uint64_t s[3] = {0x1122334455667788, 0x0000000200000001, 0x1ff};
  void *params[] = {&pointer, s};
  auto report = gpu.launch(**module, "k", {}, params, 2);
  ASSERT_TRUE(report) << messageOf(report);
  EXPECT_EQ(out[0], s[1]);
  EXPECT_EQ(out[1], 0xffu);
  EXPECT_EQ(out[2], s[0]);
}

TEST(MemoryTable, Ranges) {
  Memory memory;
  auto a = memory.allocate(100, "a");
  ASSERT_TRUE(a);
  uint64_t base = reinterpret_cast<uint64_t>(*a);
  EXPECT_EQ(base % 256, 0u);
  EXPECT_EQ(static_cast<uint8_t *>(*a)[99], 0xff);
  RangeTable table = memory.snapshot({{base + 40, 1000, "view"}});
  EXPECT_EQ(table.find(base, 100)->label, "a");
  EXPECT_EQ(table.find(base + 96, 8)->label, "view");
  EXPECT_EQ(table.find(base + 1040, 1), nullptr);
  EXPECT_EQ(table.find(base - 1, 1), nullptr);
  EXPECT_EQ(table.nearest(base - 1)->label, "a");
  EXPECT_EQ(table.nearest(base + 5000)->label, "view");
  EXPECT_TRUE(memory.free(*a));
  expectContains(messageOf(memory.free(*a)), "was freed before");
  EXPECT_EQ(memory.allocatedBytes(), 0u);
  expectContains(messageOf(memory.allocate(~uint64_t(0) - 5)), "out of memory");
  int word;
  EXPECT_TRUE(memory.registerRange(&word, 4));
  EXPECT_TRUE(memory.registerRange(&word, 4));
  EXPECT_TRUE(memory.unregisterRange(&word));
  EXPECT_TRUE(memory.unregisterRange(&word));
  expectContains(messageOf(memory.unregisterRange(&word)),
                 "no host memory is registered");
}

} // namespace
