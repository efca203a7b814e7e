//===- InvokeTest.cpp - Calling functions of artefacts --------------------===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries whose host code is written by hand in place of compiled code.
//
//===----------------------------------------------------------------------===//

#include "dietcode/Runtime/Entry.h"
#include "dietcode/Runtime/Runtime.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace dietcode::runtime;

namespace {

/// A memref descriptor of rank 2.
struct Matrix {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];

  float &at(int64_t i, int64_t k) const {
    return aligned[offset + i * strides[0] + k * strides[1]];
  }
};

Matrix allocate(int64_t rows, int64_t columns) {
  auto *data = static_cast<float *>(
      dietcodeCallAlloc(static_cast<uint64_t>(rows * columns) * sizeof(float),
                        nullptr, /*isHostShared=*/true));
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

/// What the next call of `twice` does half-way.
void (*interruption)() = nullptr;

/// (tensor<?x4xf32>, f32) -> (tensor<?x4xf32>, tensor<?x4xf32>, i64): twice the
/// argument plus the scalar, the argument, and the number of rows.
void twice(void *const *arguments, void *const *results) {
  auto &in = *static_cast<Matrix *>(arguments[0]);
  float bias = *static_cast<float *>(arguments[1]);
  dietcodeCallFree(dietcodeCallAlloc(16, nullptr, true), nullptr);
  dietcodeCallHostFree(dietcodeCallHostAlloc(16));
  void *stream = dietcodeCallStreamCreate();
  Matrix out = allocate(in.sizes[0], 4);
  for (int64_t i = 0; i < in.sizes[0]; ++i)
    for (int64_t k = 0; k < 4; ++k)
      out.at(i, k) = 2 * in.at(i, k) + bias;
  dietcodeCallHostAlloc(16); // The runtime finds that it is forgotten.
  if (interruption)
    interruption();
  dietcodeCallStreamDestroy(stream);
  *static_cast<Matrix *>(results[0]) = out;
  *static_cast<Matrix *>(results[1]) = in;
  *static_cast<int64_t *>(results[2]) = in.sizes[0];
}

constexpr int64_t sizes[] = {dynamicExtent, 4};
constexpr ValueType matrixType = {DIETCODE_F32, 2, sizes, nullptr, 0};
constexpr ValueType argumentTypes[] = {matrixType,
                                       {DIETCODE_F32, -1, nullptr, nullptr, 0}};
constexpr ValueType resultTypes[] = {
    matrixType, matrixType, {DIETCODE_I64, -1, nullptr, nullptr, 0}};

Artefact artefact = {artefactAbiVersion, 0, 0, nullptr, nullptr};
constexpr Entry twiceEntry = {&artefact,     "twice",     2,     3,
                              argumentTypes, resultTypes, twice, 0};

/// One call of `twice`, as generated code makes it.
struct TwiceCall {
  int64_t sizes[2] = {3, 4};
  std::vector<float> data = std::vector<float>(12, 1.5f);
  dietcode_tensor in = {data.data(), DIETCODE_F32,  2,       sizes,
                        nullptr,     DIETCODE_HOST, nullptr, nullptr};
  float bias = 1;
  dietcode_tensor out = {}, same = {};
  int64_t rows = -1;
  const Entry *entry = &twiceEntry;
  const dietcode_call_options *options = nullptr;

  dietcode_status run() {
    const void *arguments[] = {&in, &bias};
    void *results[] = {&out, &same, &rows};
    return dietcodeInvoke(entry, arguments, results, options);
  }
  /// The error of a call that is refused.
  std::string refused() {
    out.data = &rows;
    EXPECT_EQ(run(), DIETCODE_INVALID_ARGUMENT);
    EXPECT_EQ(out.data, nullptr);
    EXPECT_EQ(out.release, nullptr);
    return dietcode_last_error();
  }
  ~TwiceCall() {
    dietcode_tensor_release(&out);
    dietcode_tensor_release(&same);
  }
};

TEST(Invoke, ReturnsWhatItAllocatesAndViews) {
  TwiceCall call;
  ASSERT_EQ(call.run(), DIETCODE_OK) << dietcode_last_error();
  EXPECT_EQ(call.rows, 3);
  ASSERT_EQ(call.out.rank, 2);
  EXPECT_EQ(call.out.sizes[0], 3);
  EXPECT_EQ(call.out.sizes[1], 4);
  EXPECT_EQ(call.out.strides[0], 4);
  EXPECT_EQ(call.out.dtype, DIETCODE_F32);
  EXPECT_EQ(call.out.memory, DIETCODE_DEVICE);
  EXPECT_EQ(static_cast<float *>(call.out.data)[11], 4.0f);
  EXPECT_EQ(call.same.data, call.data.data());
  EXPECT_EQ(call.same.memory, DIETCODE_HOST);
  dietcode_tensor_release(&call.out);
  EXPECT_EQ(call.out.data, nullptr);
  dietcode_tensor_release(&call.out);
  dietcode_tensor_release(&call.same);
  EXPECT_EQ(call.data[0], 1.5f);
}

TEST(Invoke, ResultsAreArguments) {
  TwiceCall first, second;
  ASSERT_EQ(first.run(), DIETCODE_OK);
  second.in = first.out;
  ASSERT_EQ(second.run(), DIETCODE_OK) << dietcode_last_error();
  EXPECT_EQ(static_cast<float *>(second.out.data)[0], 9.0f);
  EXPECT_EQ(second.same.memory, DIETCODE_DEVICE);
}

TEST(Invoke, TakesEmptyTensors) {
  TwiceCall call;
  call.sizes[0] = 0;
  call.in.data = nullptr;
  ASSERT_EQ(call.run(), DIETCODE_OK) << dietcode_last_error();
  EXPECT_EQ(call.rows, 0);
  EXPECT_EQ(call.out.sizes[0], 0);
}

TEST(Invoke, RefusesWhatDoesNotFit) {
  TwiceCall call;
  call.in.rank = 3;
  EXPECT_EQ(call.refused(), "twice: argument 0 has rank 3 instead of 2");
  call.in.rank = 2;
  call.in.dtype = DIETCODE_F16;
  EXPECT_EQ(call.refused(),
            "twice: argument 0 has elements of f16 instead of f32");
  call.in.dtype = static_cast<dietcode_dtype>(77);
  EXPECT_EQ(call.refused(),
            "twice: argument 0 has elements of unknown instead of f32");
  call.in.dtype = DIETCODE_F32;
  call.sizes[1] = 5;
  EXPECT_EQ(call.refused(),
            "twice: argument 0 has size 5 in dimension 1 instead of 4");
  call.sizes[1] = 4;
  call.sizes[0] = -1;
  EXPECT_EQ(call.refused(), "twice: argument 0 has size -1 in dimension 0; "
                            "sizes are not negative");
  call.sizes[0] = INT64_MAX;
  EXPECT_EQ(call.refused(), "twice: argument 0 has more elements than 64 bits "
                            "can count");
  call.sizes[0] = INT64_MAX / 4;
  EXPECT_EQ(call.refused(),
            "twice: argument 0 spans more than 64 bits can count");
  call.sizes[0] = 3;
  int64_t strides[] = {5, 1};
  call.in.strides = strides;
  EXPECT_EQ(call.refused(),
            "twice: argument 0 has stride 5 in dimension 0 instead of 4; the "
            "function takes dense tensors");
  call.in.strides = nullptr;
  call.in.sizes = nullptr;
  EXPECT_EQ(call.refused(),
            "twice: argument 0 has no sizes: they are a null pointer");
  call.in.sizes = call.sizes;
  call.in.data = nullptr;
  EXPECT_EQ(call.refused(), "twice: argument 0 has elements, but its data is a "
                            "null pointer");
  call.in.data = reinterpret_cast<char *>(call.data.data()) + 2;
  EXPECT_EQ(call.refused(), "twice: argument 0 is at an address that is no "
                            "multiple of its 4-byte elements");
  call.in.data = call.data.data();
  call.in.memory = static_cast<dietcode_memory>(9);
  EXPECT_EQ(call.refused(),
            "twice: argument 0 is in memory of the unknown kind 9; use "
            "DIETCODE_HOST or DIETCODE_DEVICE");
  call.in.memory = DIETCODE_HOST;
  EXPECT_EQ(call.run(), DIETCODE_OK);
}

TEST(Invoke, RefusesNullPointers) {
  TwiceCall call;
  const void *arguments[] = {nullptr, &call.bias};
  void *results[] = {&call.out, &call.same, nullptr};
  EXPECT_EQ(dietcodeInvoke(&twiceEntry, arguments, results, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(), "twice: result 2 is a null pointer");
  results[2] = &call.rows;
  EXPECT_EQ(dietcodeInvoke(&twiceEntry, arguments, results, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(), "twice: argument 0 is a null pointer");
}

TEST(Invoke, StridesOfSizeOneDoNotMatter) {
  TwiceCall call;
  int64_t strides[] = {-7, 1};
  call.in.strides = strides;
  call.sizes[0] = 1;
  EXPECT_EQ(call.run(), DIETCODE_OK) << dietcode_last_error();
}

/// (memref<?x4xf32, strided<[?, 1], offset: 2>>) -> f32: the last element.
void last(void *const *arguments, void *const *results) {
  auto &in = *static_cast<Matrix *>(arguments[0]);
  EXPECT_EQ(in.offset, 2);
  *static_cast<float *>(results[0]) = in.at(in.sizes[0] - 1, 3);
}

TEST(Invoke, TakesStridedBuffers) {
  static constexpr int64_t strides[] = {dynamicExtent, 1};
  constexpr ValueType strided = {DIETCODE_F32, 2, sizes, strides, 2};
  constexpr ValueType scalar = {DIETCODE_F32, -1, nullptr, nullptr, 0};
  Entry entry = {&artefact, "last", 1, 1, &strided, &scalar, last, 0};
  float data[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t given[] = {2, 4}, steps[] = {6, 1};
  dietcode_tensor in = {data,  DIETCODE_F32,  2,       given,
                        steps, DIETCODE_HOST, nullptr, nullptr};
  float out = 0;
  const void *arguments[] = {&in};
  void *results[] = {&out};
  ASSERT_EQ(dietcodeInvoke(&entry, arguments, results, nullptr), DIETCODE_OK)
      << dietcode_last_error();
  EXPECT_EQ(out, 9);
  steps[1] = 2;
  EXPECT_EQ(dietcodeInvoke(&entry, arguments, results, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(),
               "last: argument 0 has stride 2 in dimension 1 instead of 1");
  steps[1] = 1;
  steps[0] = -4;
  EXPECT_EQ(dietcodeInvoke(&entry, arguments, results, nullptr),
            DIETCODE_INVALID_ARGUMENT);
  EXPECT_STREQ(dietcode_last_error(),
               "last: argument 0 has stride -4 in dimension 0; "
               "strides are not negative");
}

TEST(Invoke, FailuresAreStatuses) {
  TwiceCall call;
  interruption = [] { reportFailure("no such kernel"); };
  EXPECT_EQ(call.run(), DIETCODE_DEVICE_ERROR);
  EXPECT_STREQ(dietcode_last_error(), "twice: no such kernel");
  EXPECT_EQ(call.out.release, nullptr);
  interruption = [] { reportFailure("out of bounds", FailureKind::Finding); };
  EXPECT_EQ(call.run(), DIETCODE_FINDING);
  interruption = [] { dietcodeShapeMismatch("f.mlir:1:2", 3, 4); };
  EXPECT_EQ(call.run(), DIETCODE_SHAPE_MISMATCH);
  EXPECT_STREQ(dietcode_last_error(), "twice: f.mlir:1:2: got 3, expected 4");
  interruption = [] { dietcodeCallAlloc(UINT64_MAX, nullptr, true); };
  EXPECT_EQ(call.run(), DIETCODE_OUT_OF_MEMORY);
  interruption = [] { dietcodeCallHostAlloc(UINT64_MAX); };
  EXPECT_EQ(call.run(), DIETCODE_OUT_OF_MEMORY);
  interruption = nullptr;
  EXPECT_EQ(call.run(), DIETCODE_OK);
}

/// An allocator that counts.
struct Counter {
  int64_t blocks = 0, bytes = 0, left = INT64_MAX;

  static void *allocate(void *context, size_t bytes) {
    auto &counter = *static_cast<Counter *>(context);
    if (counter.left-- <= 0)
      return nullptr;
    ++counter.blocks;
    counter.bytes += static_cast<int64_t>(bytes);
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
  }
  static void deallocate(void *context, void *pointer, size_t bytes) {
    auto &counter = *static_cast<Counter *>(context);
    --counter.blocks;
    counter.bytes -= static_cast<int64_t>(bytes);
    std::free(pointer);
  }
  dietcode_call_options options() {
    return {sizeof(dietcode_call_options),
            nullptr,
            allocate,
            deallocate,
            this,
            DIETCODE_HOST,
            /*asynchronous=*/0};
  }
};

TEST(Invoke, FailuresLeakNothing) {
  Counter counter;
  dietcode_call_options options = counter.options();
  TwiceCall call;
  call.options = &options;
  interruption = [] { reportFailure("half-way"); };
  EXPECT_EQ(call.run(), DIETCODE_DEVICE_ERROR);
  EXPECT_EQ(counter.blocks, 0);
  EXPECT_EQ(counter.bytes, 0);
  interruption = nullptr;
  for (int64_t left = 0; left < 2; ++left) {
    counter.left = left;
    EXPECT_EQ(call.run(), DIETCODE_OUT_OF_MEMORY);
    EXPECT_STREQ(dietcode_last_error(), "twice: out of memory: the allocator "
                                        "of the caller has none");
    EXPECT_EQ(counter.blocks, 0);
  }
  counter.left = INT64_MAX;
  EXPECT_EQ(call.run(), DIETCODE_OK);
  EXPECT_EQ(counter.blocks, 1);
  EXPECT_EQ(counter.bytes, 48);
  EXPECT_EQ(call.out.memory, DIETCODE_HOST);
  dietcode_tensor_release(&call.out);
  EXPECT_EQ(counter.blocks, 0);
}

TEST(Invoke, RefusesOptionsThatMeanNothing) {
  TwiceCall call;
  Counter counter;
  dietcode_call_options options = counter.options();
  call.options = &options;
  options.struct_size = 0;
  EXPECT_EQ(call.refused(), "twice: options: struct_size is 0; set it to "
                            "sizeof(dietcode_call_options), which is " +
                                std::to_string(sizeof(dietcode_call_options)));
  options = counter.options();
  options.asynchronous = 1;
  EXPECT_EQ(call.refused(), "twice: options: asynchronous is set without a "
                            "stream that the work could be waited for on");
  options = counter.options();
  options.deallocate = nullptr;
  EXPECT_EQ(call.refused(), "twice: options: allocate is given without "
                            "deallocate, or the other way round; give both or "
                            "neither");
  options = counter.options();
  options.allocated_memory = static_cast<dietcode_memory>(7);
  EXPECT_EQ(call.refused(), "twice: options: allocated_memory is neither "
                            "DIETCODE_HOST nor DIETCODE_DEVICE");
}

/// () -> (tensor<?x4xf32>, tensor<?x4xf32>), which are the same.
void same(void *const *, void *const *results) {
  *static_cast<Matrix *>(results[0]) = *static_cast<Matrix *>(results[1]) =
      allocate(1, 4);
}

TEST(Invoke, ResultsShareMemory) {
  Entry entry = {&artefact, "same", 0, 2, nullptr, resultTypes, same, 0};
  Counter counter;
  dietcode_call_options options = counter.options();
  dietcode_tensor first, second;
  void *results[] = {&first, &second};
  ASSERT_EQ(dietcodeInvoke(&entry, nullptr, results, &options), DIETCODE_OK);
  EXPECT_EQ(first.data, second.data);
  dietcode_tensor_release(&first);
  EXPECT_EQ(counter.blocks, 1);
  dietcode_tensor_release(&second);
  EXPECT_EQ(counter.blocks, 0);
}

TEST(Invoke, KernelsAreLoadedByTheFirstCallThatCan) {
  static int loads = 0, unloads = 0;
  static bool isThere = false;
  void (*load[])() = {[] {
    if (!isThere)
      reportFailure("the device is away");
    ++loads;
  }};
  void (*unload[])() = {[] { ++unloads; }};
  Artefact late = {artefactAbiVersion, 1, 0, load, unload};
  Entry entry = twiceEntry;
  entry.artefact = &late;
  TwiceCall call;
  call.entry = &entry;
  EXPECT_EQ(call.run(), DIETCODE_DEVICE_ERROR);
  EXPECT_STREQ(dietcode_last_error(), "twice: the device is away");
  dietcodeUnload(&late);
  EXPECT_EQ(unloads, 0);
  isThere = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      TwiceCall mine;
      mine.entry = &entry;
      EXPECT_EQ(mine.run(), DIETCODE_OK) << dietcode_last_error();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(loads, 1);
  dietcodeUnload(&late);
  dietcodeUnload(&late);
  EXPECT_EQ(unloads, 1);
}

TEST(Invoke, WhatIsLoadedIsNotLoadedAgain) {
  static std::string events;
  static bool isThere = false;
  void (*load[])() = {[] { events += "+a"; },
                      [] {
                        if (!isThere)
                          reportFailure("the device is away");
                        events += "+b";
                      }};
  void (*unload[])() = {[] { events += "-a"; }, [] { events += "-b"; }};
  Artefact two = {artefactAbiVersion, 2, 0, load, unload};
  Entry entry = twiceEntry;
  entry.artefact = &two;
  TwiceCall call;
  call.entry = &entry;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(call.run(), DIETCODE_DEVICE_ERROR);
  EXPECT_EQ(events, "+a");
  isThere = true;
  EXPECT_EQ(call.run(), DIETCODE_OK);
  EXPECT_EQ(events, "+a+b");
  dietcodeUnload(&two);
  EXPECT_EQ(events, "+a+b-b-a");
  isThere = false;
  TwiceCall again;
  again.entry = &entry;
  EXPECT_EQ(again.run(), DIETCODE_DEVICE_ERROR);
  dietcodeUnload(&two);
  EXPECT_EQ(events, "+a+b-b-a+a-a");
}

TEST(Invoke, ArtefactsOfOtherReleasesAreRefused) {
  Artefact old = {artefactAbiVersion + 1, 0, 0, nullptr, nullptr};
  Entry entry = twiceEntry;
  entry.artefact = &old;
  TwiceCall call;
  call.entry = &entry;
  EXPECT_EQ(call.run(), DIETCODE_ABI_MISMATCH);
  EXPECT_STREQ(dietcode_last_error(),
               "twice: the artefact is for version 4 of the runtime's "
               "interface, but the runtime has 3; link the runtime of the same "
               "release");
}

TEST(Invoke, ErrorsBelongToThreads) {
  TwiceCall call;
  call.in.rank = 1;
  EXPECT_EQ(call.run(), DIETCODE_INVALID_ARGUMENT);
  std::string before = dietcode_last_error();
  std::thread([] {
    EXPECT_STREQ(dietcode_last_error(), "");
    TwiceCall other;
    other.bias = 3;
    other.in.dtype = DIETCODE_I8;
    EXPECT_EQ(other.run(), DIETCODE_INVALID_ARGUMENT);
  }).join();
  EXPECT_EQ(dietcode_last_error(), before);
}

TEST(Invoke, StatusesHaveNames) {
  EXPECT_STREQ(dietcode_status_name(DIETCODE_OK), "ok");
  EXPECT_STREQ(dietcode_status_name(DIETCODE_ABI_MISMATCH), "ABI mismatch");
  EXPECT_STREQ(dietcode_status_name(static_cast<dietcode_status>(99)),
               "unknown status");
  EXPECT_EQ(dietcode_abi_version(),
            static_cast<uint32_t>(DIETCODE_ABI_VERSION));
}

} // namespace
