//===- Decoder.cpp - Operands, symbols and control flow -------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include <algorithm>
#include <cstring>

namespace dietcode::vgpu {
namespace {

/// Of a kernel, its functions included: what input that is made to take all
/// memory would need, and kernels never do. The analyses keep some bits for
/// each register in each basic block.
constexpr size_t maxInstructions = size_t(1) << 20;
constexpr uint64_t maxAnalysisBits = uint64_t(1) << 30;

} // namespace

unsigned log2Bytes(unsigned bytes) {
  return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

Type unsignedOf(unsigned bytes) {
  static constexpr Type types[] = {Type::U8, Type::U16, Type::U32, Type::U64};
  return types[log2Bytes(bytes)];
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool Modifiers::take(std::string_view name) {
  auto it = std::find(parts.begin(), parts.end(), name);
  if (it == parts.end())
    return false;
  parts.erase(it);
  return true;
}

std::optional<Type> Modifiers::takeType() {
  for (auto it = parts.begin(); it != parts.end(); ++it) {
    if (std::optional<Type> type = parseTypeName(*it)) {
      parts.erase(it);
      return type;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> Modifiers::takeRounding(bool integral) {
  static constexpr std::string_view names[] = {"rn", "rz", "rm", "rp"};
  static constexpr std::string_view integralNames[] = {"rni", "rzi", "rmi",
                                                       "rpi"};
  for (uint32_t i = 0; i < 4; ++i)
    if (take(integral ? integralNames[i] : names[i]))
      return i << RoundShift;
  return std::nullopt;
}

std::optional<Space> Modifiers::takeSpace() {
  static constexpr std::pair<std::string_view, Space> names[] = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"local", Space::Local},        {"const", Space::Const},
      {"param::func", Space::Param},  {"param", Space::Param},
      {"shared::cta", Space::Shared}, {"param::entry", Space::Param},
  };
  for (auto &[name, space] : names)
    if (take(name))
      return space;
  return std::nullopt;
}

void Modifiers::takeMemoryQualifiers() {
  static constexpr std::string_view names[] = {
      "weak", "volatile", "relaxed", "acquire", "release", "acq_rel",
      "cta",  "gpu",      "sys",     "ca",      "cg",      "cs",
      "lu",   "cv",       "wb",      "wt",      "nc",      "mmio"};
  for (std::string_view name : names)
    take(name);
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [](std::string_view part) {
                               return part.substr(0, 4) == "L1::" ||
                                      part.substr(0, 4) == "L2::";
                             }),
              parts.end());
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Decoder::Decoder(const RawModule &module, const RawKernel &kernel,
                 const std::vector<GlobalVariable> &globals,
                 std::string_view moduleName)
    : module(module), kernel(kernel), moduleName(moduleName),
      lanes(laneTable()), types(kernel.registers) {
  for (const GlobalVariable &global : globals)
    symbols[global.name] = {Space::Global,
                            reinterpret_cast<uint64_t>(global.data)};
  for (const Param &param : kernel.params)
    symbols[param.name] = {Space::Param, param.offset};
  layOutVariables();
}

void Decoder::place(const Variable &variable) {
  // The .param variables of calls are the thread's own, as is .local memory.
  bool isLocal =
      variable.space == Space::Local || variable.space == Space::Param;
  uint32_t &size = isLocal ? program.localBytes : program.staticSharedBytes;
  size = (size + variable.align - 1) & ~(variable.align - 1);
  symbols[variable.name] = {isLocal ? Space::Local : variable.space, size};
  // Beyond any limit, but without overflow: launching reports it.
  size = static_cast<uint32_t>(
      std::min<uint64_t>(size + variable.size, uint64_t(1) << 30));
}

/// Module-level .shared variables occupy a kernel's shared memory only if it
/// mentions them; dynamic shared memory starts after all static.
void Decoder::layOutVariables() {
  std::unordered_map<std::string_view, bool> used;
  for (const RawInstruction &inst : kernel.body)
    for (const Operand &operand : inst.operands) {
      if (operand.kind == Operand::Symbol)
        used[operand.name] = true;
      for (const Operand &element : operand.elements)
        if (element.kind == Operand::Symbol)
          used[element.name] = true;
    }
  std::vector<const Variable *> dynamic;
  auto visit = [&](const Variable &variable) {
    if (variable.space == Space::Global || variable.space == Space::Const)
      return;
    if (variable.isDynamicShared)
      dynamic.push_back(&variable);
    else
      place(variable);
  };
  for (const Variable &variable : module.variables)
    if (used.count(variable.name))
      visit(variable);
  for (const Variable &variable : kernel.variables)
    visit(variable);
  for (const Variable *variable : dynamic) {
    uint32_t align = std::max(16u, variable->align);
    program.staticSharedBytes =
        (program.staticSharedBytes + align - 1) & ~(align - 1);
  }
  for (const Variable *variable : dynamic)
    symbols[variable->name] = {Space::Shared, program.staticSharedBytes};
}

std::optional<uint64_t> Decoder::symbolValue(std::string_view name,
                                             Space *space) {
  auto it = symbols.find(name);
  if (it == symbols.end()) {
    refuse("unknown symbol '" + std::string(name) + "'");
    return std::nullopt;
  }
  if (space)
    *space = it->second.space;
  return it->second.value;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decoder::refuse(std::string why) {
  if (reason.empty())
    reason = std::move(why);
  return false;
}

Ref Decoder::newRegister(Type type) {
  types.push_back(type);
  return static_cast<Ref>(types.size() - 1);
}

Ref Decoder::constant(uint64_t bits, unsigned bytes) {
  auto [it, isNew] = constantRefs.try_emplace({bits, bytes}, noRef);
  if (isNew) {
    size_t at = program.constants.size();
    program.constants.resize(at + std::max(1u, bytes * 32 / 64));
    uint8_t *row = program.constants[at].bytes;
    for (unsigned i = 0; i < 32; ++i)
      std::memcpy(row + size_t(i) * bytes, &bits, bytes);
    it->second = static_cast<Ref>(at * sizeof(ConstantBytes)) | constantBit;
  }
  return it->second;
}

Ref Decoder::predicateConstant(bool value) {
  return constant(value ? 0xffffffffu : 0, 4);
}

Ref Decoder::immediate(const Operand &operand, Type type) {
  uint64_t bits = static_cast<uint64_t>(operand.value);
  unsigned bytes = byteSize(type);
  if (type == Type::Pred)
    return predicateConstant(operand.value != 0);
  if (operand.floatBytes == 0) {
    if (type == Type::F32 || type == Type::F64)
      return refuse("an integer immediate for a float operand"), noRef;
    return constant(bytes == 8 ? bits : bits & ((uint64_t(1) << 8 * bytes) - 1),
                    bytes);
  }
  if (operand.floatBytes != bytes) {
    if (type != Type::F32)
      return refuse("a float immediate of another size"), noRef;
    double wide;
    std::memcpy(&wide, &bits, sizeof(wide));
    float narrow = static_cast<float>(wide);
    uint32_t narrowBits;
    std::memcpy(&narrowBits, &narrow, sizeof(narrowBits));
    bits = narrowBits;
  }
  return constant(bits, bytes);
}

Ref Decoder::special(std::string_view name) {
  static constexpr std::string_view names[] = {
      "%tid.x",          "%tid.y",       "%tid.z",       "%ntid.x",
      "%ntid.y",         "%ntid.z",      "%ctaid.x",     "%ctaid.y",
      "%ctaid.z",        "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
      "%laneid",         "%warpid",      "%nwarpid",     "%smid",
      "%nsmid",          "%gridid",      "%lanemask_eq", "%lanemask_le",
      "%lanemask_lt",    "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size",
      "%total_smem_size"};
  static_assert(std::size(names) == static_cast<size_t>(Special::Count));
  for (size_t i = 0; i < std::size(names); ++i) {
    if (names[i] != name)
      continue;
    for (auto &[kind, ref] : pinned)
      if (kind == static_cast<Special>(i))
        return ref;
    Ref ref = newRegister(Type::U32);
    pinned.emplace_back(static_cast<Special>(i), ref);
    return ref;
  }
  refuse("unknown register '" + std::string(name) + "'");
  return noRef;
}

Ref Decoder::registerSource(const Operand &operand, Type type) {
  if (operand.kind != Operand::Register)
    return refuse("a register was expected"), noRef;
  Type actual = registerType(operand);
  if (byteSize(actual) != byteSize(type)) {
    refuse("operand '" + std::string(operand.name) +
           "' does not have the instruction's type");
    return noRef;
  }
  return operand.reg;
}

Ref Decoder::source(const Operand &operand, Type type) {
  if (operand.negated)
    return refuse("a negated operand is not allowed here"), noRef;
  switch (operand.kind) {
  case Operand::Register:
    return registerSource(operand, type);
  case Operand::Immediate:
    return immediate(operand, type);
  case Operand::Special: {
    Ref ref = special(operand.name);
    if (ref != noRef && byteSize(type) != 4)
      return refuse("special registers have 32 bits"), noRef;
    return ref;
  }
  case Operand::Symbol: {
    std::optional<uint64_t> value = symbolValue(operand.name);
    if (!value)
      return noRef;
    if (byteSize(type) < 4)
      return refuse("an address does not fit"), noRef;
    return constant((*value + static_cast<uint64_t>(operand.value)) &
                        (byteSize(type) == 4 ? 0xffffffffu : ~uint64_t(0)),
                    byteSize(type));
  }
  default:
    return refuse("unexpected kind of operand"), noRef;
  }
}

Ref Decoder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Sink)
    return newRegister(type);
  if (operand.negated)
    return refuse("a negated destination"), noRef;
  return registerSource(operand, type);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Inst Decoder::begin(const RawInstruction &raw, Kind kind, Pipe pipe) {
  Inst inst;
  inst.kind = kind;
  inst.pipe = pipe;
  inst.source = sourceIndex;
  if (raw.guard) {
    inst.guard = *raw.guard;
    inst.guardNegated = raw.guardNegated;
  }
  return inst;
}

Inst Decoder::lane(const RawInstruction &raw, LaneFn fn, Type dstType,
                   Pipe pipe) {
  Inst inst = begin(raw, Kind::Lane, pipe);
  inst.fn = fn;
  inst.type = dstType;
  inst.blend = dstType == Type::Pred
                   ? blendPredicate
                   : static_cast<uint8_t>(log2Bytes(byteSize(dstType)));
  return inst;
}

bool Decoder::emitLane(const RawInstruction &raw, LaneFn fn, Type dstType,
                       Pipe pipe, Ref dst, std::initializer_list<Ref> sources,
                       uint32_t imm) {
  if (!fn || dst == noRef)
    return false;
  Inst inst = lane(raw, fn, dstType, pipe);
  inst.dst[0] = dst;
  inst.imm = imm;
  unsigned n = 0;
  for (Ref ref : sources) {
    if (ref == noRef)
      return false;
    inst.src[n++] = ref;
  }
  emit(inst);
  return true;
}

bool Decoder::decode(const RawInstruction &raw) {
  std::string unmet = unmetRequirement(raw, module.chip, module.version);
  if (!unmet.empty())
    return refuse(unmet);
  if (hasWrongKindOfType(raw))
    return refuse("unexpected type");
  DecodeFn fn = lookup(raw.opcode[0]);
  if (!fn)
    return false;
  if (raw.guard && kernel.registers[*raw.guard] != Type::Pred)
    return refuse("the guard is not a predicate");
  return (this->*fn)(raw);
}

/// A label's index in the raw body; run() translates it.
std::optional<uint32_t> Decoder::labelTarget(std::string_view label) {
  auto it = kernel.labels.find(label);
  if (it != kernel.labels.end())
    return it->second;
  refuse("unknown label '" + std::string(label) + "'");
  return std::nullopt;
}

bool Decoder::branch(const RawInstruction &raw) {
  Modifiers mods(raw);
  mods.take("uni");
  if (!mods.done() || raw.operands.size() != 1 ||
      raw.operands[0].kind != Operand::Symbol)
    return false;
  std::optional<uint32_t> target = labelTarget(raw.operands[0].name);
  if (!target)
    return false;
  Inst inst = begin(raw, Kind::Branch, Pipe::Control);
  inst.target = *target;
  emit(inst);
  return true;
}

/// `brx.idx index, list` becomes a chain of comparisons and branches, of which
/// one counts as an instruction. An index beyond the list is undefined.
bool Decoder::branchIndexed(const RawInstruction &raw) {
  Modifiers mods(raw);
  bool indexed = mods.take("idx");
  mods.take("uni");
  if (!indexed || !mods.done() || raw.guard || raw.operands.size() != 2 ||
      raw.operands[1].kind != Operand::Symbol)
    return false;
  auto list = kernel.branchLists.find(raw.operands[1].name);
  Ref index = source(raw.operands[0], Type::U32);
  if (list == kernel.branchLists.end() || index == noRef)
    return refuse("unknown list of branch targets");
  size_t n = list->second.size();
  for (size_t i = 0; i < n; ++i) {
    std::optional<uint32_t> target = labelTarget(list->second[i]);
    if (!target)
      return false;
    bool last = i + 1 == n;
    Inst inst = begin(raw, Kind::Branch, last ? Pipe::Control : Pipe::None);
    inst.target = *target;
    if (!last) {
      Inst compare = begin(raw, Kind::Setp, Pipe::None);
      compare.fn = lanes.op[unsigned(Op::CmpEq)][unsigned(Type::U32)];
      compare.blend = blendPredicate;
      compare.src[0] = index;
      compare.src[1] = constant(i, 4);
      compare.dst[0] = inst.guard = newRegister(Type::Pred);
      emit(compare);
    }
    emit(inst);
  }
  return true;
}

bool Decoder::exit(const RawInstruction &raw) {
  Modifiers mods(raw);
  mods.take("uni");
  if (!mods.done() || !raw.operands.empty())
    return false;
  emit(begin(raw, Kind::Exit, Pipe::Control));
  return true;
}

bool Decoder::trap(const RawInstruction &raw) {
  if (raw.opcode.size() != 1 || !raw.operands.empty())
    return false;
  emit(begin(raw, Kind::Trap, Pipe::Control));
  return true;
}

tl::unexpected<Error> Decoder::failSize(unsigned line) const {
  return fail(std::string(moduleName) + ":" + std::to_string(line) +
              ": kernel '" + kernel.name +
              "' has too many instructions, branches and registers");
}

Expected<Program> Decoder::run() {
  program.name = kernel.name;
  program.line = kernel.line;
  program.params = kernel.params;
  program.requiredThreads = kernel.requiredThreads;
  program.maxThreads = kernel.maxThreads;
  program.minBlocksPerSM = kernel.minBlocksPerSM;
  program.maxRegisters = kernel.maxRegisters;
  if (!kernel.params.empty())
    program.paramBytes =
        kernel.params.back().offset + kernel.params.back().size;
  std::vector<uint32_t> firstInst;
  for (const RawInstruction &raw : kernel.body) {
    firstInst.push_back(static_cast<uint32_t>(program.code.size()));
    sourceIndex = static_cast<uint32_t>(program.sources.size());
    program.sources.push_back({raw.line, oneSpaced(raw.text)});
    if (!decode(raw))
      return fail(std::string(moduleName) + ":" + std::to_string(raw.line) +
                  ": unsupported instruction '" + oneSpaced(raw.text) + "'" +
                  (reason.empty() ? "" : ": " + reason));
    if (program.code.size() > maxInstructions)
      return failSize(raw.line);
    noteForCheckers(raw, program, firstInst.back());
  }
  firstInst.push_back(static_cast<uint32_t>(program.code.size()));
  // Falling off the end is a return.
  RawInstruction end;
  end.line = kernel.body.empty() ? 0 : kernel.body.back().line;
  sourceIndex = static_cast<uint32_t>(program.sources.size());
  program.sources.push_back({end.line, "(end of the kernel)"});
  Inst last = begin(end, Kind::Exit, Pipe::None);
  emit(last);
  auto branches = static_cast<uint64_t>(
      std::count_if(program.code.begin(), program.code.end(),
                    [](auto &inst) { return inst.kind == Kind::Branch; }));
  if (branches * types.size() > maxAnalysisBits)
    return failSize(kernel.line);
  for (Inst &inst : program.code)
    if (inst.kind == Kind::Branch)
      inst.target = firstInst[inst.target];
  finishProgram(program, types, pinned);
  return std::move(program);
}

Expected<Program> decodeKernel(const RawModule &module, const RawKernel &kernel,
                               const std::vector<GlobalVariable> &globals,
                               std::string_view moduleName) {
  return Decoder(module, kernel, globals, moduleName).run();
}

} // namespace dietcode::vgpu
