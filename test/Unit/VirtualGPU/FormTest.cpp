//===- FormTest.cpp - One row for each form of an instruction -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row has the text of an instruction on a, b and c and a function that says
// what it gives; all 32 lanes have operands of their own. The functions are
// plain C++ on the host's types and share nothing with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace dietcode;
using namespace dietcode::vgpu;

namespace {

using Expected3 = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;

/// In `text`, D, A, B and C stand for registers of the widths given.
struct Form {
  std::string text;
  unsigned dBits, aBits, bBits, cBits; ///< 1 is a predicate.
  Expected3 expected;
};

uint64_t truncated(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

std::string registerOf(unsigned bits, unsigned index) {
  std::string prefix = bits == 16 ? "%h" : bits == 64 ? "%rd" : "%r";
  return bits == 1 ? "%p5" : prefix + std::to_string(10 + index);
}

/// The form with its registers in, and the result in %rd13.
std::string snippet(const Form &form) {
  std::string code = "mul.wide.u32 %rd5, %r0, 24; add.s64 %rd6, %rd1, %rd5;\n";
  unsigned bits[] = {form.aBits, form.bBits, form.cBits};
  for (unsigned i = 0; i < 3; ++i)
    code += "ld.global.b" + std::to_string(bits[i]) + " " +
            registerOf(bits[i], i) + ", [%rd6+" + std::to_string(8 * i) +
            "];\n";
  for (char c : form.text) {
    if (c == 'D')
      code += registerOf(form.dBits, 3);
    else if (c >= 'A' && c <= 'C')
      code += registerOf(bits[c - 'A'], unsigned(c - 'A'));
    else
      code += c;
  }
  if (form.dBits == 1)
    code += "\nselp.b64 %rd13, 1, 0, %p5;";
  else if (form.dBits != 64)
    code += "\ncvt.u64.u" + std::to_string(form.dBits) + " %rd13, " +
            registerOf(form.dBits, 3) + ";";
  return code + "\nmul.wide.u32 %rd5, %r0, 8; add.s64 %rd6, %rd0, %rd5;"
                "st.global.b64 [%rd6], %rd13;";
}

void check(const Form &form, const std::vector<uint64_t> &operands) {
  std::vector<uint32_t> in;
  for (uint64_t value : operands) {
    in.push_back(uint32_t(value));
    in.push_back(uint32_t(value >> 32));
  }
  auto out = runPtx(wrap(snippet(form)), in, 32, 64);
  ASSERT_TRUE(out) << form.text << ": " << messageOf(out);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t a = truncated(operands[3 * lane], form.aBits);
    uint64_t b = truncated(operands[3 * lane + 1], form.bBits);
    uint64_t c = truncated(operands[3 * lane + 2], form.cBits);
    uint64_t actual = (*out)[2 * lane] | uint64_t((*out)[2 * lane + 1]) << 32;
    EXPECT_EQ(actual, truncated(form.expected(a, b, c), form.dBits))
        << form.text << " of " << a << ", " << b << ", " << c;
  }
}

/// Edges of all widths, and random bits.
std::vector<uint64_t> integerOperands() {
  static constexpr uint64_t edges[] = {0,
                                       1,
                                       2,
                                       0x7f,
                                       0x80,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       ~uint64_t(0)};
  std::mt19937_64 engine(1);
  std::vector<uint64_t> values;
  for (unsigned i = 0; i < 96; ++i)
    values.push_back(engine() % 2 ? edges[engine() % std::size(edges)]
                                  : engine() >> engine() % 64);
  return values;
}

template <typename T>
std::string typeName() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// The 128-bit value of a product, from which mul.hi, .wide and so on follow.
template <typename T>
__int128 product(uint64_t a, uint64_t b) {
  return (__int128)(T(a)) * T(b);
}

template <typename T>
void addComparisonForms(std::vector<Form> &forms) {
  constexpr unsigned n = 8 * sizeof(T);
  std::string t = "." + typeName<T>() + " ";
  using E = uint64_t;
  const std::pair<const char *, bool (*)(T, T)> comparisons[] = {
      {"eq", [](T a, T b) { return a == b; }},
      {"ne", [](T a, T b) { return a != b; }},
      {"lt", [](T a, T b) { return a < b; }},
      {"le", [](T a, T b) { return a <= b; }},
      {"gt", [](T a, T b) { return a > b; }},
      {"ge", [](T a, T b) { return a >= b; }}};
  for (auto &[name, compare] : comparisons) {
    auto holds = compare;
    forms.push_back({"setp." + std::string(name) + t + "D, A, B;", 1, n, n, n,
                     [holds](E a, E b, E) { return E(holds(T(a), T(b))); }});
    forms.push_back(
        {"set." + std::string(name) + ".u32" + t + "D, A, B;", 32, n, n, n,
         [holds](E a, E b, E) { return holds(T(a), T(b)) ? 0xffffffffu : 0; }});
  }
}

template <typename T>
void addIntegerForms(std::vector<Form> &forms) {
  constexpr unsigned n = 8 * sizeof(T);
  std::string t = "." + typeName<T>() + " ";
  auto add = [&](const std::string &op, const std::string &rest,
                 Expected3 expected) {
    forms.push_back({op + t + rest, n, n, n, n, std::move(expected)});
  };
  using E = uint64_t;
  add("add", "D, A, B;", [](E a, E b, E) { return a + b; });
  add("sub", "D, A, B;", [](E a, E b, E) { return a - b; });
  add("mul.lo", "D, A, B;", [](E a, E b, E) { return a * b; });
  add("mul.hi", "D, A, B;",
      [](E a, E b, E) { return E(product<T>(a, b) >> n); });
  add("mad.lo", "D, A, B, C;", [](E a, E b, E c) { return a * b + c; });
  add("mad.hi", "D, A, B, C;",
      [](E a, E b, E c) { return E(product<T>(a, b) >> n) + c; });
  std::string nonzero =
      "setp.eq" + t + "%p1, B, 0; @%p1 mov.b" + std::to_string(n) + " B, 1;";
  if (std::is_signed_v<T>)
    nonzero +=
        "setp.eq" + t + "%p1, B, -1; @%p1 mov.b" + std::to_string(n) + " B, 1;";
  auto safe = [](E b) {
    bool isBad = T(b) == 0 || (std::is_signed_v<T> && T(b) == T(-1));
    return isBad ? T(1) : T(b);
  };
  forms.push_back({nonzero + "div" + t + "D, A, B;", n, n, n, n,
                   [safe](E a, E b, E) { return E(T(a) / safe(b)); }});
  forms.push_back({nonzero + "rem" + t + "D, A, B;", n, n, n, n,
                   [safe](E a, E b, E) { return E(T(a) % safe(b)); }});
  add("min", "D, A, B;", [](E a, E b, E) { return E(std::min(T(a), T(b))); });
  add("max", "D, A, B;", [](E a, E b, E) { return E(std::max(T(a), T(b))); });
  add("sad", "D, A, B, C;",
      [](E a, E b, E c) { return c + (T(a) < T(b) ? b - a : a - b); });
  forms.push_back({"shr" + t + "D, A, B;", n, n, 32, n, [](E a, E b, E) {
                     return E(b < n ? T(a) >> b : T(a) < T(0) ? T(-1) : T(0));
                   }});
  if constexpr (n < 64) {
    forms.push_back({"mul.wide" + t + "D, A, B;", 2 * n, n, n, n,
                     [](E a, E b, E) { return E(product<T>(a, b)); }});
    forms.push_back({"mad.wide" + t + "D, A, B, C;", 2 * n, n, n, 2 * n,
                     [](E a, E b, E c) { return E(product<T>(a, b)) + c; }});
  }
  if constexpr (std::is_signed_v<T>) {
    add("abs", "D, A;", [](E a, E, E) { return T(a) < 0 ? 0 - a : a; });
    add("neg", "D, A;", [](E a, E, E) { return 0 - a; });
  }
}

void addBitForms(std::vector<Form> &forms) {
  using E = uint64_t;
  for (unsigned n : {16u, 32u, 64u}) {
    std::string t = ".b" + std::to_string(n) + " ";
    auto add = [&](const std::string &op, const std::string &rest, unsigned b,
                   Expected3 expected) {
      forms.push_back({op + t + rest, n, n, b, n, std::move(expected)});
    };
    add("and", "D, A, B;", n, [](E a, E b, E) { return a & b; });
    add("or", "D, A, B;", n, [](E a, E b, E) { return a | b; });
    add("xor", "D, A, B;", n, [](E a, E b, E) { return a ^ b; });
    add("not", "D, A;", n, [](E a, E, E) { return ~a; });
    add("cnot", "D, A;", n, [](E a, E, E) { return E(a == 0); });
    add("mov", "D, A;", n, [](E a, E, E) { return a; });
    add("shl", "D, A, B;", 32, [n](E a, E b, E) { return b < n ? a << b : 0; });
    forms.push_back({"setp.ne.b32 %p1, C, 0; selp" + t + "D, A, B, %p1;", n, n,
                     n, 32, [](E a, E b, E c) { return c ? a : b; }});
    if (n == 16)
      continue;
    forms.push_back({"popc" + t + "D, A;", 32, n, n, n,
                     [](E a, E, E) { return E(__builtin_popcountll(a)); }});
    forms.push_back({"clz" + t + "D, A;", 32, n, n, n, [n](E a, E, E) {
                       return a ? E(__builtin_clzll(a)) - (64 - n) : n;
                     }});
    add("brev", "D, A;", n, [n](E a, E, E) {
      E result = 0;
      for (unsigned i = 0; i < n; ++i)
        result |= ((a >> i) & 1) << (n - 1 - i);
      return result;
    });
  }
}

template <typename To, typename From>
void addConversion(std::vector<Form> &forms) {
  using E = uint64_t;
  constexpr unsigned to = std::max<unsigned>(8 * sizeof(To), 16);
  constexpr unsigned from = std::max<unsigned>(8 * sizeof(From), 16);
  std::string types = "." + typeName<To>() + "." + typeName<From>() + " D, A;";
  // A narrow result is extended, by its sign, to its register.
  using Register = std::conditional_t<std::is_signed_v<To>, int64_t, uint64_t>;
  forms.push_back({"cvt" + types, to, from, 32, 32,
                   [](E a, E, E) { return E(Register(To(From(a)))); }});
  // ptxas refuses .sat where nothing can be out of range.
  using Limits = std::numeric_limits<To>;
  bool isContained =
      __int128(Limits::min()) <= __int128(std::numeric_limits<From>::min()) &&
      __int128(Limits::max()) >= __int128(std::numeric_limits<From>::max());
  if (isContained) {
    auto module = parseModule(wrap("cvt.sat." + typeName<To>() + "." +
                                   typeName<From>() + " " + registerOf(to, 3) +
                                   ", " + registerOf(from, 0) + ";"),
                              "m.ptx");
    expectContains(messageOf(module), "unsupported instruction 'cvt.sat");
    return;
  }
  forms.push_back({"cvt.sat" + types, to, from, 32, 32, [](E a, E, E) {
                     __int128 value = From(a);
                     __int128 low = std::numeric_limits<To>::min(),
                              high = std::numeric_limits<To>::max();
                     value = value < low ? low : value > high ? high : value;
                     return E(Register(To(value)));
                   }});
}

template <typename To>
void addConversionsTo(std::vector<Form> &forms) {
  addConversion<To, int8_t>(forms);
  addConversion<To, uint8_t>(forms);
  addConversion<To, int16_t>(forms);
  addConversion<To, uint16_t>(forms);
  addConversion<To, int32_t>(forms);
  addConversion<To, uint32_t>(forms);
  addConversion<To, int64_t>(forms);
  addConversion<To, uint64_t>(forms);
}

TEST(ArithForms, Integers) {
  std::vector<Form> forms;
  addIntegerForms<uint16_t>(forms);
  addComparisonForms<uint16_t>(forms);
  addIntegerForms<int16_t>(forms);
  addComparisonForms<int16_t>(forms);
  addIntegerForms<uint32_t>(forms);
  addComparisonForms<uint32_t>(forms);
  addIntegerForms<int32_t>(forms);
  addComparisonForms<int32_t>(forms);
  addIntegerForms<uint64_t>(forms);
  addComparisonForms<uint64_t>(forms);
  addIntegerForms<int64_t>(forms);
  addComparisonForms<int64_t>(forms);
  addBitForms(forms);
  EXPECT_GE(forms.size(), 170u);
  auto operands = integerOperands();
  for (const Form &form : forms)
    check(form, operands);
}

TEST(ConvertForms, Integers) {
  std::vector<Form> forms;
  addConversionsTo<int8_t>(forms);
  addConversionsTo<uint8_t>(forms);
  addConversionsTo<int16_t>(forms);
  addConversionsTo<uint16_t>(forms);
  addConversionsTo<int32_t>(forms);
  addConversionsTo<uint32_t>(forms);
  addConversionsTo<int64_t>(forms);
  addConversionsTo<uint64_t>(forms);
  EXPECT_EQ(forms.size(), 128u - 26);
  auto operands = integerOperands();
  for (const Form &form : forms)
    check(form, operands);
}

/// Runs a host operation in one of the rounding modes of PTX.
template <typename F, typename Fn>
uint64_t rounded(int mode, Fn fn, uint64_t a, uint64_t b, uint64_t c) {
  using Bits = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;
  std::fesetround(mode);
  volatile F x = bitsOf<F>(Bits(a)), y = bitsOf<F>(Bits(b)),
             z = bitsOf<F>(Bits(c));
  volatile F result = fn(x, y, z);
  std::fesetround(FE_TONEAREST);
  F value = result;
  return bitsOf<Bits>(value);
}

template <typename F>
void addFloatForms(std::vector<Form> &forms) {
  constexpr unsigned n = 8 * sizeof(F);
  using E = uint64_t;
  using Fn = F (*)(F, F, F);
  using Bits = std::conditional_t<n == 32, uint32_t, uint64_t>;
  std::string t = ".f" + std::to_string(n) + " ";
  static constexpr std::pair<const char *, int> modes[] = {
      {".rn", FE_TONEAREST},
      {".rz", FE_TOWARDZERO},
      {".rm", FE_DOWNWARD},
      {".rp", FE_UPWARD}};
  const std::pair<std::string, Fn> operations[] = {
      {"add R D, A, B;", [](F a, F b, F) { return a + b; }},
      {"sub R D, A, B;", [](F a, F b, F) { return a - b; }},
      {"mul R D, A, B;", [](F a, F b, F) { return a * b; }},
      {"fma R D, A, B, C;", [](F a, F b, F c) { return std::fma(a, b, c); }},
      {"div R D, A, B;", [](F a, F b, F) { return a / b; }},
      {"rcp R D, A;", [](F a, F, F) { return F(1) / a; }},
      {"sqrt R D, A;", [](F a, F, F) { return std::sqrt(a); }}};
  for (auto &[text, fn] : operations)
    for (auto &[name, mode] : modes) {
      std::string form = text;
      form.replace(form.find(" R "), 3, name + t);
      forms.push_back({form, n, n, n, n, [fn = fn, mode = mode](E a, E b, E c) {
                         return rounded<F>(mode, fn, a, b, c);
                       }});
    }
  const std::pair<const char *, bool (*)(F, F)> comparisons[] = {
      {"eq", [](F a, F b) { return a == b; }},
      {"ne", [](F a, F b) { return a < b || a > b; }},
      {"lt", [](F a, F b) { return a < b; }},
      {"le", [](F a, F b) { return a <= b; }},
      {"gt", [](F a, F b) { return a > b; }},
      {"ge", [](F a, F b) { return a >= b; }},
      {"equ", [](F a, F b) { return !(a < b || a > b); }},
      {"neu", [](F a, F b) { return !(a == b); }},
      {"ltu", [](F a, F b) { return !(a >= b); }},
      {"leu", [](F a, F b) { return !(a > b); }},
      {"gtu", [](F a, F b) { return !(a <= b); }},
      {"geu", [](F a, F b) { return !(a < b); }},
      {"num", [](F a, F b) { return a == a && b == b; }},
      {"nan", [](F a, F b) { return a != a || b != b; }}};
  for (auto &[name, compare] : comparisons)
    forms.push_back({"setp." + std::string(name) + t + "D, A, B;", 1, n, n, n,
                     [compare = compare](E a, E b, E) {
                       return E(
                           compare(bitsOf<F>(Bits(a)), bitsOf<F>(Bits(b))));
                     }});
  forms.push_back({"abs" + t + "D, A;", n, n, n, n,
                   [](E a, E, E) { return a & ~(uint64_t(1) << (n - 1)); }});
  forms.push_back({"neg" + t + "D, A;", n, n, n, n,
                   [](E a, E, E) { return a ^ uint64_t(1) << (n - 1); }});
}

/// Finite values, many of them close to each other, without zeros: operations
/// on those have results that are NaN, whose bits are left open.
template <typename F>
std::vector<uint64_t> floatOperands() {
  using Bits = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;
  std::mt19937_64 engine(2);
  std::vector<uint64_t> values;
  for (unsigned i = 0; i < 96; ++i) {
    F value = std::ldexp(F(engine() >> 11), int(engine() % 9) - 52);
    if (i % 3 != 0 && engine() % 2) // a stays positive: it has a root.
      value = -value;
    if (engine() % 8 == 0)
      value = std::numeric_limits<F>::denorm_min() * F(engine() % 100 + 1);
    values.push_back(bitsOf<Bits>(value == 0 ? F(1) : value));
  }
  return values;
}

TEST(ArithForms, Floats) {
  std::vector<Form> single, wide;
  addFloatForms<float>(single);
  addFloatForms<double>(wide);
  for (const Form &form : single)
    check(form, floatOperands<float>());
  for (const Form &form : wide)
    check(form, floatOperands<double>());
}

} // namespace
