//===- FunctionTest.cpp - .func, call and vprintf -------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <fstream>
#include <sstream>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

std::string input(const std::string &file) {
  std::ifstream in(std::string(VGPU_TEST_INPUTS) + "/" + file);
  EXPECT_TRUE(in.good()) << file;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<uint32_t> run(const std::string &ptx, std::vector<uint32_t> in) {
  auto n = static_cast<unsigned>(in.size());
  auto out = runPtx(ptx, std::move(in), n);
  EXPECT_TRUE(out) << messageOf(out);
  return out ? *out : std::vector<uint32_t>(n);
}

/// What Inputs/calls.c computes.
int expectedOfCalls(int t, int x) {
  auto scale = [](int a, float b) { return a * 3 + static_cast<int>(b); };
  int v = scale(x, static_cast<float>(t)), a = x, c = 4 * t;
  double b = x * 0.5;
  if (t & 1) {
    a += t & 3;
    b *= 2;
    c += scale(7, 1.5f);
    v += scale(v, 2.5f);
  }
  int64_t sum = 1;
  if (t % 5 != 0)
    sum += t + static_cast<signed char>(t * 9) - t;
  return v + a + static_cast<int>(b) + c + static_cast<int>(sum);
}

TEST(Function, CompiledCalls) {
  std::vector<uint32_t> in(70);
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = i * 37 - 900;
  for (const char *file : {"calls-clang.ptx", "calls-nvcc.ptx"}) {
    auto out = run(input(file), in);
    for (unsigned t = 0; t < in.size(); ++t)
      EXPECT_EQ(int(out[t]), expectedOfCalls(int(t), int(in[t])))
          << file << " thread " << t;
  }
}

TEST(Function, RegisterParameters) {
  std::string f = R"(
.func (.reg .b32 %result, .reg .pred %big) f (.reg .b32 %a, .reg .b64 %b)
{
  .reg .b32 %t<2>;
  cvt.u32.u64 %t0, %b;
  add.s32 %result, %a, %t0;
  setp.gt.u32 %big, %result, 20;
  ret;
})";
  auto out =
      run(wrap("mov.b64 %rd5, 7; mov.b32 %r1, 1; setp.ne.u32 %p2, %r0, 3;"
               "setp.eq.u32 %p1, %r0, 99;"
               "@%p2 call (%r1, %p1), f, (%r0, %rd5);"
               "selp.b32 %r2, 100, 0, %p1; add.s32 %r1, %r1, %r2;"
               "st.global.b32 [%rd2], %r1;",
               f),
          std::vector<uint32_t>(32));
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t == 3 ? 1 : t + 7 + (t + 7 > 20 ? 100 : 0));
}

TEST(Function, DivergentReturns) {
  // Lanes return from a loop one by one, and meet at a barrier after the call.
  std::string f = R"(
.func (.param .b32 ret) count (.param .b32 n)
{
  .reg .b32 %r<4>; .reg .pred %p;
  ld.param.b32 %r1, [n]; mov.b32 %r2, 0; mov.b32 %r3, 0;
LOOP:
  setp.ge.u32 %p, %r2, %r1;
  st.param.b32 [ret], %r3;
  @%p ret;
  add.s32 %r3, %r3, %r2; add.s32 %r2, %r2, 1;
  bra LOOP;
}
.func (.param .b32 ret) twice (.param .b32 n)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [n];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    call (b), count, (a); ld.param.b32 %r2, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;
    call (b), count, (a); ld.param.b32 %r3, [b]; }
  st.param.b32 [ret], %r3;
})";
  auto out = run(wrap(R"({ .param .b32 a; .param .b32 b;
    and.b32 %r1, %r0, 7; st.param.b32 [a], %r1;
    call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }
    bar.sync 0; st.global.b32 [%rd2], %r2;)",
                      f),
                 std::vector<uint32_t>(64));
  for (unsigned t = 0; t < 64; ++t) {
    unsigned n = t % 8, m = n * (n - 1) / 2;
    EXPECT_EQ(out[t], m * (m - 1) / 2) << t;
  }
}

TEST(Function, SharedVariablesExistOnce) {
  std::string f = R"(
.func put (.reg .b32 %v)
{ .shared .align 4 .b32 cell; .reg .pred %p; .reg .b32 %t;
  mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
  @%p st.shared.b32 [cell], %v; ret; }
.func (.reg .b32 %v) get ()
{ .reg .b32 %u; call put, (5); call put, (6); mov.b32 %v, 4; ret; })";
  auto module = parseModule(
      wrap("call put, (%r0); call (%r1), get, (); call (%r2), get;", f), "m");
  ASSERT_TRUE(module) << messageOf(module);
  EXPECT_EQ((*module)->kernels()[0].staticSharedBytes, 4u);
}

std::string callMessage(const std::string &functions, const std::string &call) {
  return messageOf(parseModule(wrap(call, functions), "m.ptx"));
}

TEST(Function, RefusedCalls) {
  expectContains(callMessage("", "call nowhere;"),
                 "m.ptx:19: unsupported instruction 'call nowhere': function "
                 "'nowhere' is not defined in the module");
  expectContains(callMessage("", "call (%r1), %rd5, (%r2), proto;\nproto: "
                                 ".callprototype (.param .b32 _) _ (.param "
                                 ".b32 _);"),
                 "indirect calls are not supported");
  std::string mutual = ".func g;\n.func f { call g; ret; }\n"
                       ".func g { call f; ret; }\n";
  expectContains(callMessage(mutual, "call f;"),
                 "m.ptx:6: unsupported instruction 'call f': 'f' calls itself; "
                 "recursion is not supported");
  std::string f = ".func (.param .b64 r) f (.param .b32 a) { ret; }\n";
  expectContains(callMessage(f, "call f;"),
                 "the call has 0 arguments and 0 return values; function 'f' "
                 "has 1 and 1");
  expectContains(callMessage(f, ".param .b32 x; .param .b32 y;"
                                "call (y), f, (x);"),
                 "'r' has 8 bytes, what the call gives for it has 4");
  expectContains(callMessage(f, "call (%rd5), f, (%r1);"),
                 "'a' is in .param space");
  expectContains(callMessage(f + f, ""), "function 'f' is defined twice");
  // 2^30 copies of a body.
  std::string tower = ".func f0 { .reg .b32 %q; mov.b32 %q, 0; ret; }\n";
  for (unsigned i = 1; i <= 30; ++i) {
    std::string below = "f" + std::to_string(i - 1);
    tower += ".func f" + std::to_string(i) + " { call " + below + "; call " +
             below + "; ret; }\n";
  }
  expectContains(callMessage(tower, "call f30;"),
                 "has more than 65536 instructions");
  // Uncalled functions need not be supported.
  EXPECT_EQ(callMessage(".func f { foo.bar; call f; ret; }\n", ""),
            "(no error)");
  expectContains(callMessage(".func f\n{ foo.bar; ret; }\n", "call f;"),
                 "m.ptx:5: unsupported instruction 'foo.bar'");
}

/// Tables of functions, as C++ has them for pointers and virtual functions, do
/// no harm to kernels that make no call through them.
TEST(Function, AddressesInInitializers) {
  auto out = run(wrap("mov.u64 %rd5, table; ld.global.u64 %rd6, [%rd5];"
                      "ld.global.u64 %rd7, [%rd5+8];"
                      "setp.ne.u64 %p1, %rd6, 0;"
                      "setp.ne.and.u64 %p1, %rd7, %rd6, %p1;"
                      "selp.b32 %r1, 1, 2, %p1; st.global.b32 [%rd2], %r1;",
                      ".func f { ret; }\n.func g { ret; }\n"
                      ".global .align 8 .u64 table[2] = {f, g};\n"),
                 {0});
  EXPECT_EQ(out[0], 1u);
}

TEST(Function, OnlyOneKernelOfAModule) {
  std::string ptx = wrap("mov.b32 %r1, 7; st.global.b32 [%rd2], %r1;") +
                    ".visible .entry other() { foo.bar; ret; }\n";
  expectContains(messageOf(parseModule(ptx, "m.ptx")),
                 "unsupported instruction 'foo.bar'");
  auto module = parseModule(ptx, "m.ptx", "k");
  ASSERT_TRUE(module) << messageOf(module);
  EXPECT_EQ((*module)->lookupKernel("k")->paramBytes.size(), 2u);
  EXPECT_TRUE((*module)->lookupKernel("other"));
  expectContains(messageOf(parseModule(ptx, "m.ptx", "other")),
                 "unsupported instruction 'foo.bar'");
}

TEST(Function, Print) {
  std::string before = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[] = {37, 51, 100, 124, 37, 46, 50, 102, 124, 37, 115, 124, 37, 108, 108, 120, 124, 37, 37, 37, 99, 10, 0};
.global .align 1 .b8 word[4] = {97, 98, 99};)";
  std::string ptx = wrap(R"(.local .align 8 .b8 depot[48]; .reg .b64 %SP;
  mov.u64 %rd5, depot; cvta.local.u64 %SP, %rd5;
  st.local.b32 [%rd5], %r0; st.local.b64 [%rd5+8], 0d3FF8000000000000;
  mov.u64 %rd6, word; st.local.b64 [%rd5+16], %rd6;
  st.local.b64 [%rd5+24], 0x123456789abcd; st.local.b32 [%rd5+32], 33;
  mov.u64 %rd7, text; cvta.global.u64 %rd7, %rd7;
  setp.gt.u32 %p1, %r0, 1; mov.b32 %r1, 9; @%p1 bra DONE;
  { .param .b64 a; .param .b64 b; .param .b32 c;
  st.param.b64 [a], %rd7; st.param.b64 [b], %SP;
  call.uni (c), vprintf, (a, b); ld.param.b32 %r1, [c]; }
DONE: st.global.b32 [%rd2], %r1;)",
                         before);
  testing::internal::CaptureStdout();
  auto out = run(ptx, std::vector<uint32_t>(32));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "  0|1.50|abc|123456789abcd|%!\n  1|1.50|abc|123456789abcd|%!\n");
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(out[2], 9u);
}

} // namespace
