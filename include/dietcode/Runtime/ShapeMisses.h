//===- ShapeMisses.h - Calls outside of the declared ranges -----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes that nobody declared are served by the general kernel of a dispatch,
// correctly and perhaps slowly. Programs compiled with report-misses count
// them here, and a log of them is what `dietcode-tune --misses` reads.
//
// A line of the log is {"count":2,"function":"f","values":{"T":300}}, and
// counts the calls since the line before it of the same shape: counts of equal
// shapes add up. The first call of a shape is logged at once, then the second,
// fourth, eighth and so on, and the rest when the process ends, so a long-lived
// one that is killed loses less than half.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_RUNTIME_SHAPEMISSES_H
#define DIETCODE_RUNTIME_SHAPEMISSES_H

#include "dietcode/Support/Expected.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dietcode::runtime {

/// Calls of a function with one shape.
struct ShapeMiss {
  std::string function;
  std::map<std::string, int64_t> values; ///< Of its shape variables.
  uint64_t count = 0;
};

/// Most shapes that are told apart; calls with further ones are not counted.
constexpr size_t mostShapeMisses = 65536;

/// Appends misses to `path` from now on; empty: to nothing. The default is the
/// variable DIETCODE_MISS_LOG of the environment. An error if the file cannot
/// be opened.
Expected<void> setMissLog(const std::string &path);

/// What was counted since the process began or this was last called, sorted.
std::vector<ShapeMiss> takeShapeMisses();

/// Reads a log; equal shapes are added up. A line that is none, as the last one
/// of a file that is being written, is skipped and counted in `*skipped`.
Expected<std::vector<ShapeMiss>> readMissLog(const std::string &path,
                                             size_t *skipped);

} // namespace dietcode::runtime

/// Called by generated host code with the values of the shape variables of a
/// function when one is out of its range; `what` is "function:T,H".
extern "C" void dietcodeShapeMiss(const char *what, const int64_t *values);

#endif // DIETCODE_RUNTIME_SHAPEMISSES_H
