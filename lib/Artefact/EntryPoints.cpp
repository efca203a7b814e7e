//===- EntryPoints.cpp - Public functions of an artefact ------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"

#include "HostAccess.h"
#include "dietcode/Runtime/ElementType.h"
#include "dietcode/Runtime/Entry.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace mlir::dietcode;
namespace runtime = ::dietcode::runtime;

// The layout that the constants below have.
static_assert(sizeof(runtime::ValueType) == 32 && sizeof(void *) == 8);
static_assert(offsetof(runtime::ValueType, offset) == 24);
static_assert(sizeof(runtime::Artefact) == 32);
static_assert(offsetof(runtime::Artefact, load) == 16);
static_assert(sizeof(runtime::Entry) == 56);
static_assert(offsetof(runtime::Entry, arguments) == 24);
static_assert(offsetof(runtime::Entry, isDeviceOnly) == 48);
static_assert(runtime::dynamicExtent == ShapedType::kDynamic);

/// What host code calls, and what it calls in an artefact.
static constexpr std::pair<StringLiteral, StringLiteral> kRedirected[] = {
    {"mgpuMemAlloc", "dietcodeCallAlloc"},
    {"mgpuMemFree", "dietcodeCallFree"},
    {"mgpuStreamCreate", "dietcodeCallStreamCreate"},
    {"mgpuStreamDestroy", "dietcodeCallStreamDestroy"},
    {"malloc", "dietcodeCallHostAlloc"},
    {"free", "dietcodeCallHostFree"},
};

namespace {

/// Adds entry points to one module.
class EntryPointBuilder {
public:
  explicit EntryPointBuilder(llvm::Module &module)
      : module(module), context(module.getContext()), builder(context),
        pointer(builder.getPtrTy()) {}

  void addArtefact();
  void addEntry(const EntrySignature &entry);

private:
  /// The constructors or destructors of the module, which it has no longer: one
  /// for each module of kernels.
  SmallVector<llvm::Constant *> takeStructors(StringRef list);
  llvm::Constant *makeFunctionArray(ArrayRef<llvm::Constant *> functions,
                                    StringRef name);
  llvm::Constant *makeArray(ArrayRef<int64_t> values);
  llvm::Constant *makeTypes(ArrayRef<EntryValue> values);
  llvm::GlobalVariable *makeConstant(llvm::Constant *value,
                                     const llvm::Twine &name);
  llvm::Function *makeFunction(llvm::FunctionType *type,
                               const llvm::Twine &name);
  llvm::Function *addThunk(llvm::Function *body, const EntrySignature &entry);
  void loadArgument(const EntryValue &value, llvm::Value *from,
                    llvm::Function *body,
                    SmallVectorImpl<llvm::Value *> &operands);
  void addPublicFunction(const EntrySignature &entry, llvm::Constant *table);
  llvm::Type *getParameterType(const EntryValue &value);
  llvm::Value *addPointers(ArrayRef<llvm::Value *> pointers);
  llvm::Value *loadPointer(llvm::Value *array, unsigned index);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
  llvm::Constant *artefact = nullptr;
};

} // namespace

llvm::GlobalVariable *EntryPointBuilder::makeConstant(llvm::Constant *value,
                                                      const llvm::Twine &name) {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, value,
                                  name);
}

/// An empty function, at whose end the builder then is.
llvm::Function *EntryPointBuilder::makeFunction(llvm::FunctionType *type,
                                                const llvm::Twine &name) {
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::InternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  return function;
}

SmallVector<llvm::Constant *> EntryPointBuilder::takeStructors(StringRef list) {
  llvm::GlobalVariable *structors = module.getNamedGlobal(list);
  if (!structors)
    return {};
  SmallVector<llvm::Constant *> functions;
  for (llvm::Value *element :
       cast<llvm::ConstantArray>(structors->getInitializer())->operands())
    functions.push_back(
        cast<llvm::Function>(cast<llvm::Constant>(element)->getOperand(1)));
  structors->eraseFromParent();
  return functions;
}

llvm::Constant *
EntryPointBuilder::makeFunctionArray(ArrayRef<llvm::Constant *> functions,
                                     StringRef name) {
  if (functions.empty())
    return llvm::ConstantPointerNull::get(pointer);
  auto *type = llvm::ArrayType::get(pointer, functions.size());
  return makeConstant(llvm::ConstantArray::get(type, functions), name);
}

void EntryPointBuilder::addArtefact() {
  SmallVector<llvm::Constant *> load = takeStructors("llvm.global_ctors");
  SmallVector<llvm::Constant *> unload = takeStructors("llvm.global_dtors");
  assert(load.size() == unload.size() && "what is loaded is unloaded");
  auto *value = llvm::ConstantStruct::getAnon(
      {builder.getInt32(runtime::artefactAbiVersion),
       builder.getInt32(static_cast<uint32_t>(load.size())),
       builder.getInt32(0), makeFunctionArray(load, "artefact.load"),
       makeFunctionArray(unload, "artefact.unload")});
  artefact = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/false,
      llvm::GlobalValue::InternalLinkage, value, "artefact");
  llvm::Function *leave = makeFunction(
      llvm::FunctionType::get(builder.getVoidTy(), false), "artefact.leave");
  llvm::FunctionCallee unloadCall = module.getOrInsertFunction(
      "dietcodeUnload", builder.getVoidTy(), pointer);
  builder.CreateCall(unloadCall, {artefact});
  builder.CreateRetVoid();
  llvm::appendToGlobalDtors(module, leave, /*Priority=*/65535);
}

llvm::Constant *EntryPointBuilder::makeArray(ArrayRef<int64_t> values) {
  if (values.empty())
    return llvm::ConstantPointerNull::get(pointer);
  SmallVector<uint64_t> words(values.begin(), values.end());
  return makeConstant(llvm::ConstantDataArray::get(context, words), "extents");
}

llvm::Constant *EntryPointBuilder::makeTypes(ArrayRef<EntryValue> values) {
  if (values.empty())
    return llvm::ConstantPointerNull::get(pointer);
  SmallVector<llvm::Constant *> types;
  for (const EntryValue &value : values) {
    auto rank = value.isTensor ? static_cast<int32_t>(value.sizes.size()) : -1;
    // Strides of rank 0 are none, but have an offset.
    llvm::Constant *strides = !value.strides
                                  ? llvm::ConstantPointerNull::get(pointer)
                              : rank == 0 ? makeArray({0})
                                          : makeArray(*value.strides);
    types.push_back(llvm::ConstantStruct::getAnon(
        {builder.getInt32(value.dtype),
         builder.getInt32(static_cast<uint32_t>(rank)), makeArray(value.sizes),
         strides, builder.getInt64(static_cast<uint64_t>(value.offset))}));
  }
  return makeConstant(
      llvm::ConstantArray::get(
          llvm::ArrayType::get(types.front()->getType(), types.size()), types),
      "types");
}

llvm::Value *EntryPointBuilder::loadPointer(llvm::Value *array,
                                            unsigned index) {
  return builder.CreateLoad(
      pointer, builder.CreateConstInBoundsGEP1_64(pointer, array, index));
}

/// A memref is spread over parameters of the function, one for each word of its
/// descriptor.
void EntryPointBuilder::loadArgument(const EntryValue &value, llvm::Value *from,
                                     llvm::Function *body,
                                     SmallVectorImpl<llvm::Value *> &operands) {
  size_t words = value.isTensor ? 3 + 2 * value.sizes.size() : 1;
  for (size_t word = 0; word < words; ++word) {
    llvm::Type *type = body->getArg(operands.size())->getType();
    if (type->isIntegerTy(1)) {
      operands.push_back(builder.CreateTrunc(
          builder.CreateLoad(builder.getInt8Ty(), from), type));
      continue;
    }
    llvm::Value *at =
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), from, word);
    operands.push_back(builder.CreateLoad(type, at));
  }
}

/// Entry::call: from pointers to parameters and back.
llvm::Function *EntryPointBuilder::addThunk(llvm::Function *body,
                                            const EntrySignature &entry) {
  llvm::Function *thunk = makeFunction(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false),
      entry.name + ".call");
  SmallVector<llvm::Value *> operands;
  for (auto [index, value] : llvm::enumerate(entry.arguments))
    loadArgument(value, loadPointer(thunk->getArg(0), index), body, operands);
  llvm::Value *returned = builder.CreateCall(body, operands);
  for (auto [index, value] : llvm::enumerate(entry.results)) {
    llvm::Value *result = returned;
    if (entry.results.size() > 1)
      result = builder.CreateExtractValue(returned, index);
    if (result->getType()->isIntegerTy(1))
      result = builder.CreateZExt(result, builder.getInt8Ty());
    builder.CreateStore(result, loadPointer(thunk->getArg(1), index));
  }
  builder.CreateRetVoid();
  return thunk;
}

/// How C passes a value.
llvm::Type *EntryPointBuilder::getParameterType(const EntryValue &value) {
  if (value.isTensor)
    return pointer;
  if (value.dtype == DIETCODE_F32)
    return builder.getFloatTy();
  if (value.dtype == DIETCODE_F64)
    return builder.getDoubleTy();
  return builder.getIntNTy(8 * runtime::findElementType(value.dtype)->bytes);
}

/// An array of pointers on the stack.
llvm::Value *EntryPointBuilder::addPointers(ArrayRef<llvm::Value *> pointers) {
  llvm::Value *array = builder.CreateAlloca(
      pointer, builder.getInt32(static_cast<uint32_t>(pointers.size())));
  for (auto [index, value] : llvm::enumerate(pointers))
    builder.CreateStore(
        value, builder.CreateConstInBoundsGEP1_64(pointer, array, index));
  return array;
}

void EntryPointBuilder::addPublicFunction(const EntrySignature &entry,
                                          llvm::Constant *table) {
  SmallVector<llvm::Type *> parameters;
  for (const EntryValue &value : entry.arguments)
    parameters.push_back(getParameterType(value));
  parameters.append(entry.results.size() + 1, pointer);
  llvm::Function *function = makeFunction(
      llvm::FunctionType::get(builder.getInt32Ty(), parameters, false),
      entry.name);
  function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  function->setDSOLocal(false);
  SmallVector<llvm::Value *> arguments, results;
  for (auto [index, value] : llvm::enumerate(entry.arguments)) {
    llvm::Value *argument = function->getArg(index);
    if (!value.isTensor) {
      llvm::Value *place = builder.CreateAlloca(argument->getType());
      builder.CreateStore(argument, place);
      argument = place;
    }
    arguments.push_back(argument);
  }
  for (size_t index = 0; index < entry.results.size(); ++index)
    results.push_back(function->getArg(entry.arguments.size() + index));
  llvm::FunctionCallee invoke =
      module.getOrInsertFunction("dietcodeInvoke", builder.getInt32Ty(),
                                 pointer, pointer, pointer, pointer);
  llvm::Value *options = function->getArg(function->arg_size() - 1);
  builder.CreateRet(builder.CreateCall(
      invoke, {table, addPointers(arguments), addPointers(results), options}));
}

void EntryPointBuilder::addEntry(const EntrySignature &entry) {
  llvm::Function *body = module.getFunction(entry.name);
  body->setName(entry.name + ".body");
  llvm::Function *thunk = addThunk(body, entry);
  llvm::Constant *name = makeConstant(
      llvm::ConstantDataArray::getString(context, entry.name), "name");
  auto count = [&](ArrayRef<EntryValue> values) {
    return builder.getInt32(static_cast<uint32_t>(values.size()));
  };
  llvm::GlobalVariable *table = makeConstant(
      llvm::ConstantStruct::getAnon(
          {artefact, name, count(entry.arguments), count(entry.results),
           makeTypes(entry.arguments), makeTypes(entry.results), thunk,
           builder.getInt32(!mayAccessBuffers(*body))}),
      getTableName(entry.name));
  // For whoever loads the object; shared libraries do not show it.
  table->setLinkage(llvm::GlobalValue::ExternalLinkage);
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  addPublicFunction(entry, table);
}

std::string mlir::dietcode::getTableName(StringRef entry) {
  return (entry + ".entry").str();
}

void mlir::dietcode::addEntryPoints(llvm::Module &module,
                                    ArrayRef<EntrySignature> entries) {
  for (auto [from, to] : kRedirected)
    if (llvm::Function *function = module.getFunction(from);
        function && function->isDeclaration())
      function->setName(to);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration() && !global.hasAppendingLinkage())
      global.setLinkage(global.hasPrivateLinkage()
                            ? llvm::GlobalValue::PrivateLinkage
                            : llvm::GlobalValue::InternalLinkage);
  EntryPointBuilder builder(module);
  builder.addArtefact();
  for (const EntrySignature &entry : entries)
    builder.addEntry(entry);
}
