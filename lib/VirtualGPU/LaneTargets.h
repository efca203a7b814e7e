//===- LaneTargets.h - The instruction sets of the row functions -*- C++ -*-==//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hot sources (LaneArith, LaneMatrix, LaneMemory) are compiled per instruction
// set and fill the table through functions whose names carry the set. The
// others exist once.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_LIB_VIRTUALGPU_LANETARGETS_H
#define DIETCODE_LIB_VIRTUALGPU_LANETARGETS_H

#include "LaneOps.h"

#define DIETCODE_LANE_CONCAT2(NAME, TARGET) NAME##TARGET
#define DIETCODE_LANE_CONCAT(NAME, TARGET) DIETCODE_LANE_CONCAT2(NAME, TARGET)
#define DIETCODE_LANE_FUNCTION(NAME)                                           \
  DIETCODE_LANE_CONCAT(NAME, DIETCODE_LANE_TARGET)

namespace dietcode::vgpu {

void fillArithBaseline(LaneTable &table);
void fillMemoryBaseline(LaneTable &table);
void fillMatrixBaseline(LaneTable &table);
void fillArithAVX2(LaneTable &table);
void fillMemoryAVX2(LaneTable &table);
void fillMatrixAVX2(LaneTable &table);
void fillArithAVX512(LaneTable &table);
void fillMemoryAVX512(LaneTable &table);
void fillMatrixAVX512(LaneTable &table);

void fillBits(LaneTable &table);
void fillConvert(LaneTable &table);
void fillDirected(LaneTable &table);

} // namespace dietcode::vgpu

#endif // DIETCODE_LIB_VIRTUALGPU_LANETARGETS_H
