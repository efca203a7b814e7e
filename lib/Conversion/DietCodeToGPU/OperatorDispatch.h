//===- OperatorDispatch.h - The micro-kernels that serve an operator -*- C++
//-*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_OPERATORDISPATCH_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_OPERATORDISPATCH_H

#include "dietcode/Dialect/DietCode/IR/DietCode.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dietcode {

/// The dispatch of an operator, and its micro-kernels in the order of the
/// kernel table.
class OperatorDispatch {
public:
  /// An error if `op` is on tensors or has no dispatch.
  static FailureOr<OperatorDispatch> get(OperatorOpInterface op);

  /// Whether the micro-kernels serve the operator, on the device that the
  /// module is for; an error says which one does not.
  LogicalResult checkMicroKernels() const;

  /// Creates the code that chooses a micro-kernel for the sizes of the problem
  /// dimensions, and for each of them what `launch` does.
  void createSwitch(ImplicitLocOpBuilder &b, ArrayRef<Value> sizes,
                    function_ref<void(MicroKernelOp)> launch) const;

  ArrayRef<MicroKernelOp> getMicroKernels() const { return microKernels; }

private:
  OperatorDispatch(OperatorOpInterface op, DispatchOp dispatch)
      : op(op), dispatch(dispatch) {}

  // Accessors of operations are not const.
  mutable OperatorOpInterface op;
  mutable DispatchOp dispatch;
  SmallVector<MicroKernelOp> microKernels;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_OPERATORDISPATCH_H
