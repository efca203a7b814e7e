//===- MatrixTest.cpp - mma, wmma, ldmatrix and movmatrix -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <cmath>
#include <random>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

/// Bits of a small multiple of 1/4 as a half: exact, and so are its sums.
uint16_t halfOf(float value) {
  if (value == 0)
    return 0;
  int exponent;
  float mantissa = std::frexp(std::fabs(value), &exponent);
  auto bits = static_cast<uint32_t>((mantissa * 2 - 1) * 1024) |
              static_cast<uint32_t>(exponent + 14) << 10;
  return static_cast<uint16_t>(bits | (value < 0 ? 0x8000u : 0));
}

float valueOf(uint16_t half) {
  int exponent = (half >> 10) & 31;
  float mantissa = static_cast<float>(half & 1023);
  float v = exponent ? std::ldexp(1024 + mantissa, exponent - 25)
                     : std::ldexp(mantissa, -24);
  return half & 0x8000 ? -v : v;
}

struct Numbers {
  std::mt19937 engine{7};
  float quarter() {
    return static_cast<float>(static_cast<int>(engine() % 65) - 32) / 4;
  }
  int within(int low, int high) {
    return low + static_cast<int>(engine() % unsigned(high - low + 1));
  }
};

std::string list(const std::string &prefix, unsigned first, unsigned n) {
  std::string text = "{";
  for (unsigned i = 0; i < n; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(first + i);
  return text + "}";
}

/// Runs an instruction on fragments: `in` holds for each lane the words of its
/// sources, in %r10 and on; the words of %r40 and on come back.
std::vector<uint32_t> onFragments(const std::string &instruction,
                                  const std::vector<uint32_t> &in,
                                  unsigned outWords) {
  auto n = static_cast<unsigned>(in.size() / 32);
  std::string body = "mul.lo.u32 %r1, %r0, " + std::to_string(4 * n) +
                     "; cvt.u64.u32 %rd5, %r1; add.s64 %rd6, %rd1, %rd5;\n";
  for (unsigned i = 0; i < n; ++i)
    body += "ld.global.b32 %r" + std::to_string(10 + i) + ", [%rd6+" +
            std::to_string(4 * i) + "];\n";
  body += instruction + "\nmul.lo.u32 %r1, %r0, " +
          std::to_string(4 * outWords) +
          "; cvt.u64.u32 %rd5, %r1; add.s64 %rd6, %rd0, %rd5;\n";
  for (unsigned i = 0; i < outWords; ++i)
    body += "st.global.b32 [%rd6+" + std::to_string(4 * i) + "], %r" +
            std::to_string(40 + i) + ";\n";
  auto result = runPtx(wrap(body), in, 32, 32 * outWords);
  EXPECT_TRUE(result) << messageOf(result);
  return result ? *result : std::vector<uint32_t>(32 * outWords);
}

/// d = a * b + c for mma.m16n8k8, the fragments as the PTX ISA tabulates them.
void testMma16n8k8(bool single) {
  Numbers numbers;
  float a[16][8], b[8][8], c[16][8];
  for (auto *matrix : {&a[0][0], &c[0][0]})
    for (unsigned i = 0; i < 128; ++i)
      matrix[i] = numbers.quarter();
  for (auto &r : b)
    for (float &x : r)
      x = numbers.quarter();
  std::vector<uint32_t> in;
  auto pair = [](float low, float high) {
    return halfOf(low) | uint32_t(halfOf(high)) << 16;
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane >> 2, t = lane % 4;
    in.push_back(pair(a[group][2 * t], a[group][2 * t + 1]));
    in.push_back(pair(a[group + 8][2 * t], a[group + 8][2 * t + 1]));
    in.push_back(pair(b[2 * t][group], b[2 * t + 1][group]));
    for (unsigned r : {group, group + 8}) {
      if (!single)
        in.push_back(pair(c[r][2 * t], c[r][2 * t + 1]));
      else
        for (unsigned i : {2 * t, 2 * t + 1})
          in.push_back(bitsOf<uint32_t>(c[r][i]));
    }
  }
  std::string type = single ? "f32" : "f16";
  unsigned n = single ? 4 : 2;
  auto out =
      onFragments("mma.sync.aligned.m16n8k8.row.col." + type + ".f16.f16." +
                      type + " " + list("%r", 40, n) +
                      ", {%r10, %r11}, {%r12}, " + list("%r", 13, n) + ";",
                  in, n);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned r = lane / 4 + (i < 2 ? 0 : 8), col = lane % 4 * 2 + i % 2;
      float expected = c[r][col];
      for (unsigned k = 0; k < 8; ++k)
        expected += a[r][k] * b[k][col];
      float actual =
          single ? bitsOf<float>(out[lane * 4 + i])
                 : valueOf(uint16_t(out[lane * 2 + i / 2] >> (i % 2 * 16)));
      // Multiples of 1/16 below 8 * 64 + 8: exact but in halves beyond 128.
      EXPECT_NEAR(actual, expected, single ? 0 : 0.25)
          << "lane " << lane << " element " << i;
    }
}

TEST(Matrix, MmaHalvesToSingle) { testMma16n8k8(true); }
TEST(Matrix, MmaHalvesToHalves) { testMma16n8k8(false); }

TEST(Matrix, MmaRoundsOnce) {
  // 2048 + 8 * (1 * 0.25) is 2050 in one rounding; adding one by one stays at
  // 2048, as would a sum of products in halves.
  std::vector<uint32_t> in;
  for (unsigned lane = 0; lane < 32; ++lane)
    in.insert(in.end(), {0x3c003c00u, 0x3c003c00u, 0x34003400u, 0x68006800u,
                         0x68006800u});
  auto out = onFragments(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r40, %r41}, "
      "{%r10, %r11}, {%r12}, {%r13, %r14};",
      in, 2);
  EXPECT_EQ(out[0], 0x68016801u);
  // Subnormal halves are not flushed: 2^-24 * 1, eight times.
  for (unsigned lane = 0; lane < 32; ++lane) {
    in[5 * lane] = 0x00010001u;
    in[5 * lane + 2] = 0x3c003c00u;
    in[5 * lane + 3] = 0;
    in[5 * lane + 1] = 0x7c00fc00u; // Infinities of both signs.
  }
  out = onFragments(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r40, %r41, %r42, "
      "%r43}, {%r10, %r11}, {%r12}, {%r13, %r13, %r13, %r13};",
      in, 4);
  EXPECT_EQ(bitsOf<float>(out[0]), 0x1p-21f);
  EXPECT_EQ(out[2], 0x7fffffffu) << "infinity minus infinity";
}

/// Integer forms: `bits` per element, packed from the lowest up.
void testIntegers(const std::string &name, unsigned k, unsigned bits,
                  bool isSignedA, bool isSignedB, bool saturate, int c0) {
  Numbers numbers;
  auto random = [&](bool isSigned) {
    int half = 1 << (bits - 1);
    return isSigned ? numbers.within(-half, half - 1)
                    : numbers.within(0, 2 * half - 1);
  };
  std::vector<std::vector<int>> a(8, std::vector<int>(k)), b = a;
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned i = 0; i < k; ++i) {
      a[r][i] = random(isSignedA);
      b[r][i] = random(isSignedB); // b[n][k].
    }
  std::vector<uint32_t> in;
  unsigned perWord = 32 / bits;
  auto pack = [&](const std::vector<int> &from, unsigned first) {
    uint32_t word = 0;
    for (unsigned i = 0; i < perWord; ++i)
      word |= (uint32_t(from[first + i]) & ((1u << bits) - 1)) << (bits * i);
    return word;
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    in.push_back(pack(a[lane / 4], lane % 4 * perWord));
    in.push_back(pack(b[lane / 4], lane % 4 * perWord));
    in.push_back(uint32_t(c0));
    in.push_back(uint32_t(c0 + 1));
  }
  auto out =
      onFragments(name + " {%r40, %r41}, {%r10}, {%r11}, {%r12, %r13};", in, 2);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      int64_t sum = int64_t(c0) + i;
      for (unsigned j = 0; j < k; ++j)
        sum += bits == 1 ? a[lane / 4][j] ^ b[lane % 4 * 2 + i][j]
                         : a[lane / 4][j] * b[lane % 4 * 2 + i][j];
      if (saturate)
        sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
      EXPECT_EQ(out[2 * lane + i], uint32_t(sum)) << name << " lane " << lane;
    }
}

TEST(Matrix, MmaIntegers) {
  std::string bytes = "mma.sync.aligned.m8n8k16.row.col.";
  testIntegers(bytes + "s32.s8.s8.s32", 16, 8, true, true, false, 1000);
  testIntegers(bytes + "s32.u8.s8.s32", 16, 8, false, true, false, -5);
  testIntegers(bytes + "s32.u8.u8.s32", 16, 8, false, false, false,
               INT32_MAX - 9); // Wraps.
  testIntegers(bytes + "satfinite.s32.u8.u8.s32", 16, 8, false, false, true,
               INT32_MAX - 9);
  testIntegers(bytes + "satfinite.s32.s8.s8.s32", 16, 8, true, true, true,
               INT32_MIN + 1);
  std::string nibbles = "mma.sync.aligned.m8n8k32.row.col.";
  testIntegers(nibbles + "s32.s4.s4.s32", 32, 4, true, true, false, 3);
  testIntegers(nibbles + "satfinite.s32.u4.s4.s32", 32, 4, false, true, true,
               INT32_MIN + 9);
  testIntegers("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 128,
               1, false, false, false, 7);
}

/// 128 bytes a matrix in shared memory, halves counted up from 0.
std::string fillShared() {
  return R"(.shared .align 16 .b8 tile[528];
    mad.lo.u32 %r2, %r0, 16, 0; mov.u32 %r3, tile; add.s32 %r2, %r2, %r3;
    mul.lo.u32 %r4, %r0, 8; add.s32 %r5, %r4, 1; mov.u32 %r9, 0;
  FILL:
    mad.lo.u32 %r6, %r5, 65536, %r4; st.shared.b32 [%r2], %r6;
    add.s32 %r2, %r2, 4; add.s32 %r4, %r4, 2; add.s32 %r5, %r5, 2;
    add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra FILL;
    bar.sync 0;
    mad.lo.u32 %r2, %r0, 16, %r3;)";
}

TEST(Matrix, LoadMatrix) {
  std::string store = R"( mul.wide.u32 %rd5, %r0, 16; add.s64 %rd6, %rd0, %rd5;
    st.global.v4.b32 [%rd6], {%r40, %r41, %r42, %r43};)";
  for (bool trans : {false, true}) {
    std::string name = trans ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                             : "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
    auto out = runPtx(
        wrap(fillShared() + name + " {%r40, %r41, %r42, %r43}, [%r2];" + store),
        {0}, 32, 128);
    ASSERT_TRUE(out) << messageOf(out);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        unsigned r = lane / 4, c = lane % 4 * 2;
        uint32_t low = 64 * i + (trans ? c * 8 + r : r * 8 + c);
        uint32_t high = low + (trans ? 8 : 1);
        EXPECT_EQ((*out)[4 * lane + i], low | high << 16);
      }
  }
  auto two = runPtx(wrap(fillShared() + R"(
    mov.u32 %r42, 5; mov.u32 %r43, 6; cvt.u64.u32 %rd8, %r2;
    cvta.shared.u64 %rd8, %rd8;
    ldmatrix.sync.aligned.m8n8.x1.b16 {%r40}, [%rd8];
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r42, %r41}, [%r2];)" +
                         store),
                    {0}, 32, 128);
  ASSERT_TRUE(two) << messageOf(two);
  EXPECT_EQ((*two)[4], 2u | 3u << 16); // Lane 1.
  EXPECT_EQ((*two)[5], 66u | 67u << 16);
  EXPECT_EQ((*two)[7], 6u);
}

TEST(Matrix, LoadMatrixFindings) {
  auto message = [](const std::string &code) {
    return messageOf(runPtx(wrap(fillShared() + code), {0}));
  };
  std::string x1 = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r40}, ";
  expectContains(message(x1 + "[%r2+8];"), "misaligned load of 16 bytes");
  // Lanes 8 to 31 hold no row of .x1, but sm_75 wants valid addresses there.
  std::string past = message(x1 + "[%r2+32];");
  expectContains(past, "out-of-bounds shared load of 16 bytes");
  expectContains(past, "thread (31, 0, 0)");
  expectContains(message("ldmatrix.sync.aligned.m8n8.x1.b16 {%r40}, [%rd0];"),
                 "not one of shared memory");
  expectContains(message("setp.lt.u32 %p1, %r0, 8;\n@%p1 " + x1 + "[%r2];"),
                 "thread (8, 0, 0)");
}

TEST(Matrix, MoveMatrix) {
  std::vector<uint32_t> in;
  for (unsigned lane = 0; lane < 32; ++lane)
    in.push_back(2 * lane | (2 * lane + 1) << 16);
  auto out = runPtx(wrap("ld.global.b32 %r10, [%rd3];\n"
                         "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r10;\n"
                         "st.global.b32 [%rd2], %r1;"),
                    in);
  ASSERT_TRUE(out) << messageOf(out);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t low = lane % 4 * 16 + lane / 4;
    EXPECT_EQ((*out)[lane], low | (low + 8) << 16);
  }
}

/// D = A B + C of halves: A with a leading dimension of 32, B at byte 2048, C
/// at 3072 (32 x 8 x 4), in global or shared memory.
struct WmmaProduct {
  WmmaProduct(unsigned m, unsigned n) : m(m), n(n) {
    Numbers numbers;
    for (auto *matrix : {&a, &b, &c}) {
      matrix->resize(matrix == &a ? m * k : matrix == &b ? k * n : m * n);
      for (float &x : *matrix)
        x = numbers.quarter();
    }
  }
  std::vector<uint32_t> input() const;
  std::string instructions(const std::string &shape, bool shared) const;
  void expectResult(const std::vector<uint32_t> &out) const;

  static constexpr unsigned k = 16;
  unsigned m, n;
  bool aCol = false, bCol = false, cCol = false;
  bool singleC = false, singleD = false; ///< Or half.
  std::vector<float> a, b, c;
};

std::vector<uint32_t> WmmaProduct::input() const {
  std::vector<uint32_t> in(1024);
  auto *bytes = reinterpret_cast<uint8_t *>(in.data());
  auto put = [&](size_t byte, float value, bool single) {
    uint16_t half = halfOf(value);
    std::memcpy(bytes + byte, single ? static_cast<void *>(&value) : &half,
                single ? 4 : 2);
  };
  for (unsigned r = 0; r < m; ++r)
    for (unsigned i = 0; i < k; ++i)
      put(2 * (aCol ? i * 32 + r : r * 32 + i), a[r * k + i], false);
  for (unsigned i = 0; i < k; ++i)
    for (unsigned j = 0; j < n; ++j)
      put(2048 + 2 * (bCol ? j * k + i : i * n + j), b[i * n + j], false);
  for (unsigned r = 0; r < m; ++r)
    for (unsigned j = 0; j < n; ++j)
      put(3072 + (singleC ? 4 : 2) * (cCol ? j * m + r : r * n + j),
          c[r * n + j], singleC);
  return in;
}

std::string WmmaProduct::instructions(const std::string &shape,
                                      bool shared) const {
  std::string ct = singleC ? "f32" : "f16", dt = singleD ? "f32" : "f16";
  unsigned nc = singleC ? 8 : 4, nd = singleD ? 8 : 4;
  auto layout = [](bool col) { return col ? "col." : "row."; };
  std::string body = R"(.shared .align 32 .b8 copy[4096]; mov.u64 %rd10, copy;
    mov.u32 %r1, 0; add.s64 %rd7, %rd10, %rd4;
  COPY:
    ld.global.b32 %r2, [%rd3]; st.shared.b32 [%rd7], %r2;
    add.s64 %rd3, %rd3, 128; add.s64 %rd7, %rd7, 128; add.s32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 32; @%p1 bra COPY; bar.sync 0; mov.u32 %r3, 32;
)";
  std::string base = shared ? "%rd10" : "%rd1",
              space = shared ? ".shared." : ".global.";
  body += "wmma.load.a.sync.aligned." + std::string(layout(aCol)) + shape +
          space + "f16 " + list("%r", 10, 8) + ", [" + base + "], %r3;\n";
  body += "wmma.load.b.sync.aligned." + std::string(layout(bCol)) + shape +
          space + "f16 " + list("%r", 18, 8) + ", [" + base + "+2048];\n";
  body += "wmma.load.c.sync.aligned." + std::string(layout(cCol)) + shape +
          space + ct + " " + list("%r", 26, nc) + ", [" + base + "+3072];\n";
  body += "wmma.mma.sync.aligned." + std::string(layout(aCol)) + layout(bCol) +
          shape + "." + dt + "." + ct + " " + list("%r", 40, nd) + ", " +
          list("%r", 10, 8) + ", " + list("%r", 18, 8) + ", " +
          list("%r", 26, nc) + ";\n";
  body += "wmma.store.d.sync.aligned." + std::string(layout(cCol)) + shape +
          ".global." + dt + " [%rd0], " + list("%r", 40, nd) + ";\n";
  return body;
}

void WmmaProduct::expectResult(const std::vector<uint32_t> &out) const {
  auto *result = reinterpret_cast<const uint8_t *>(out.data());
  for (unsigned r = 0; r < m; ++r)
    for (unsigned j = 0; j < n; ++j) {
      float expected = c[r * n + j], actual;
      for (unsigned i = 0; i < k; ++i)
        expected += a[r * k + i] * b[i * n + j];
      unsigned at = cCol ? j * m + r : r * n + j;
      uint16_t half;
      std::memcpy(&half, result + 2 * at, 2);
      std::memcpy(&actual, result + 4 * size_t(singleD ? at : 0), 4);
      EXPECT_NEAR(singleD ? actual : valueOf(half), expected, singleD ? 0 : 0.5)
          << "at " << r << ", " << j;
    }
}

void testWmma(const std::string &shape, unsigned m, unsigned n, bool aCol,
              bool bCol, bool cCol, bool singleC, bool singleD, bool shared) {
  SCOPED_TRACE(shape);
  WmmaProduct product(m, n);
  product.aCol = aCol;
  product.bCol = bCol;
  product.cCol = cCol;
  product.singleC = singleC;
  product.singleD = singleD;
  auto out = runPtx(wrap(product.instructions(shape, shared)), product.input(),
                    32, 256);
  ASSERT_TRUE(out) << messageOf(out);
  product.expectResult(*out);
}

TEST(Matrix, Wmma) {
  for (unsigned bits = 0; bits < 8; ++bits)
    for (bool shared : {false, true})
      testWmma("m16n16k16", 16, 16, bits & 1, bits & 2, bits & 4, true, true,
               shared);
  testWmma("m16n16k16", 16, 16, false, true, false, false, false, true);
  testWmma("m16n16k16", 16, 16, false, true, true, false, true, false);
  testWmma("m16n16k16", 16, 16, true, false, true, true, false, false);
  testWmma("m32n8k16", 32, 8, false, true, false, true, true, false);
  testWmma("m32n8k16", 32, 8, true, false, true, true, true, true);
  testWmma("m8n32k16", 8, 32, false, false, false, true, true, false);
  testWmma("m8n32k16", 8, 32, true, true, true, false, true, true);
}

/// A row-major matrix of `bits` bits times the columns of another.
void testWmmaSubByte(const std::string &shape, const std::string &type,
                     const std::string &operation, unsigned bits, unsigned k) {
  Numbers numbers;
  std::vector<uint32_t> in(2 * 8 * k * bits / 32);
  for (uint32_t &word : in)
    word = numbers.engine();
  auto element = [&](unsigned index) {
    unsigned value = in[index * bits / 32] >> (index * bits % 32);
    value &= (1u << bits) - 1;
    return type == "s4" && value > 7 ? int(value) - 16 : int(value);
  };
  std::string b = "+" + std::to_string(8 * k * bits / 8);
  auto out = runPtx(
      wrap("wmma.load.a.sync.aligned.row." + shape + ".global." + type +
           " {%r10}, [%rd1];\nwmma.load.b.sync.aligned.col." + shape +
           ".global." + type + " {%r11}, [%rd1" + b + "];\n" + "wmma.mma." +
           operation + " {%r12, %r13}, {%r10}, {%r11}, {1, 1};\n" +
           "wmma.store.d.sync.aligned.row." + shape +
           ".global.s32 [%rd0], {%r12, %r13};"),
      in, 32, 64);
  ASSERT_TRUE(out) << messageOf(out);
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 8; ++c) {
      int sum = 1;
      for (unsigned i = 0; i < k; ++i) {
        int x = element(r * k + i), y = element((8 + c) * k + i);
        sum += bits == 1 ? x ^ y : x * y;
      }
      EXPECT_EQ(int((*out)[8 * r + c]), sum) << operation;
    }
}

TEST(Matrix, WmmaSubByte) {
  for (std::string type : {"s4", "u4"})
    testWmmaSubByte("m8n8k32", type,
                    "sync.aligned.row.col.m8n8k32.s32." + type + "." + type +
                        ".s32",
                    4, 32);
  testWmmaSubByte("m8n8k128", "b1",
                  "xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 1,
                  128);
}

TEST(Matrix, WmmaFindings) {
  std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " +
                     list("%r", 10, 8) + ", ";
  auto message = [](const std::string &code) {
    return messageOf(runPtx(wrap(code), std::vector<uint32_t>(128)));
  };
  expectContains(message(load + "[%rd1+2], 16;"), "misaligned load");
  expectContains(message(load + "[%rd1+256], 16;"),
                 "out-of-bounds global load");
  expectContains(message(load + "[%rd3], 16;"), "differs from that of another");
}

TEST(Matrix, WmmaBytes) {
  std::vector<uint32_t> in(32 * 2);
  Numbers numbers;
  for (uint32_t &word : in)
    word = numbers.engine();
  auto *bytes = reinterpret_cast<const int8_t *>(in.data());
  // A is the matrix, B its transpose.
  auto out = runPtx(
      wrap("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r10, %r11}, "
           "[%rd1];\n"
           "wmma.load.b.sync.aligned.col.m16n16k16.global.s8 {%r12, %r13}, "
           "[%rd1];\n"
           "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " +
           list("%r", 40, 8) +
           ", {%r10, %r11}, {%r12, %r13}, "
           "{%r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0};\n"
           "sub.s32 %r40, %r40, %r0;"
           "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%rd0], " +
           list("%r", 40, 8) + ", 16;"),
      in, 32, 256);
  ASSERT_TRUE(out) << messageOf(out);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < 8; ++e) {
      unsigned r = lane / 2, c = lane % 2 * 8 + e;
      int sum = e == 0 ? 0 : static_cast<int>(lane);
      for (unsigned k = 0; k < 16; ++k)
        sum += bytes[16 * r + k] * bytes[16 * c + k];
      EXPECT_EQ(int((*out)[16 * r + c]), sum);
    }
}

} // namespace
