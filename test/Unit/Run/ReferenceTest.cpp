//===- ReferenceTest.cpp - Tests of the float64 reference -----------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/Reference.h"
#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "dietcode/Run/Compare.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::dietcode;

namespace {

class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerAllToLLVMIRTranslations(registry);
    registry.insert<DietCodeDialect>();
    registerBufferizableOpInterfaceExternalModels(registry);
    context.appendDialectRegistry(registry);
  }

  /// Evaluates the function @f of `text` on `arguments`.
  std::vector<ReferenceOutput> evaluate(StringRef text, StringRef shapes) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto entry = module->lookupSymbol<func::FuncOp>("f");
    RunRequest request;
    request.shapes = *::dietcode::parseArgumentShapes(shapes);
    arguments = std::move(*makeArguments(entry, request));
    FailureOr<Reference> reference = Reference::create(entry);
    return reference->evaluate(std::move(*Reference::prepare(arguments)));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<RunArgument> arguments;
};

/// C[m, n] = sum of A[m, k] B[k, n], and the same of magnitudes.
void expectProduct(const ReferenceOutput &got, const std::vector<double> &a,
                   const std::vector<double> &b, int64_t m, int64_t n,
                   int64_t k, bool transposeB) {
  ASSERT_EQ(got.sizes, (std::vector<int64_t>{m, n}));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t l = 0; l < k; ++l) {
        double term = a[i * k + l] * b[transposeB ? j * k + l : l * n + j];
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_NEAR(got.values[i * n + j], sum, 1e-12 * magnitude);
      ASSERT_NEAR(got.magnitudes[i * n + j], magnitude, 1e-12 * magnitude);
    }
  }
}

TEST_F(ReferenceTest, MultipliesTensors) {
  auto outputs = evaluate(R"mlir(
    func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>)
          -> tensor<?x?xf32>
      %1 = linalg.matmul
          ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    })mlir",
                          "37x70,70x261,37x261");
  ASSERT_EQ(outputs.size(), 1u);
  expectProduct(outputs[0], arguments[0].tensor->values(),
                arguments[1].tensor->values(), 37, 261, 70, false);
}

TEST_F(ReferenceTest, MultipliesTransposedStridedBuffers) {
  auto outputs = evaluate(R"mlir(
    #a = affine_map<(m, n, k) -> (m, k)>
    #b = affine_map<(m, n, k) -> (n, k)>
    #c = affine_map<(m, n, k) -> (m, n)>
    func.func @f(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                 %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
      linalg.matmul indexing_maps = [#a, #b, #c]
          ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>,
                       memref<?x?xf32>)
          outs(%c : memref<?x?xf32>)
      return
    })mlir",
                          "5x66,300x66,5x300");
  ASSERT_EQ(outputs.size(), 3u);
  expectProduct(outputs[2], arguments[0].tensor->values(),
                arguments[1].tensor->values(), 5, 300, 66, true);
  // The reference works on copies.
  EXPECT_EQ(outputs[0].values, arguments[0].tensor->values());
}

TEST_F(ReferenceTest, WidensConstantsAndReturnsScalars) {
  auto outputs = evaluate(R"mlir(
    func.func @f(%x: f32) -> (f32, f16) {
      %c = arith.constant -0.5 : f32
      %0 = arith.subf %c, %x : f32
      %1 = arith.truncf %0 : f32 to f16
      return %0, %1 : f32, f16
    })mlir",
                          "=0.25");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].values, std::vector<double>{-0.75});
  EXPECT_EQ(outputs[0].magnitudes, std::vector<double>{0.75});
  EXPECT_EQ(outputs[1].values, std::vector<double>{-0.75});
}

TEST_F(ReferenceTest, KeepsBigDivisorsOutOfTheBound) {
  auto outputs = evaluate(R"mlir(
    func.func @f(%x: f32) -> f32 {
      %one = arith.constant 1.0 : f32
      %0 = arith.negf %x : f32
      %1 = math.exp %0 : f32
      %2 = arith.addf %one, %1 : f32
      %3 = arith.divf %one, %2 : f32
      return %3 : f32
    })mlir",
                          "=100");
  EXPECT_NEAR(outputs[0].values[0], 1, 1e-15);
  EXPECT_EQ(outputs[0].magnitudes[0], 1);
}

TEST_F(ReferenceTest, TakesSoftmaxApart) {
  auto outputs = evaluate(R"mlir(
    func.func @f(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %empty = tensor.empty() : tensor<1x2xf32>
      %0 = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>)
          outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
      return %0 : tensor<1x2xf32>
    })mlir",
                          "1x2");
  double difference =
      arguments[0].tensor->values()[1] - arguments[0].tensor->values()[0];
  EXPECT_NEAR(outputs[0].values[0], 1 / (1 + std::exp(difference)), 1e-15);
}

TEST_F(ReferenceTest, DoesNotOverflowOnShiftedExponentials) {
  auto outputs = evaluate(R"mlir(
    func.func @f(%x: f32) -> (f32, f32) {
      %0 = arith.subf %x, %x : f32
      %1 = math.exp %0 : f32
      %2 = math.rsqrt %x : f32
      return %1, %2 : f32, f32
    })mlir",
                          "=1024");
  EXPECT_EQ(outputs[0].values[0], 1);
  EXPECT_EQ(outputs[0].magnitudes[0], 2049);
  EXPECT_EQ(outputs[1].values[0], 1.0 / 32);
}

::dietcode::NpyArray makeArray(std::vector<double> values) {
  ::dietcode::NpyArray array{
      ::dietcode::ElementKind::F64, {static_cast<int64_t>(values.size())}, {}};
  auto *bytes = reinterpret_cast<const char *>(values.data());
  array.data.assign(bytes, bytes + values.size() * sizeof(double));
  return array;
}

TEST(Compare, IsRelativeToTheMagnitude) {
  ReferenceOutput reference{{2}, {1, 0}, {10, 4}};
  Comparison same = compare(makeArray({1, 0}), reference, 1e-5, "result 0");
  EXPECT_EQ(same.maxError, 0);
  EXPECT_FALSE(same.mistake);
  Comparison off = compare(makeArray({1, 2}), reference, 1e-5, "result 0");
  EXPECT_EQ(off.maxError, 0.5);
  EXPECT_EQ(off.mistake,
            "element [1] of result 0 is 2, but should be 0: the error is "
            "0.5 of its magnitude 4, more than 1e-05");
}

TEST(Compare, FindsNaN) {
  ReferenceOutput reference{{2}, {1, NAN}, {10, NAN}};
  EXPECT_FALSE(compare(makeArray({1, NAN}), reference, 1e-5, "r").mistake);
  EXPECT_TRUE(compare(makeArray({NAN, NAN}), reference, 1e-5, "r").mistake);
  EXPECT_TRUE(compare(makeArray({1, 0}), reference, 1e-5, "r").mistake);
}

TEST(Compare, TakesOverflowForWhatExceedsTheType) {
  auto store = [](float value) {
    ::dietcode::NpyArray array{::dietcode::ElementKind::F32, {1}, {}};
    auto *bytes = reinterpret_cast<const char *>(&value);
    array.data.assign(bytes, bytes + sizeof(float));
    return array;
  };
  auto errorOf = [&](float got, double expected) {
    ReferenceOutput reference{{1}, {expected}, {std::abs(expected)}};
    return compare(store(got), reference, 1e-5, "r").maxError;
  };
  constexpr double largest = std::numeric_limits<float>::max();
  EXPECT_EQ(errorOf(INFINITY, 1e39), 0);
  EXPECT_EQ(errorOf(-INFINITY, -1e39), 0);
  EXPECT_NEAR(errorOf(INFINITY, 0.999 * largest), 1e-3, 1e-5);
  EXPECT_GT(errorOf(INFINITY, 1), 1);
  EXPECT_EQ(errorOf(INFINITY, -1e39), INFINITY);
  EXPECT_EQ(errorOf(INFINITY, 0), INFINITY);
}

// Where a type has no more digits, the last place of its smallest normal number
// is what a rounding changes, of the output and of what it is computed from.
TEST(Compare, MeasuresTinyNumbersByTheSmallestNormalOne) {
  auto errorOf = [](uint16_t got, double expected) {
    ::dietcode::NpyArray array{::dietcode::ElementKind::F16, {1}, {}};
    auto *bytes = reinterpret_cast<const char *>(&got);
    array.data.assign(bytes, bytes + sizeof(got));
    ReferenceOutput reference{{1}, {expected}, {std::abs(expected)}};
    return compare(array, reference, 1e-5, "r").maxError;
  };
  // 0x0001 is 2^-24, half of which is the rounding of the output.
  EXPECT_EQ(errorOf(0x0001, 0x1p-25), 0);
  EXPECT_EQ(errorOf(0x0001, 0), 0x1p-11);
  EXPECT_EQ(errorOf(0x0003, 0x1p-24), 0x3p-11);
  // Between 2^-14 and 2^-13 it is the same.
  EXPECT_EQ(errorOf(0x0401, 0x1p-14), 0x1p-11);
}

TEST(Compare, FindsOtherShapes) {
  ReferenceOutput reference{{2}, {1, 0}, {10, 4}};
  EXPECT_EQ(compare(makeArray({1}), reference, 1e-5, "result 0").mistake,
            "result 0 is 1, but should be 2");
}

} // namespace
