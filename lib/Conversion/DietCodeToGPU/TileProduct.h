//===- TileProduct.h - Products of staged tiles -----------------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a contraction kernel that depends on the instruction that it is
// built from: how tiles lie in shared memory, how a k tile is multiplied, and
// which sums a thread has.
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_CONVERSION_DIETCODETOGPU_TILEPRODUCT_H
#define DIETCODE_CONVERSION_DIETCODETOGPU_TILEPRODUCT_H

#include "SharedTile.h"
#include "TileWriter.h"
#include "dietcode/Search/Schedule.h"
#include <memory>

namespace mlir::dietcode {

/// What products start from.
struct ProductRequest {
  ::dietcode::Schedule schedule;
  ::dietcode::ScheduleLayout layout;
  /// Whether neighbours in memory run along k, of A and of B.
  bool lhsAlongK, rhsAlongK;
};

/// Builds the product of the tiles that a block has staged.
class TileProduct {
public:
  explicit TileProduct(const ProductRequest &request)
      : schedule(request.schedule), layout(request.layout) {}
  virtual ~TileProduct();

  /// The product for the instruction of the schedule.
  static std::unique_ptr<TileProduct> create(const ProductRequest &request);

  SharedTile &getLhs() { return *lhs; }
  SharedTile &getRhs() { return *rhs; }

  /// Words of shared memory from one stage to the next.
  int64_t getStageWords() const { return lhs->getWords() + rhs->getWords(); }

  /// Creates what does not depend on the k tile. Precedes all of the following.
  virtual void createPosition(ImplicitLocOpBuilder &b, Value threadId,
                              Value shared) = 0;

  /// Sums of nothing, in the form that the loop carries.
  virtual SmallVector<Value> createZeros(ImplicitLocOpBuilder &b) = 0;

  /// Steps along k that a tile is multiplied in.
  int64_t getSteps() const {
    return schedule.blockK / ::dietcode::infoOf(schedule.instruction).k;
  }

  /// Loads and products that a step consists of, among which a loop may do
  /// other things.
  virtual int64_t getLoads() const = 0;
  virtual int64_t getProducts() const = 0;

  /// What load number `load` of a step gives, of the tiles in the stage that
  /// starts at the word `stage`. What all of them give are the fragments.
  virtual SmallVector<Value> loadFragment(ImplicitLocOpBuilder &b, Value stage,
                                          int64_t step, int64_t load) = 0;
  SmallVector<Value> loadFragments(ImplicitLocOpBuilder &b, Value stage,
                                   int64_t step);

  /// Adds product number `number` of the fragments to `sums`, or all of them.
  virtual void multiplyOne(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                           MutableArrayRef<Value> sums, int64_t number) = 0;
  void multiply(ImplicitLocOpBuilder &b, ArrayRef<Value> fragments,
                MutableArrayRef<Value> sums);

  /// The elements of `sums` as scalars, row major.
  virtual SmallVector<Value> getElements(ImplicitLocOpBuilder &b,
                                         ArrayRef<Value> sums) = 0;

  /// Which rows and columns they are of, for a tile that starts at `start` in a
  /// matrix of `size` rows or columns.
  virtual ThreadTile getRows(ImplicitLocOpBuilder &b, Value start,
                             Value size) = 0;
  virtual ThreadTile getColumns(ImplicitLocOpBuilder &b, Value start,
                                Value size) = 0;

protected:
  ::dietcode::Schedule schedule;
  ::dietcode::ScheduleLayout layout;
  std::unique_ptr<SharedTile> lhs, rhs;
};

/// The two kinds of them; see FmaProduct.cpp and MmaProduct.cpp.
std::unique_ptr<TileProduct> createFmaProduct(const ProductRequest &request);
std::unique_ptr<TileProduct> createMmaProduct(const ProductRequest &request);

} // namespace mlir::dietcode

#endif // DIETCODE_CONVERSION_DIETCODETOGPU_TILEPRODUCT_H
