//===- DecodeMatrix.cpp - Warp-level matrix instructions ------------------===//
//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, sections 9.7.14 (wmma) and 9.7.14.5 (mma, ldmatrix, movmatrix):
// the forms that sm_75 has.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include <algorithm>

namespace dietcode::vgpu {
namespace {

unsigned elementsPerRegister(Element type) { return 32 / bitsOf(type); }

/// The modifiers of a matrix instruction in their order: element types apart
/// from all others.
struct MatrixModifiers {
  explicit MatrixModifiers(const RawInstruction &raw) {
    for (size_t i = 1; i < raw.opcode.size(); ++i) {
      if (std::optional<Element> type = parseElement(raw.opcode[i]))
        types.push_back(*type);
      else if (std::optional<MatrixShape> found =
                   parseMatrixShape(raw.opcode[i]))
        shape = found;
      else
        rest.push_back(raw.opcode[i]);
    }
  }

  bool take(std::string_view name) {
    auto it = std::find(rest.begin(), rest.end(), name);
    if (it == rest.end())
      return false;
    rest.erase(it);
    return true;
  }
  /// .sync and .aligned, which all of them have.
  bool takeSync() { return take("sync") && take("aligned"); }

  std::optional<MatrixShape> shape;
  std::vector<Element> types;
  std::vector<std::string_view> rest;
};

bool isShape(const MatrixShape &shape, unsigned m, unsigned n, unsigned k) {
  return shape.m == m && shape.n == n && shape.k == k;
}

bool isOneOf(Element type, Element a, Element b) {
  return type == a || type == b;
}

/// Whether wmma has fragments A and B of a type in a shape.
bool isWmmaShape(const MatrixShape &shape, Element type) {
  if (bitsOf(type) == 4)
    return isShape(shape, 8, 8, 32);
  if (type == Element::B1)
    return isShape(shape, 8, 8, 128);
  return isOneOf(type, Element::F16, Element::S8) || type == Element::U8
             ? isShape(shape, 16, 16, 16) || isShape(shape, 32, 8, 16) ||
                   isShape(shape, 8, 32, 16)
             : false;
}

/// Whether it has accumulators of a type in a shape.
bool isWmmaAccumulator(const MatrixShape &shape, Element type) {
  if (isShape(shape, 8, 8, 32) || isShape(shape, 8, 8, 128))
    return type == Element::S32;
  return bitsOf(type) >= 16 && isWmmaShape(shape, Element::F16);
}

/// Whether a shape of mma exists for its types D, A, B and C.
bool mmaExists(const MatrixShape &shape, const std::array<Element, 4> &types) {
  auto [d, a, b, c] = types;
  if (isShape(shape, 16, 8, 8))
    return a == Element::F16 && b == a && c == d &&
           isOneOf(d, Element::F16, Element::F32);
  if (d != Element::S32 || c != d)
    return false;
  if (isShape(shape, 8, 8, 16))
    return isOneOf(a, Element::S8, Element::U8) &&
           isOneOf(b, Element::S8, Element::U8);
  if (isShape(shape, 8, 8, 32))
    return isOneOf(a, Element::S4, Element::U4) &&
           isOneOf(b, Element::S4, Element::U4);
  return isShape(shape, 8, 8, 128) && a == Element::B1 && b == a;
}

/// Elements of a wmma fragment in each lane: 16 halves of A and B, each of
/// which two lanes or more hold; else as many as there are.
unsigned wmmaElements(const MatrixShape &shape, MatrixRole role, Element type) {
  if (role != MatrixRole::C && type == Element::F16)
    return 16;
  return shape.rows(role) * shape.columns(role) / 32;
}

} // namespace

/// The registers of a fragment, `count` in braces or a single one.
bool Decoder::registers(const Operand &operand, size_t count,
                        std::vector<Ref> &into, bool isTarget) {
  bool isVector = operand.kind == Operand::Vector;
  if ((isVector ? operand.elements.size() : 1) != count)
    return refuse("a fragment of " + std::to_string(count) +
                  " registers was expected");
  for (size_t i = 0; i < count; ++i) {
    const Operand &element = isVector ? operand.elements[i] : operand;
    Ref ref =
        isTarget ? destination(element, Type::U32) : source(element, Type::U32);
    if (ref == noRef)
      return false;
    into.push_back(ref);
  }
  return true;
}

/// mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b,
/// c; single-bit multiplication is .xor.popc.
bool Decoder::mma(const RawInstruction &raw) {
  MatrixModifiers mods(raw);
  MatrixOp op;
  op.saturate = mods.take("satfinite");
  if (!mods.takeSync() || !mods.take("row") || !mods.take("col") ||
      !mods.shape || mods.types.size() != 4 || raw.operands.size() != 4)
    return false;
  op.shape = *mods.shape;
  std::copy_n(mods.types.begin(), 4, op.types.begin());
  bool isBits = op.types[1] == Element::B1;
  if (isBits && (!mods.take("xor") || !mods.take("popc")))
    return false;
  bool isInteger = op.types[0] == Element::S32;
  if (!mods.rest.empty() || !mmaExists(op.shape, op.types) ||
      (op.saturate && (!isInteger || isBits)))
    return refuse("no such matrix instruction");
  for (unsigned i = 0; i < 3; ++i)
    op.layouts[i] = mmaLayout(op.shape, static_cast<MatrixRole>(i));
  return emitMultiply(raw, std::move(op));
}

/// The registers of a multiplication whose shape, types and layouts are known.
bool Decoder::emitMultiply(const RawInstruction &raw, MatrixOp op) {
  auto take = [&](unsigned operand, unsigned layout, bool isTarget) {
    return registers(raw.operands[operand],
                     op.layouts[layout].perLane /
                         elementsPerRegister(op.types[operand]),
                     isTarget ? op.dst : op.src, isTarget);
  };
  for (unsigned i = 0; i < 3; ++i)
    if (!take(i + 1, i, /*isTarget=*/false))
      return false;
  if (!take(0, 2, /*isTarget=*/true))
    return false;
  Inst inst = begin(raw, Kind::Mma, Pipe::Tensor);
  inst.imm = static_cast<uint32_t>(program.matrixOps.size());
  program.matrixOps.push_back(std::move(op));
  emit(inst);
  return true;
}

/// wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype (halves) or
/// .s32.atype.btype.s32{.satfinite} (bytes), and the loads and stores.
bool Decoder::wmma(const RawInstruction &raw) {
  MatrixModifiers mods(raw);
  if (mods.take("load"))
    return fragment(raw, /*isLoad=*/true);
  if (mods.take("store"))
    return fragment(raw, /*isLoad=*/false);
  MatrixOp op;
  op.saturate = mods.take("satfinite");
  bool countsBits = mods.take("xor") && mods.take("popc");
  if (!mods.take("mma") || !mods.takeSync() || !mods.shape ||
      mods.rest.size() != 2 || raw.operands.size() != 4)
    return false;
  op.shape = *mods.shape;
  std::array<bool, 3> columnMajor = {};
  for (unsigned i = 0; i < 2; ++i) {
    columnMajor[i] = mods.rest[i] == "col";
    if (!columnMajor[i] && mods.rest[i] != "row")
      return false;
  }
  const std::vector<Element> &types = mods.types;
  if (types.size() == 2 && isOneOf(types[0], Element::F16, Element::F32) &&
      isOneOf(types[1], Element::F16, Element::F32) && !op.saturate)
    op.types = {types[0], Element::F16, Element::F16, types[1]};
  else if (types.size() == 4 && types[0] == Element::S32 &&
           types[3] == types[0] && bitsOf(types[1]) <= 8 &&
           types[2] == types[1])
    op.types = {types[0], types[1], types[2], types[3]};
  else
    return refuse("no such matrix instruction");
  // Rows of A and columns of B are what shapes below a byte have.
  bool isSubByte = bitsOf(op.types[1]) < 8;
  if (!isWmmaShape(op.shape, op.types[1]) ||
      (isSubByte && (columnMajor[0] || !columnMajor[1])) ||
      countsBits != (op.types[1] == Element::B1) || (countsBits && op.saturate))
    return refuse("no such matrix instruction");
  for (unsigned i = 0; i < 3; ++i) {
    auto role = static_cast<MatrixRole>(i);
    unsigned n = wmmaElements(op.shape, role, op.types[i + 1]);
    op.layouts[i] = wmmaLayout(op.shape, role, n, columnMajor[i]);
  }
  return emitMultiply(raw, std::move(op));
}

/// wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride};
/// wmma.store.d... [p], r{, stride}. The stride counts elements.
bool Decoder::fragment(const RawInstruction &raw, bool isLoad) {
  MatrixModifiers mods(raw);
  mods.take(isLoad ? "load" : "store");
  MatrixOp op;
  Inst inst = begin(raw, isLoad ? Kind::LoadFragment : Kind::StoreFragment,
                    Pipe::Global);
  if (mods.take("a") && isLoad)
    op.role = MatrixRole::A;
  else if (mods.take("b") && isLoad)
    op.role = MatrixRole::B;
  else if (mods.take(isLoad ? "c" : "d"))
    op.role = MatrixRole::C;
  else
    return false;
  op.columnMajor = mods.take("col");
  if ((!op.columnMajor && !mods.take("row")) || !mods.takeSync() ||
      !mods.shape || mods.types.size() != 1)
    return false;
  if (mods.take("shared") || mods.take("shared::cta"))
    inst.space = Space::Shared;
  else if (mods.take("global"))
    inst.space = Space::Global;
  op.shape = *mods.shape;
  Element type = mods.types[0];
  bool isAccumulator = op.role == MatrixRole::C;
  bool known = isAccumulator ? isWmmaAccumulator(op.shape, type)
                             : isWmmaShape(op.shape, type);
  if (bitsOf(type) < 8)
    known &= op.columnMajor == (op.role == MatrixRole::B);
  size_t n = raw.operands.size();
  if (!mods.rest.empty() || !known || (n != 2 && n != 3))
    return false;
  unsigned perLane = wmmaElements(op.shape, op.role, type);
  op.types.fill(type);
  op.layouts[0] =
      wmmaLayout(op.shape, op.role, perLane, op.columnMajor && !isAccumulator);
  // A lane's elements are adjacent where memory and fragment agree.
  bool adjacent = !isAccumulator || !op.columnMajor;
  op.elementsPerAccess = adjacent ? std::min(perLane, 128 / bitsOf(type)) : 1;
  const Operand &fragment = raw.operands[isLoad ? 0 : 1];
  if (!registers(fragment, perLane / elementsPerRegister(type),
                 isLoad ? op.dst : op.src, isLoad) ||
      !address(raw.operands[isLoad ? 1 : 0], inst))
    return false;
  unsigned tight =
      op.columnMajor ? op.shape.rows(op.role) : op.shape.columns(op.role);
  inst.src[1] =
      n == 3 ? source(raw.operands[2], Type::U32) : constant(tight, 4);
  inst.pipe = inst.space == Space::Shared ? Pipe::Shared : Pipe::Global;
  inst.imm = static_cast<uint32_t>(program.matrixOps.size());
  program.matrixOps.push_back(std::move(op));
  emit(inst);
  return inst.src[1] != noRef;
}

/// ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared}.b16 r, [p].
bool Decoder::loadMatrix(const RawInstruction &raw) {
  Modifiers mods(raw);
  unsigned n = mods.take("x4") ? 4 : mods.take("x2") ? 2 : mods.take("x1");
  Inst inst = begin(raw, Kind::LoadMatrix, Pipe::Shared);
  inst.mode = mods.take("trans");
  bool isShared = mods.take("shared") || mods.take("shared::cta");
  inst.space = isShared ? Space::Shared : Space::Generic;
  if (!n || !mods.take("sync") || !mods.take("aligned") || !mods.take("m8n8") ||
      !mods.take("b16") || !mods.done() || raw.operands.size() != 2)
    return false;
  std::vector<Ref> targets;
  if (!registers(raw.operands[0], n, targets, /*isTarget=*/true) ||
      !address(raw.operands[1], inst))
    return false;
  std::copy(targets.begin(), targets.end(), inst.dst);
  inst.blend = 2;
  emit(inst);
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
bool Decoder::moveMatrix(const RawInstruction &raw) {
  Modifiers mods(raw);
  if (!mods.take("sync") || !mods.take("aligned") || !mods.take("m8n8") ||
      !mods.take("trans") || !mods.take("b16") || !mods.done() ||
      raw.operands.size() != 2)
    return false;
  Inst inst = begin(raw, Kind::MoveMatrix, Pipe::Shared);
  inst.blend = 2;
  inst.dst[0] = destination(raw.operands[0], Type::U32);
  inst.src[0] = source(raw.operands[1], Type::U32);
  emit(inst);
  return inst.dst[0] != noRef && inst.src[0] != noRef;
}

} // namespace dietcode::vgpu
