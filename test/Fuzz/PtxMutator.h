//===- PtxMutator.h - Changes to PTX that keep most of it valid -*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_FUZZ_PTXMUTATOR_H
#define DIETCODE_TEST_FUZZ_PTXMUTATOR_H

#include <cstdint>
#include <string>
#include <string_view>

namespace dietcode::vgpu {

/// Removes, doubles or moves a line, or gives a word of one the place of
/// another: changed bytes seldom make an instruction, let alone a wrong one
/// that decodes.
std::string mutatePtx(std::string_view text, uint32_t seed);

/// `text` with a few lines of `other`.
std::string crossPtx(std::string_view text, std::string_view other,
                     uint32_t seed);

} // namespace dietcode::vgpu

#endif // DIETCODE_TEST_FUZZ_PTXMUTATOR_H
