//===- mini-opt.cpp - A compiler that uses DietCode -----------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mini.h"
#include "dietcode/InitAllDietCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mini::registerMiniPasses();
  mini::registerMiniPipelines();
  mlir::dietcode::registerAllDietCodePasses();

  // What the input consists of, and DietCode.
  mlir::DialectRegistry registry;
  registry.insert<mini::MiniDialect, mlir::func::FuncDialect>();
  mlir::dietcode::registerAllDietCodeDialects(registry);
  mlir::dietcode::registerAllDietCodeExtensions(registry);

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Mini optimizer driver\n", registry));
}
