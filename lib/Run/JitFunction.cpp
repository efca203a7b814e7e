//===- JitFunction.cpp - A compiled function that can be called -----------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dietcode/Run/JitFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>

using namespace mlir;
using namespace mlir::dietcode;
using ::dietcode::ElementKind;
using ::dietcode::NpyArray;

NpyArray RunResult::toNpy() const {
  NpyArray array{kind, layout.sizes, {}};
  size_t size = ::dietcode::byteSize(kind);
  if (!isShaped) {
    array.data.assign(scalar, scalar + size);
    return array;
  }
  int64_t count = layout.numElements();
  array.data.resize(count * size);
  if (layout.strides == ::dietcode::denseStrides(layout.sizes)) {
    if (count)
      std::memcpy(array.data.data(), aligned + layout.offset * size,
                  count * size);
    return array;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(array.data.data() + i * size,
                aligned + layout.position(i) * size, size);
  return array;
}

std::vector<double> mlir::dietcode::toDoubles(const NpyArray &array) {
  size_t size = ::dietcode::byteSize(array.kind);
  std::vector<double> values(array.data.size() / size);
  for (auto [i, value] : llvm::enumerate(values))
    value = ::dietcode::loadElement(array.kind, array.data.data() + i * size);
  return values;
}

namespace {

/// A memref descriptor: allocated pointer, aligned pointer, offset, sizes and
/// strides, all of 64 bits.
using Descriptor = SmallVector<uint64_t, 7>;

Descriptor describe(const ::dietcode::HostTensor &tensor) {
  const ::dietcode::StridedLayout &layout = tensor.getLayout();
  auto base = reinterpret_cast<uint64_t>(tensor.base());
  Descriptor words = {base, base, static_cast<uint64_t>(layout.offset)};
  words.append(layout.sizes.begin(), layout.sizes.end());
  words.append(layout.strides.begin(), layout.strides.end());
  return words;
}

void readDescriptor(const char *data, RunResult &result) {
  size_t rank = result.layout.sizes.size();
  Descriptor words(3 + 2 * rank);
  std::memcpy(words.data(), data, words.size() * sizeof(uint64_t));
  result.allocated = reinterpret_cast<void *>(words[0]);
  result.aligned = reinterpret_cast<char *>(words[1]);
  result.layout.offset = static_cast<int64_t>(words[2]);
  result.layout.sizes.assign(words.begin() + 3, words.begin() + 3 + rank);
  result.layout.strides.assign(words.begin() + 3 + rank, words.end());
}

size_t sizeOf(const RunResult &result) {
  return result.isShaped ? (3 + 2 * result.layout.sizes.size()) * 8
                         : ::dietcode::byteSize(result.kind);
}

/// Turns the results of a function into `types`; false if one is of a type that
/// cannot be read back.
bool readResultTypes(FunctionType type, SmallVectorImpl<RunResult> &types) {
  for (Type resultType : type.getResults()) {
    RunResult result;
    auto shaped = dyn_cast<ShapedType>(resultType);
    if (shaped && !shaped.hasRank())
      return false;
    std::optional<ElementKind> kind =
        getElementKind(shaped ? shaped.getElementType() : resultType);
    if (!kind)
      return false;
    result.kind = *kind;
    result.isShaped = static_cast<bool>(shaped);
    result.layout.sizes.resize(shaped ? shaped.getRank() : 0);
    types.push_back(std::move(result));
  }
  return true;
}

/// Whether something that is only declared in a module is nowhere else either.
bool isUndefined(Operation &op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (!function || !function.isExternal() ||
      function.getSymName().starts_with("llvm."))
    return false;
  auto process = llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr);
  return !process.getAddressOfSymbol(function.getSymName().str().c_str());
}

/// The engine would print to the standard error which symbol it misses, and
/// return an error about the others.
LogicalResult checkIsLinkable(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (isUndefined(op) && !SymbolTable::symbolKnownUseEmpty(&op, module))
      return emitError(op.getLoc())
             << "function @" << SymbolTable::getSymbolName(&op).getValue()
             << " is called, but not defined; define it in the module";
  return success();
}

/// Creates an engine that optimises for the very machine it runs on.
llvm::Expected<std::unique_ptr<ExecutionEngine>> createEngine(ModuleOp module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto transformer = makeOptimizingTransformer(3, 0, machine->get());
  ExecutionEngineOptions options;
  options.transformer = transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, options, std::move(*machine));
}

} // namespace

SmallVector<void *>
mlir::dietcode::getOwnedBuffers(const std::vector<RunResult> &results,
                                const std::vector<RunArgument> &arguments) {
  SmallVector<void *> owned;
  for (const RunResult &result : results) {
    bool isArgument = llvm::any_of(arguments, [&](const RunArgument &argument) {
      return argument.tensor && argument.tensor->base() == result.allocated;
    });
    if (result.isShaped && !isArgument &&
        !llvm::is_contained(owned, result.allocated))
      owned.push_back(result.allocated);
  }
  return owned;
}

FailureOr<std::unique_ptr<JitFunction>>
JitFunction::create(ModuleOp module, StringRef name, FunctionType type) {
  std::unique_ptr<JitFunction> function(new JitFunction());
  if (!readResultTypes(type, function->resultTypes))
    return emitError(module.getLoc())
           << "'" << name
           << "' has a result that cannot be read back: " << type;
  if (failed(checkIsLinkable(module)))
    return failure();
  auto engine = createEngine(module);
  if (!engine)
    return emitError(module.getLoc())
           << "the host code of '" << name
           << "' cannot be compiled: " << llvm::toString(engine.takeError());
  function->engine = std::move(*engine);
  auto entry = function->engine->lookupPacked(("_mlir_ciface_" + name).str());
  if (!entry)
    return emitError(module.getLoc())
           << "the host code of '" << name
           << "' cannot be linked: " << llvm::toString(entry.takeError());
  function->entry = *entry;
  return function;
}

namespace {

/// Where the results of a call are written: each at its place in a struct.
class ResultStorage {
public:
  explicit ResultStorage(ArrayRef<RunResult> results) {
    size_t size = 0;
    for (const RunResult &result : results) {
      size_t alignment = result.isShaped ? 8 : sizeOf(result);
      offsets.push_back(llvm::alignTo(size, alignment));
      size = offsets.back() + sizeOf(result);
    }
    words.resize(size / 8 + 1);
    start = reinterpret_cast<char *>(words.data());
  }

  char *&pointer() { return start; }

  void read(MutableArrayRef<RunResult> results) const {
    for (auto [result, offset] : llvm::zip(results, offsets)) {
      if (result.isShaped)
        readDescriptor(start + offset, result);
      else
        std::memcpy(result.scalar, start + offset, sizeOf(result));
    }
  }

private:
  SmallVector<size_t> offsets;
  std::vector<uint64_t> words;
  char *start;
};

} // namespace

/// The C interface takes descriptors by pointer. Several results, and a single
/// descriptor, come back in a struct whose address is the first argument; a
/// single scalar is returned, for which the packed call has a last argument.
std::optional<std::vector<RunResult>>
JitFunction::call(std::vector<RunArgument> &arguments, Guard guard) {
  std::vector<RunResult> results(resultTypes.begin(), resultTypes.end());
  ResultStorage storage(results);
  bool inStruct =
      results.size() > 1 || (results.size() == 1 && results.front().isShaped);

  std::vector<Descriptor> descriptors;
  std::vector<void *> pointers;
  for (RunArgument &argument : arguments)
    descriptors.push_back(argument.tensor ? describe(*argument.tensor)
                                          : Descriptor());
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.data());

  SmallVector<void *> packed;
  if (inStruct)
    packed.push_back(&storage.pointer());
  for (auto [argument, pointer] : llvm::zip(arguments, pointers))
    packed.push_back(argument.tensor ? static_cast<void *>(&pointer)
                                     : argument.scalar);
  if (!inStruct && !results.empty())
    packed.push_back(storage.pointer());
  if (!guard([&] { entry(packed.data()); }))
    return std::nullopt;
  storage.read(results);
  return results;
}
