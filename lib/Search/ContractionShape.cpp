//===- ContractionShape.cpp - What micro-kernels are applied to -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Search/ContractionShape.h"

#include <utility>

using namespace dietcode;

const int64_t *dietcode::findExtent(const ContractionShape &shape,
                                    std::string_view name) {
  return name == "m"   ? &shape.m
         : name == "n" ? &shape.n
         : name == "k" ? &shape.k
         : name == "b" ? &shape.batch
                       : nullptr;
}

int64_t *dietcode::findExtent(ContractionShape &shape, std::string_view name) {
  return const_cast<int64_t *>(findExtent(std::as_const(shape), name));
}

bool dietcode::isEmpty(const ContractionShape &shape) {
  return shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.batch <= 0;
}

int64_t dietcode::blocksOf(const Schedule &schedule,
                           const ContractionShape &shape) {
  return shape.batch * blocksOf(schedule, shape.m, shape.n);
}

int64_t dietcode::tilesPerBlock(const Schedule &schedule,
                                const ContractionShape &shape) {
  if (schedule.instruction == Instruction::Elements)
    return 1;
  if (schedule.instruction == Instruction::Rows)
    return (shape.n + schedule.blockN - 1) / schedule.blockN;
  return kTilesPerBlock(schedule, shape.k);
}

std::string dietcode::describe(const ContractionShape &shape) {
  std::string text = "m = " + std::to_string(shape.m) +
                     ", n = " + std::to_string(shape.n) +
                     ", k = " + std::to_string(shape.k);
  if (shape.batch != 1)
    text += ", b = " + std::to_string(shape.batch);
  return text;
}
