//===- RowTile.cpp - The columns of a row that a lane works on ------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTile.h"
#include "RowwiseKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dietcode;

static SmallVector<Value> createZeros(ImplicitLocOpBuilder &b,
                                      TypeRange types) {
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  return zeros;
}

SmallVector<Value>
mlir::dietcode::createLookup(ImplicitLocOpBuilder &b, const MatrixView &view,
                             TypeRange types,
                             function_ref<SmallVector<Value>()> load) {
  Value condition = view.hasLookups(b);
  if (matchPattern(condition, m_One()))
    return load();
  auto guarded = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, load()); },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, createZeros(b, types));
      });
  return SmallVector<Value>(guarded.getResults());
}

RowTile::RowTile(const Context &context, Value start, ArrayRef<unsigned> inputs)
    : context(context), b(context.b), math(b) {
  const ::dietcode::RowSchedule &schedule = context.schedule;
  width = context.twin == Twin::Aligned ? schedule.vector : 1;
  Value first = math.add(start, math.mul(context.row.lane, schedule.vector));
  for (int64_t vector : llvm::seq(schedule.vectors))
    for (int64_t index = 0; index < schedule.vector; index += width) {
      Unit unit;
      unit.column =
          math.add(first, vector * schedule.lanes * schedule.vector + index);
      unit.inRow = math.less(unit.column, context.row.size);
      unit.elements.resize(width);
      units.push_back(std::move(unit));
    }
  if (inputs.empty())
    return;
  // All loads before anything is computed, so that they are in flight together.
  for (Unit &unit : units) {
    SmallVector<Value> loaded = loadUnit(unit, inputs);
    for (auto [position, input] : llvm::enumerate(inputs)) {
      BlockArgument argument = context.op->getRegion(0).getArgument(input);
      for (int64_t i : llvm::seq(width)) {
        Value part = loaded[isVector(input) ? 0 : i];
        unit.elements[i].map(argument,
                             isVector(input)
                                 ? Value(vector::ExtractOp::create(b, part, i))
                                 : part);
      }
      loaded.erase(loaded.begin(),
                   loaded.begin() + (isVector(input) ? 1 : width));
    }
  }
}

bool RowTile::isVector(unsigned operand) const {
  return width > 1 && RowwiseOp(context.op).isVectorized(operand);
}

/// Of column `column + index` in an operand.
Value RowTile::getOffset(unsigned operand, Value column, int64_t index) {
  return math.add(context.row.bases[operand],
                  context.views[operand].getOffset(b, context.columns,
                                                   math.add(column, index)));
}

static unsigned getVectorBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// A vector, or a scalar for each column of the unit.
SmallVector<Type> RowTile::getLoadedTypes(unsigned input) const {
  Type type = context.views[input].type.getElementType();
  if (isVector(input))
    return {VectorType::get({width}, type)};
  return SmallVector<Type>(width, type);
}

/// What `input` has in the columns of the unit, all of which are in the row.
/// `getIndex` gives the element of an input that was loaded before.
SmallVector<Value>
RowTile::loadInput(const Unit &unit, unsigned input,
                   function_ref<Value(unsigned, int64_t)> getIndex) {
  const MatrixView &view = context.views[input];
  if (isVector(input)) {
    auto type = cast<VectorType>(getLoadedTypes(input).front());
    return {vector::LoadOp::create(
        b, type, view.flat, getOffset(input, unit.column, 0),
        /*nontemporal=*/false, llvm::MaybeAlign(getVectorBytes(type)))};
  }
  RowwiseOp op = context.op;
  SmallVector<Value> loaded;
  for (int64_t i : llvm::seq(width)) {
    Value offset = getOffset(input, unit.column, i);
    for (Lookup lookup : op.getLookups(input))
      if (op.variesWithColumn(lookup.index))
        offset =
            math.add(offset, view.getLookupOffset(b, lookup.dim,
                                                  getIndex(lookup.index, i)));
    loaded.push_back(memref::LoadOp::create(b, view.flat, offset));
  }
  return loaded;
}

/// For each input what it has in the columns of the unit; zeros outside of the
/// row.
SmallVector<Value> RowTile::loadUnit(const Unit &unit,
                                     ArrayRef<unsigned> inputs) {
  SmallVector<Type> types;
  llvm::SmallDenseMap<unsigned, size_t> positions;
  for (unsigned input : inputs) {
    positions[input] = types.size();
    llvm::append_range(types, getLoadedTypes(input));
  }
  auto load = [&](OpBuilder &, Location) {
    SmallVector<Value> loaded;
    auto getIndex = [&](unsigned input, int64_t i) -> Value {
      size_t position = positions.at(input);
      if (isVector(input))
        return vector::ExtractOp::create(b, loaded[position], i);
      return loaded[position + i];
    };
    for (unsigned input : inputs)
      llvm::append_range(
          loaded,
          createLookup(b, context.views[input], getLoadedTypes(input),
                       [&] { return loadInput(unit, input, getIndex); }));
    scf::YieldOp::create(b, loaded);
  };
  auto guarded =
      scf::IfOp::create(b, unit.inRow, load, [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, createZeros(b, types));
      });
  return SmallVector<Value>(guarded.getResults());
}

/// Clones what computes `value` from what is known of an element.
Value RowTile::compute(Value value, IRMapping &element,
                       const IRMapping &uniforms) {
  if (context.program.isUniform(value))
    return uniforms.lookup(value);
  if (Value known = element.lookupOrNull(value))
    return known;
  Operation *definition = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : definition->getOperands())
    mapping.map(operand, compute(operand, element, uniforms));
  Operation *clone = b.clone(*definition, mapping);
  for (auto [old, result] :
       llvm::zip_equal(definition->getResults(), clone->getResults()))
    element.map(old, result);
  return element.lookup(value);
}

void RowTile::reduce(unsigned pass, const IRMapping &uniforms,
                     SmallVectorImpl<Value> &partials, bool keep) {
  ArrayRef<ReduceRowOp> reductions = context.program.getReductions(pass);
  ArrayRef<Value> kept;
  if (keep)
    kept = context.program.getKeptValues(pass);
  for (Unit &unit : units) {
    SmallVector<Type> keptTypes;
    for (int64_t i = 0; i < width; ++i)
      llvm::append_range(keptTypes, ValueRange(kept).getTypes());
    auto guarded = scf::IfOp::create(
        b, unit.inRow,
        [&](OpBuilder &, Location) {
          SmallVector<Value> combined(partials.begin(), partials.end());
          SmallVector<Value> values;
          for (const IRMapping &known : unit.elements) {
            IRMapping element = known;
            for (auto [index, partial] : llvm::enumerate(combined)) {
              ReduceRowOp reduction = reductions[index];
              partial = createCombination(
                  b, b.getLoc(), reduction.getKind(), partial,
                  compute(reduction.getValue(), element, uniforms));
            }
            for (Value value : kept)
              values.push_back(compute(value, element, uniforms));
          }
          llvm::append_range(combined, values);
          scf::YieldOp::create(b, combined);
        },
        [&](OpBuilder &, Location) {
          SmallVector<Value> unchanged(partials.begin(), partials.end());
          llvm::append_range(unchanged, createZeros(b, keptTypes));
          scf::YieldOp::create(b, unchanged);
        });
    ValueRange results = guarded.getResults();
    llvm::copy(results.take_front(partials.size()), partials.begin());
    results = results.drop_front(partials.size());
    for (IRMapping &element : unit.elements) {
      element.map(ValueRange(kept), results.take_front(kept.size()));
      results = results.drop_front(kept.size());
    }
  }
}

void RowTile::storeUnit(const Unit &unit, unsigned operand,
                        ArrayRef<Value> values) {
  Value flat = context.views[operand].flat;
  if (isVector(operand)) {
    auto type = VectorType::get({width}, values.front().getType());
    vector::StoreOp::create(b, vector::FromElementsOp::create(b, type, values),
                            flat, getOffset(operand, unit.column, 0),
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(getVectorBytes(type)));
    return;
  }
  for (auto [index, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, value, flat,
                            getOffset(operand, unit.column, index));
}

void RowTile::write(const IRMapping &uniforms) {
  RowwiseOp op = context.op;
  for (Unit &unit : units) {
    Value isWritten = math.both(context.row.isWritten, unit.inRow);
    scf::IfOp::create(b, isWritten, [&](OpBuilder &, Location) {
      // An output may be the buffer of an input, so all are computed first.
      SmallVector<SmallVector<Value>> values(op.getOutputs().size());
      for (const IRMapping &known : unit.elements) {
        IRMapping element = known;
        for (auto [index, value] : llvm::enumerate(op.getYield().getValues()))
          if (op.variesWithColumn(op.getInputs().size() + index))
            values[index].push_back(compute(value, element, uniforms));
      }
      for (auto [index, elements] : llvm::enumerate(values))
        if (!elements.empty())
          storeUnit(unit, op.getInputs().size() + index, elements);
      scf::YieldOp::create(b);
    });
  }
}
