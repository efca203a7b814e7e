//===- Print.cpp - printf from kernels ------------------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf(format, arguments) of the CUDA toolkit: arguments lie behind each
// other, each aligned to its size, 4 bytes for int and 8 for all else. Threads
// print in the order of lanes, warps and blocks, to the standard output.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <cstdio>
#include <cstring>

namespace dietcode::vgpu {
namespace {

constexpr size_t longestText = 64 * 1024;

/// Formats one conversion such as "%5.2f" of a value in 64 bits.
std::string formatOne(const std::string &spec, char conversion, bool isWide,
                      uint64_t bits, const char *text) {
  std::string clean;
  for (char c : spec) // The length is that of the value here.
    if (!std::strchr("hlLqjzt", c))
      clean += c;
  char buffer[1024];
  int n = 0;
  if (std::strchr("fFeEgGaA", conversion)) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    n = std::snprintf(buffer, sizeof(buffer), (clean + conversion).c_str(),
                      value);
  } else if (conversion == 's') {
    n = std::snprintf(buffer, sizeof(buffer), (clean + 's').c_str(), text);
  } else if (conversion == 'p') {
    n = std::snprintf(buffer, sizeof(buffer), "0x%llx",
                      static_cast<unsigned long long>(bits));
  } else if (conversion == 'c') {
    n = std::snprintf(buffer, sizeof(buffer), (clean + 'c').c_str(),
                      static_cast<int>(bits));
  } else {
    bool isSignedValue = conversion == 'd' || conversion == 'i';
    auto value = static_cast<long long>(bits);
    if (!isWide)
      value = isSignedValue ? static_cast<int32_t>(bits)
                            : static_cast<long long>(bits & 0xffffffffu);
    n = std::snprintf(buffer, sizeof(buffer),
                      (clean + "ll" + conversion).c_str(), value);
  }
  if (n < 0)
    return "";
  return std::string(buffer, std::min<size_t>(static_cast<size_t>(n), 1023));
}

} // namespace

/// Host memory behind a generic address of a thread, or null.
const uint8_t *Executor::readable(const Warp &warp, unsigned lane,
                                  uint64_t address, uint64_t bytes) const {
  uint64_t window = address & windowMask, offset = address & ~windowMask;
  if (window == localWindow)
    return offset + bytes <= program.localBytes
               ? warp.local + size_t(lane) * program.localBytes + offset
               : nullptr;
  if (window == sharedWindow)
    return offset + bytes <= launch.sharedBytes ? sharedMemory + offset
                                                : nullptr;
  return launch.memory.find(address, bytes)
             ? reinterpret_cast<const uint8_t *>(address)
             : nullptr;
}

bool Executor::print(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t counts[32] = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    uint64_t format, at;
    std::memcpy(&format, row(inst.src[0]) + 8 * size_t(lane), 8);
    std::memcpy(&at, row(inst.src[1]) + 8 * size_t(lane), 8);
    auto textOf = [&](uint64_t from) {
      std::string text;
      const uint8_t *c;
      while (text.size() < longestText &&
             (c = readable(warp, lane, from++, 1)) && *c)
        text += static_cast<char>(*c);
      return text;
    };
    std::string text = textOf(format), out;
    for (size_t i = 0; i < text.size(); ++i) {
      size_t end = text.find_first_not_of("0123456789 +-#.hlLqjzt", i + 1);
      if (text[i] != '%' || end == std::string::npos || end - i > 30) {
        out += text[i];
        continue;
      }
      std::string spec = text.substr(i, end - i);
      char conversion = text[end];
      i = end;
      if (!std::strchr("diouxXcsfFeEgGaAp", conversion)) {
        out += conversion == '%' ? "%" : spec + conversion;
        continue;
      }
      bool isWide = !std::strchr("diouxXc", conversion) ||
                    spec.find_first_of("lqjzt") != std::string::npos;
      uint64_t bytes = isWide ? 8 : 4, bits = 0;
      at = (at + bytes - 1) & ~(bytes - 1);
      const uint8_t *value = readable(warp, lane, at, bytes);
      if (!value)
        return fault(warp, inst, lane, FindingKind::OutOfBounds,
                     "vprintf reads arguments beyond the memory they are in");
      std::memcpy(&bits, value, bytes);
      at += bytes;
      ++counts[lane];
      out += formatOne(spec, conversion, isWide, bits,
                       conversion == 's' ? textOf(bits).c_str() : "");
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  std::fflush(stdout);
  writeRow(inst, inst.dst[0], counts, mask);
  return true;
}

} // namespace dietcode::vgpu
