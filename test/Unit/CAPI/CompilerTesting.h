//===- CompilerTesting.h - What tests of the C interface share --*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_CAPI_COMPILERTESTING_H
#define DIETCODE_TEST_UNIT_CAPI_COMPILERTESTING_H

#include "dietcode-c/Compiler.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

/// A product of T x 32 and 32 x 48.
inline constexpr char kMatmul[] = R"(
dietcode.shape_var @T range [1, 64]
dietcode.workload @calls over [@T] instances [[5], [64]]
func.func @f(%x: tensor<?x32xf32>, %w: tensor<32x48xf32>) -> tensor<?x48xf32>
    attributes {dietcode.workload = @calls} {
  dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, 32)> : tensor<?x32xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%rows) : tensor<?x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x48xf32>)
      outs(%init : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
)";

/// Takes a text over.
inline std::string take(dietcode_text &text) {
  std::string copy(text.data ? text.data : "", text.length);
  dietcode_text_release(&text);
  return copy;
}

inline bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

class Compiler : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(dietcode_context_create(&context), DIETCODE_OK);
  }
  void TearDown() override { dietcode_context_destroy(context); }

  dietcode_module *parse(const char *text = kMatmul) {
    dietcode_module *module = nullptr;
    EXPECT_EQ(dietcode_module_parse(context, text, std::strlen(text), "f.mlir",
                                    &module),
              DIETCODE_OK)
        << dietcode_last_error();
    return module;
  }
  std::string print(dietcode_module *module) {
    dietcode_text text = {};
    EXPECT_EQ(dietcode_module_print(module, &text), DIETCODE_OK);
    return take(text);
  }

  dietcode_context *context = nullptr;
};

#endif // DIETCODE_TEST_UNIT_CAPI_COMPILERTESTING_H
