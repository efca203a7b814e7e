//===- InstCost.cpp - What an instruction costs an SM ---------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipe of w lanes per SM has w / schedulers of them in each sub-core, so that
// a warp occupies it for 32 * schedulers / w cycles: 2 for the 16 FP32 lanes of
// Turing (whitepaper; research/t4.md). How many machine instructions a PTX
// instruction becomes follows the SASS that ptxas 13 writes for sm_75.
//
//===----------------------------------------------------------------------===//

#include "InstCost.h"
#include <algorithm>
#include <cmath>

namespace dietcode::vgpu {
namespace {

/// The opcode of a PTX instruction, behind its guard.
class Opcode {
public:
  explicit Opcode(std::string_view text) {
    if (!text.empty() && text[0] == '@')
      text.remove_prefix(std::min(text.size(), text.find(' ')));
    size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
      return;
    text.remove_prefix(begin);
    opcode = text.substr(0, text.find_first_of(" \t;"));
    root = opcode.substr(0, opcode.find('.'));
  }
  bool is(std::string_view name) const { return root == name; }
  /// Whether a modifier with the dot, such as ".f64", is there.
  bool has(std::string_view modifier) const {
    for (size_t at = opcode.find(modifier); at != std::string_view::npos;
         at = opcode.find(modifier, at + 1)) {
      size_t end = at + modifier.size();
      if (end == opcode.size() || opcode[end] == '.')
        return true;
    }
    return false;
  }
  bool is64() const { return has(".s64") || has(".u64") || has(".b64"); }
  std::string_view opcode, root;
};

class Coster {
public:
  Coster(const Program &program, const Inst &inst, const DeviceSpec &spec,
         std::string_view text)
      : program(program), inst(inst), spec(spec), op(text) {}

  InstCost cost() const {
    if (inst.pipe == Pipe::None || inst.kind == Kind::Param ||
        inst.kind == Kind::Nop || inst.kind == Kind::WarpBarrier ||
        op.is("cvta") || isCopy())
      return {Unit::Branch, 0, 0, 0, 0, false};
    if (inst.kind == Kind::Mma)
      return tensor();
    switch (inst.pipe) {
    case Pipe::Shared:
      return {Unit::Shared, 1, 1, narrow(spec.sharedLatency), 0, false};
    case Pipe::Global:
      return {Unit::Global, 1, 1, narrow(spec.l2Latency), 0, isCoherent()};
    case Pipe::Control:
      if (inst.kind == Kind::Barrier)
        return {Unit::Barrier, 1, 1, narrow(spec.barrierLatency), 0, false};
      return {Unit::Branch, 1, 1, narrow(spec.branchLatency), 0, false};
    case Pipe::Fp32:
      return single();
    case Pipe::Fp64:
      return fp64();
    case Pipe::Sfu:
      return piped(Unit::Sfu, spec.sfuLanesPerSM, spec.sfuLatency,
                   op.is("div") || op.is("sqrt") ? 2 : 1, 1);
    default:
      return integer();
    }
  }

private:
  static uint16_t narrow(double value) {
    return static_cast<uint16_t>(std::min(65535.0, std::max(1.0, value)));
  }
  /// .cg and .cv leave out L1, as do the orderings that other SMs see.
  bool isCoherent() const {
    if (inst.kind == Kind::Atomic)
      return true;
    for (std::string_view name :
         {".cg", ".cv", ".volatile", ".relaxed", ".acquire", ".gpu", ".sys"})
      if (op.has(name))
        return true;
    return false;
  }
  /// Register to register: renamed away, as are packing and unpacking.
  bool isCopy() const {
    return op.is("mov") && inst.kind == Kind::Lane &&
           !(inst.src[0] & constantBit);
  }
  InstCost piped(Unit unit, double lanesPerSM, int latency, unsigned issues,
                 unsigned flop) const {
    double each = 32.0 * spec.schedulersPerSM / lanesPerSM;
    InstCost cost;
    cost.unit = unit;
    cost.issues = narrow(issues);
    cost.pipeCycles = narrow(std::ceil(each * issues));
    cost.latency = narrow(latency + each * (issues - 1));
    cost.flopPerLane = static_cast<uint16_t>(flop);
    return cost;
  }
  InstCost fma(unsigned issues, unsigned flop) const {
    bool half = op.has(".f16") || op.has(".f16x2");
    return piped(Unit::Fma, spec.fp32LanesPerSM,
                 half ? spec.halfLatency : spec.arithmeticLatency, issues,
                 op.has(".f16x2") ? 2 * flop : flop);
  }
  InstCost alu(unsigned issues) const {
    return piped(Unit::Alu, spec.int32LanesPerSM, spec.arithmeticLatency,
                 issues, 0);
  }
  /// Comparisons, minima and selections of floats use the integer pipe;
  /// division and root without .approx are short sequences.
  InstCost single() const {
    if (op.is("fma") || op.is("mad"))
      return fma(1, 2);
    if (op.is("div") || op.is("sqrt") || op.is("rcp"))
      return fma(8, 1);
    if (op.is("setp") || op.is("set") || op.is("selp") || op.is("min") ||
        op.is("max") || op.is("mov") || op.is("abs") || op.is("neg"))
      return alu(1);
    if (op.is("cvt"))
      return conversion();
    return fma(1, 1);
  }
  InstCost conversion() const {
    return piped(Unit::Sfu, spec.sfuLanesPerSM, spec.sfuLatency, 1, 0);
  }
  InstCost fp64() const {
    unsigned issues = op.is("div") || op.is("sqrt") || op.is("rcp") ? 8 : 1;
    return piped(Unit::Fp64, spec.fp64LanesPerSM, spec.fp64Latency, issues,
                 op.is("fma") ? 2 : 1);
  }
  /// Integer multiplication is the FMA pipe's [Nsight Compute, list of pipes].
  InstCost integer() const {
    bool wide = op.is64();
    if (op.is("mul") || op.is("mad") || op.is("dp4a"))
      return fma(op.has(".wide") ? 1 : wide ? 4 : op.has(".hi") ? 2 : 1, 0);
    if (op.is("div") || op.is("rem"))
      return alu(wide ? 80 : 20);
    if (op.is("cvt")) {
      bool isFloat = op.has(".f32") || op.has(".f16") || op.has(".f64");
      return isFloat ? conversion() : alu(1);
    }
    if (op.is("popc") || op.is("clz") || op.is("bfind") || op.is("brev"))
      return conversion();
    bool pairs = wide && (op.is("add") || op.is("sub") || op.is("and") ||
                          op.is("or") || op.is("xor") || op.is("not") ||
                          op.is("setp") || op.is("selp") || op.is("neg"));
    return alu(pairs ? 2 : wide && (op.is("shl") || op.is("shr")) ? 3 : 1);
  }
  /// An m x n x k product over the multiply-adds that a sub-core does per
  /// cycle: 8 for m16n8k8 in half precision. Elements of 8 and 4 bits go twice
  /// and four times as fast.
  InstCost tensor() const {
    const MatrixOp &matrix = program.matrixOps[inst.imm];
    double macs = double(matrix.shape.m) * matrix.shape.n * matrix.shape.k;
    double rate = spec.tensorMacsPerSM / spec.schedulersPerSM * 16 /
                  bitsOf(matrix.types[1]);
    InstCost cost;
    cost.unit = Unit::Tensor;
    cost.pipeCycles = narrow(std::ceil(macs / rate));
    cost.latency =
        narrow(spec.tensorLatency + std::max(0, cost.pipeCycles - 8));
    cost.flopPerLane = static_cast<uint16_t>(2 * macs / 32);
    return cost;
  }

  const Program &program;
  const Inst &inst;
  const DeviceSpec &spec;
  Opcode op;
};

} // namespace

InstCost costOf(const Program &program, const Inst &inst,
                const DeviceSpec &spec) {
  std::string_view text;
  if (inst.source < program.sources.size())
    text = program.sources[inst.source].text;
  return Coster(program, inst, spec, text).cost();
}

} // namespace dietcode::vgpu
