//===- RowTile.h - The columns of a row that a lane works on ----*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_ROWTILE_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_ROWTILE_H

#include "IndexMath.h"
#include "MatrixView.h"
#include "Twin.h"
#include "dietcode/Dialect/DietCode/IR/RowProgram.h"
#include "dietcode/Search/RowSchedule.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::dietcode {

/// A row as one lane sees it. All operands are addressed by the number of the
/// column alone.
struct RowPosition {
  Value lane;               ///< Of the row.
  Value size;               ///< Columns of the row.
  SmallVector<Value> bases; ///< Where the row starts in each operand.
  Value isWritten;          ///< Whether there is such a row.
};

/// Loads of `view` with results of `types`; zeros if it is looked up and there
/// is nothing in it.
SmallVector<Value> createLookup(ImplicitLocOpBuilder &b, const MatrixView &view,
                                TypeRange types,
                                function_ref<SmallVector<Value>()> load);

/// The columns of a row, from `start` on, that the lanes hold at once. Columns
/// past the end of the row are neither read nor computed.
class RowTile {
public:
  struct Context {
    ImplicitLocOpBuilder &b;
    RowwiseOp op;
    const RowProgram &program;
    const ::dietcode::RowSchedule &schedule;
    Twin twin;
    ArrayRef<MatrixView> views;
    const TiledDim &columns;
    const RowPosition &row;
  };

  /// Loads the elements of `inputs`.
  RowTile(const Context &context, Value start, ArrayRef<unsigned> inputs);

  /// Combines `partials`, one for each reduction of `pass`, with the elements.
  /// `uniforms` maps what is uniform in the row. With `keep`, what later passes
  /// use of what was computed is kept.
  void reduce(unsigned pass, const IRMapping &uniforms,
              SmallVectorImpl<Value> &partials, bool keep);

  /// Writes the outputs that vary with the column.
  void write(const IRMapping &uniforms);

private:
  /// Neighbouring columns that are all in the row, or none: a vector in the
  /// aligned twin, one column in the general one.
  struct Unit {
    Value column;
    Value inRow;
    SmallVector<IRMapping> elements; ///< What is known of each column.
  };

  SmallVector<Value> loadUnit(const Unit &unit, ArrayRef<unsigned> inputs);
  SmallVector<Value> loadInput(const Unit &unit, unsigned input,
                               function_ref<Value(unsigned, int64_t)> getIndex);
  SmallVector<Type> getLoadedTypes(unsigned input) const;
  void storeUnit(const Unit &unit, unsigned operand, ArrayRef<Value> values);
  Value compute(Value value, IRMapping &element, const IRMapping &uniforms);
  Value getOffset(unsigned operand, Value column, int64_t index);
  bool isVector(unsigned operand) const;

  Context context;
  ImplicitLocOpBuilder &b;
  IndexMath math;
  int64_t width; ///< Columns of a unit.
  SmallVector<Unit> units;
};

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_ROWTILE_H
