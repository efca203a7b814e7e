//===- Dialect.cpp - A dialect outside of DietCode ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mini.h"
#include "mlir/IR/OpImplementation.h"

#include "MiniDialect.cpp.inc"
#define GET_OP_CLASSES
#include "MiniOps.cpp.inc"

void mini::MiniDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "MiniOps.cpp.inc"
      >();
}
