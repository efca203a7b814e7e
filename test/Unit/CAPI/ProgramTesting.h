//===- ProgramTesting.h - What tests of programs share ----------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TEST_UNIT_CAPI_PROGRAMTESTING_H
#define DIETCODE_TEST_UNIT_CAPI_PROGRAMTESTING_H

#include "CompilerTesting.h"

#include <vector>

inline constexpr int64_t kInner = 32, kColumns = 48;

/// A dense matrix of small integers.
struct Matrix {
  Matrix(int64_t rows, int64_t columns) : sizes{rows, columns} {
    for (int64_t i = 0; i < rows * columns; ++i)
      values.push_back(float(i % 7 - 3));
    tensor.data = values.data();
    tensor.dtype = DIETCODE_F32;
    tensor.rank = 2;
    tensor.sizes = sizes;
  }
  Matrix(const Matrix &) = delete;

  int64_t sizes[2];
  std::vector<float> values;
  dietcode_tensor tensor = {};
};

class Program : public Compiler {
protected:
  void SetUp() override {
    Compiler::SetUp();
    dietcode_module *module = parse();
    ASSERT_EQ(dietcode_module_compile(module, nullptr, &program), DIETCODE_OK)
        << dietcode_last_error();
    // The program needs neither.
    dietcode_module_destroy(module);
    dietcode_context_destroy(context);
  }
  void TearDown() override { dietcode_program_destroy(program); }

  dietcode_status call(const dietcode_tensor &x, const dietcode_tensor &w,
                       dietcode_tensor &y) {
    const void *arguments[] = {&x, &w};
    void *results[] = {&y};
    return dietcode_program_call(program, "f", arguments, 2, results, 1,
                                 nullptr);
  }

  static void compare(const Matrix &x, const Matrix &w,
                      const dietcode_tensor &y) {
    int64_t rows = x.sizes[0];
    ASSERT_EQ(y.rank, 2);
    ASSERT_EQ(y.sizes[0], rows);
    ASSERT_EQ(y.sizes[1], kColumns);
    auto *got = static_cast<const float *>(y.data);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < kColumns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < kInner; ++k)
          sum += x.values[i * kInner + k] * w.values[k * kColumns + j];
        ASSERT_EQ(got[i * kColumns + j], sum) << i << ", " << j;
      }
  }

  /// Calls with so many rows, and compares.
  void check(int64_t rows) {
    Matrix x(rows, kInner), w(kInner, kColumns);
    dietcode_tensor y = {};
    ASSERT_EQ(call(x.tensor, w.tensor, y), DIETCODE_OK)
        << dietcode_last_error();
    compare(x, w, y);
    dietcode_tensor_release(&y);
    EXPECT_EQ(y.data, nullptr);
  }

  dietcode_program *program = nullptr;
};

#endif // DIETCODE_TEST_UNIT_CAPI_PROGRAMTESTING_H
