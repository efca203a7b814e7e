//===- PipelineTest.cpp - Tests of the pipelines as a library -------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compilers that embed DietCode rely on: its registration functions are
// enough, and pipelines nest, repeat, and run on several modules at a time.
//
//===----------------------------------------------------------------------===//

#include "dietcode/InitAllDietCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace mlir::dietcode;

namespace {

/// A matrix product, a row-wise operation, and a loop that stays on the host.
constexpr const char *program = R"mlir(
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>)
      outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x32xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %y = arith.addf %acc, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
)mlir";

/// A context as of a compiler that registers its own input and DietCode.
class PipelineTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() { registerAllDietCodePasses(); }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect,
                    linalg::LinalgDialect, tensor::TensorDialect>();
    registerAllDietCodeDialects(registry);
    registerAllDietCodeExtensions(registry);
    return registry;
  }

  PipelineTest() : context(makeRegistry()) {}

  OwningOpRef<ModuleOp> parse() {
    return parseSourceString<ModuleOp>(program, &context);
  }

  /// `count` copies of the program as modules of one module.
  OwningOpRef<ModuleOp> parseCopies(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "module {\n" + std::string(program) + "}\n";
    return parseSourceString<ModuleOp>(text, &context);
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os);
    return text;
  }

  static size_t countBinaries(ModuleOp module) {
    size_t count = 0;
    module.walk([&](gpu::BinaryOp) { ++count; });
    return count;
  }

  /// What `dietcode-to-llvm` makes of the program.
  std::string compileAlone() {
    OwningOpRef<ModuleOp> module = parse();
    PassManager pm(&context);
    buildDietCodeToLLVMPipeline(pm, DietCodeToLLVMOptions());
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_EQ(countBinaries(*module), 1u);
    return print(*module);
  }

  MLIRContext context;
};

TEST_F(PipelineTest, RegistrationFunctionsAreEnough) {
  std::string compiled = compileAlone();
  EXPECT_NE(compiled.find("llvm.func @f("), std::string::npos);
  EXPECT_NE(compiled.find(".target sm_75"), std::string::npos);
}

TEST_F(PipelineTest, PipelinesRepeat) {
  // Each time the same, in one context and in another one.
  std::string compiled = compileAlone();
  EXPECT_EQ(compileAlone(), compiled);

  // One pass manager runs on one module after the other.
  PassManager pm(&context);
  buildDietCodeToLLVMPipeline(pm, DietCodeToLLVMOptions());
  for (int i = 0; i < 2; ++i) {
    OwningOpRef<ModuleOp> module = parse();
    ASSERT_TRUE(succeeded(pm.run(*module)));
    EXPECT_EQ(print(*module), compiled);
  }
}

TEST_F(PipelineTest, CompiledModulesStayAsTheyAre) {
  OwningOpRef<ModuleOp> module = parse();
  PassManager pm(&context);
  buildDietCodeToLLVMPipeline(pm, DietCodeToLLVMOptions());
  ASSERT_TRUE(succeeded(pm.run(*module)));
  std::string once = print(*module);
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_EQ(print(*module), once);
}

TEST_F(PipelineTest, PipelinesAreStepsOfOthersByName) {
  // As a compiler's own pipeline spells it, with its own passes around.
  OwningOpRef<ModuleOp> module = parse();
  PassManager pm(&context);
  ASSERT_TRUE(succeeded(parsePassPipeline(
      "dietcode-select{max-kernels=2},dietcode-generate-kernels,"
      "dietcode-lower-to-llvm",
      pm)));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_EQ(countBinaries(*module), 1u);
}

TEST_F(PipelineTest, PipelinesRunOnModulesOfModulesAtOnce) {
  std::string compiled = compileAlone();
  OwningOpRef<ModuleOp> modules = parseCopies(6);
  ASSERT_TRUE(modules);
  PassManager pm(&context);
  OpPassManager &nested = pm.nest<ModuleOp>();
  buildDietCodeToLLVMPipeline(nested, DietCodeToLLVMOptions());
  ASSERT_TRUE(context.isMultithreadingEnabled());
  ASSERT_TRUE(succeeded(pm.run(*modules)));
  size_t count = 0;
  for (ModuleOp module : modules->getOps<ModuleOp>()) {
    ++count;
    // Where it is nested, it is printed further to the right.
    OwningOpRef<ModuleOp> alone(module.clone());
    EXPECT_EQ(print(*alone), compiled);
  }
  EXPECT_EQ(count, 6u);
}

TEST_F(PipelineTest, ContextsOfThreadsAreIndependent) {
  std::string compiled = compileAlone();
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result] {
      MLIRContext own(makeRegistry(), MLIRContext::Threading::DISABLED);
      auto module = parseSourceString<ModuleOp>(program, &own);
      PassManager pm(&own);
      buildDietCodeToLLVMPipeline(pm, DietCodeToLLVMOptions());
      if (succeeded(pm.run(*module)))
        result = print(*module);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, compiled);
}

} // namespace
