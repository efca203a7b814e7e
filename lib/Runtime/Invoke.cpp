//===- Invoke.cpp - Calling functions of artefacts ------------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that owns something lives outside of the guarded calls, which a
// failure leaves by longjmp.
//
//===----------------------------------------------------------------------===//

#include "CallResults.h"
#include "TensorChecks.h"
#include "dietcode/Runtime/Runtime.h"
#include <algorithm>
#include <exception>
#include <mutex>
#include <new>

using namespace dietcode;
using namespace dietcode::runtime;

#define DIETCODE_EXPORT __attribute__((visibility("default")))

extern "C" void mgpuStreamSynchronize(void *stream);

namespace {

thread_local std::string lastError;

/// Why a call failed.
struct CallFailure {
  dietcode_status status;
  std::string message;
};
using CallOutcome = tl::expected<void, CallFailure>;

tl::unexpected<CallFailure> failCall(dietcode_status status,
                                     std::string message) {
  return tl::unexpected<CallFailure>({status, std::move(message)});
}

dietcode_status statusOf(FailureKind kind) {
  switch (kind) {
  case FailureKind::Finding:
    return DIETCODE_FINDING;
  case FailureKind::Shape:
    return DIETCODE_SHAPE_MISMATCH;
  case FailureKind::OutOfMemory:
    return DIETCODE_OUT_OF_MEMORY;
  case FailureKind::Error:
    break;
  }
  return DIETCODE_DEVICE_ERROR;
}

/// One call of an entry.
class Call {
public:
  Call(const Entry &entry, const void *const *arguments, void *const *results,
       const dietcode_call_options *given)
      : entry(entry), arguments(arguments), results(results) {
    if (given)
      options = *given;
  }
  ~Call();

  CallOutcome run();

private:
  /// Host memory that is lent to the device for the call.
  struct LentMemory {
    void *pointer;
    uint64_t bytes;
    std::string label;
  };

  CallOutcome checkOptions() const;
  void placeDescriptors();
  CallOutcome describeArgument(uint32_t index);
  CallOutcome emptyResults();
  bool lend(RuntimeFailure &failure);
  dietcodeStreamMode streamMode() const;
  void fillResults(CallContext &context);

  const Entry &entry;
  const void *const *arguments;
  void *const *results;
  dietcode_call_options options = {sizeof(dietcode_call_options),
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   DIETCODE_HOST,
                                   /*asynchronous=*/0};
  std::vector<int64_t> words; ///< Of all descriptors.
  std::vector<void *> slots;  ///< What the function takes, then its results.
  std::vector<LentMemory> lent;
  size_t registered = 0; ///< Of `lent`.
};

std::mutex &loadMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

/// Loads the kernels at the first call. What fails is tried again by the next,
/// from the module that failed: the device may be there then.
CallOutcome load(Artefact &artefact) {
  if (__atomic_load_n(&artefact.loadedCount, __ATOMIC_ACQUIRE) ==
      artefact.moduleCount)
    return {};
  std::lock_guard<std::mutex> lock(loadMutex());
  for (uint32_t i = artefact.loadedCount; i < artefact.moduleCount; ++i) {
    RuntimeFailure failure;
    if (!guardedCall(artefact.load[i], &failure))
      return failCall(statusOf(failure.kind), std::move(failure.message));
    __atomic_store_n(&artefact.loadedCount, i + 1, __ATOMIC_RELEASE);
  }
  return {};
}

CallOutcome checkVersion(const Artefact &artefact) {
  if (artefact.abiVersion == artefactAbiVersion)
    return {};
  return failCall(DIETCODE_ABI_MISMATCH,
                  "the artefact is for version " +
                      std::to_string(artefact.abiVersion) +
                      " of the runtime's interface, but the runtime has " +
                      std::to_string(artefactAbiVersion) +
                      "; link the runtime of the same release");
}

} // namespace

void dietcode::runtime::setLastError(std::string message) {
  lastError = std::move(message);
}

Call::~Call() {
  for (size_t i = 0; i < registered; ++i)
    guardedCall([&] { unregisterHostMemory(lent[i].pointer); }, nullptr);
}

CallOutcome Call::checkOptions() const {
  if (options.struct_size != sizeof(dietcode_call_options))
    return failCall(DIETCODE_INVALID_ARGUMENT,
                    "options: struct_size is " +
                        std::to_string(options.struct_size) +
                        "; set it to sizeof(dietcode_call_options), which is " +
                        std::to_string(sizeof(dietcode_call_options)));
  if (options.asynchronous && !options.stream)
    return failCall(DIETCODE_INVALID_ARGUMENT,
                    "options: asynchronous is set without a stream that the "
                    "work could be waited for on");
  if (!options.allocate != !options.deallocate)
    return failCall(DIETCODE_INVALID_ARGUMENT,
                    "options: allocate is given without deallocate, or the "
                    "other way round; give both or neither");
  if (options.allocated_memory != DIETCODE_HOST &&
      options.allocated_memory != DIETCODE_DEVICE)
    return failCall(DIETCODE_INVALID_ARGUMENT,
                    "options: allocated_memory is neither DIETCODE_HOST nor "
                    "DIETCODE_DEVICE");
  return {};
}

/// Lays out the descriptors of all tensors; scalars stay where they are.
void Call::placeDescriptors() {
  size_t count = 0;
  auto reserve = [&](const ValueType &type) {
    count += type.rank < 0 ? 0 : descriptorWords(type.rank);
  };
  std::for_each_n(entry.arguments, entry.argumentCount, reserve);
  std::for_each_n(entry.results, entry.resultCount, reserve);
  words.resize(count);
  slots.reserve(entry.argumentCount + entry.resultCount);
  int64_t *next = words.data();
  auto place = [&](const ValueType &type, const void *value) {
    if (type.rank < 0)
      return slots.push_back(const_cast<void *>(value));
    slots.push_back(next);
    next += descriptorWords(type.rank);
  };
  for (uint32_t i = 0; i < entry.argumentCount; ++i)
    place(entry.arguments[i], arguments[i]);
  for (uint32_t i = 0; i < entry.resultCount; ++i)
    place(entry.results[i], results[i]);
}

CallOutcome Call::describeArgument(uint32_t index) {
  const ValueType &type = entry.arguments[index];
  auto invalid = [&](const std::string &what) {
    return failCall(DIETCODE_INVALID_ARGUMENT,
                    "argument " + std::to_string(index) + " " + what);
  };
  if (!arguments[index])
    return invalid("is a null pointer");
  if (type.rank < 0)
    return {};
  const auto &tensor = *static_cast<const dietcode_tensor *>(arguments[index]);
  Expected<uint64_t> bytes =
      describeTensor(type, tensor, static_cast<int64_t *>(slots[index]));
  if (!bytes)
    return invalid(bytes.error().message);
  if (*bytes > 0 && tensor.memory == DIETCODE_HOST)
    lent.push_back({tensor.data, *bytes, "argument " + std::to_string(index)});
  return {};
}

/// So that releasing what a failed call has returned does nothing.
CallOutcome Call::emptyResults() {
  CallOutcome outcome;
  for (uint32_t i = 0; i < entry.resultCount; ++i) {
    if (!results[i])
      outcome = failCall(DIETCODE_INVALID_ARGUMENT,
                         "result " + std::to_string(i) + " is a null pointer");
    else if (entry.results[i].rank >= 0)
      *static_cast<dietcode_tensor *>(results[i]) = {};
  }
  return outcome;
}

/// Each under a guard of its own: what succeeds is for ~Call to take back.
bool Call::lend(RuntimeFailure &failure) {
  for (const LentMemory &memory : lent) {
    auto call = [&] {
      registerHostMemory(memory.pointer, memory.bytes, memory.label);
    };
    if (!guardedCall(call, &failure))
      return false;
    ++registered;
  }
  return true;
}

/// What is lent has to come back, and what the host looks at has to be there.
dietcodeStreamMode Call::streamMode() const {
  bool isHostAllocated =
      options.allocate && options.allocated_memory == DIETCODE_HOST;
  bool isDeferred = options.asynchronous && entry.isDeviceOnly &&
                    lent.empty() && !isHostAllocated;
  return isDeferred ? dietcodeStreamDeferred : dietcodeStreamWaits;
}

void Call::fillResults(CallContext &context) {
  CallResults filled(context, options);
  for (uint32_t i = 0; i < entry.resultCount; ++i) {
    const ValueType &type = entry.results[i];
    if (type.rank < 0)
      continue;
    auto *descriptor =
        static_cast<const int64_t *>(slots[entry.argumentCount + i]);
    auto &tensor = *static_cast<dietcode_tensor *>(results[i]);
    filled.add(type, descriptor, tensor);
    // A view of an argument is where the argument is.
    for (uint32_t k = 0; k < entry.argumentCount; ++k)
      if (entry.arguments[k].rank >= 0 &&
          *static_cast<int64_t *>(slots[k]) == *descriptor)
        tensor.memory =
            static_cast<const dietcode_tensor *>(arguments[k])->memory;
  }
}

CallOutcome Call::run() {
  if (CallOutcome empty = emptyResults(); !empty)
    return empty;
  if (CallOutcome valid = checkOptions(); !valid)
    return valid;
  placeDescriptors();
  for (uint32_t i = 0; i < entry.argumentCount; ++i)
    if (CallOutcome described = describeArgument(i); !described)
      return described;
  if (CallOutcome loaded = load(*entry.artefact); !loaded)
    return loaded;
  CallContext context(options, streamMode());
  RuntimeFailure failure;
  void *const *outputs = slots.data() + entry.argumentCount;
  auto body = [&] { entry.call(slots.data(), outputs); };
  if (!lend(failure) || !guardedCall(body, &failure))
    return failCall(context.isAllocating() ? DIETCODE_OUT_OF_MEMORY
                                           : statusOf(failure.kind),
                    std::move(failure.message));
  try {
    fillResults(context);
  } catch (...) {
    for (uint32_t i = 0; i < entry.resultCount; ++i)
      if (entry.results[i].rank >= 0)
        dietcode_tensor_release(static_cast<dietcode_tensor *>(results[i]));
    throw;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What artefacts call
//===----------------------------------------------------------------------===//

DIETCODE_EXPORT void dietcodeUnload(Artefact *artefact) {
  std::lock_guard<std::mutex> lock(loadMutex());
  for (; artefact->loadedCount > 0; --artefact->loadedCount)
    guardedCall(artefact->unload[artefact->loadedCount - 1], nullptr);
}

DIETCODE_EXPORT dietcode_status
dietcodeInvoke(const Entry *entry, const void *const *arguments,
               void *const *results, const dietcode_call_options *options) {
  try {
    CallOutcome outcome = checkVersion(*entry->artefact);
    if (outcome)
      outcome = Call(*entry, arguments, results, options).run();
    if (outcome)
      return DIETCODE_OK;
    lastError = entry->name;
    lastError += ": " + outcome.error().message;
    return outcome.error().status;
  } catch (const std::exception &) {
    // Nothing but std::bad_alloc; so short a text needs no memory.
    lastError = "out of memory";
    return DIETCODE_OUT_OF_MEMORY;
  }
}

//===----------------------------------------------------------------------===//
// C interface
//===----------------------------------------------------------------------===//

DIETCODE_EXPORT const char *dietcode_last_error(void) {
  return lastError.c_str();
}

DIETCODE_EXPORT const char *dietcode_status_name(dietcode_status status) {
  switch (status) {
  case DIETCODE_OK:
    return "ok";
  case DIETCODE_INVALID_ARGUMENT:
    return "invalid argument";
  case DIETCODE_SHAPE_MISMATCH:
    return "shape mismatch";
  case DIETCODE_DEVICE_ERROR:
    return "device error";
  case DIETCODE_FINDING:
    return "finding";
  case DIETCODE_OUT_OF_MEMORY:
    return "out of memory";
  case DIETCODE_ABI_MISMATCH:
    return "ABI mismatch";
  case DIETCODE_COMPILE_ERROR:
    return "compile error";
  case DIETCODE_INTERRUPTED:
    return "interrupted";
  case DIETCODE_INTERNAL_ERROR:
    return "internal error";
  }
  return "unknown status";
}

DIETCODE_EXPORT uint32_t dietcode_abi_version(void) {
  return DIETCODE_ABI_VERSION;
}

DIETCODE_EXPORT dietcode_status dietcode_set_device(const char *name) {
  try {
    if (!name || !*name) {
      lastError = "dietcode_set_device: the name is empty";
      return DIETCODE_INVALID_ARGUMENT;
    }
    Expected<void> chosen = chooseDevice(name);
    if (chosen)
      return DIETCODE_OK;
    lastError = "dietcode_set_device: " + chosen.error().message;
    return DIETCODE_DEVICE_ERROR;
  } catch (const std::exception &) {
    lastError = "out of memory";
    return DIETCODE_OUT_OF_MEMORY;
  }
}

DIETCODE_EXPORT const char *dietcode_device_name(void) {
  thread_local std::string name;
  try {
    name = deviceDescription();
  } catch (const std::bad_alloc &) {
    name.clear();
  }
  return name.c_str();
}

DIETCODE_EXPORT dietcode_status dietcode_synchronize(void *stream) {
  try {
    dietcode_call_options options = {};
    options.stream = stream;
    CallContext context(options, dietcodeStreamWaits);
    RuntimeFailure failure;
    if (guardedCall([] { mgpuStreamSynchronize(nullptr); }, &failure))
      return DIETCODE_OK;
    lastError = "dietcode_synchronize: " + failure.message;
    return statusOf(failure.kind);
  } catch (const std::exception &) {
    lastError = "out of memory";
    return DIETCODE_OUT_OF_MEMORY;
  }
}
