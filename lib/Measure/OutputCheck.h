//===- OutputCheck.h - Comparison with a reference --------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_MEASURE_OUTPUTCHECK_H
#define DIETCODE_LIB_MEASURE_OUTPUTCHECK_H

#include "dietcode/Measure/Job.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietcode {

/// A type that elements of outputs may have.
struct OutputType {
  std::string_view name; ///< As MLIR spells it.
  size_t bytes;
  double (*toDouble)(const char *bytes);
};

/// The type called `name`, or null.
const OutputType *lookupOutputType(std::string_view name);

/// What an output should be.
struct OutputReference {
  std::vector<double> expected;
  std::vector<double> magnitudes; ///< Empty, or one for each element.
};

/// What is wrong with the worst element of an output, if one is: its index, its
/// value and what it should be. `contents` are those of the buffer; bytes that
/// are all 0xff have not been written.
std::optional<std::string> checkOutput(const JobOutput &output,
                                       const OutputReference &reference,
                                       const std::string &contents);

/// The first byte of buffer `index` that changed although no output has it.
std::optional<std::string> checkUntouched(int index,
                                          const std::vector<JobOutput> &outputs,
                                          const std::string &before,
                                          const std::string &after);

/// How many elements an output has.
size_t elementCount(const JobOutput &output);

} // namespace dietcode

#endif // DIETCODE_LIB_MEASURE_OUTPUTCHECK_H
