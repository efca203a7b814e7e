/*===- dietcode-c/Artefact.h - Calling compiled functions ---------*- C -*-===*\
|*                                                                            *|
|* Part of the DietCode project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What the functions of an artefact, which dietcode-compile makes, take and  *|
|* return. Plain C, without LLVM or MLIR. For a function                      *|
|*                                                                            *|
|*   func.func @f(%x: tensor<?x768xf32>, %n: index) -> tensor<?xf32>          *|
|*                                                                            *|
|* the generated header declares                                              *|
|*                                                                            *|
|*   dietcode_status f(const dietcode_tensor *arg0, int64_t arg1,             *|
|*                     dietcode_tensor *result0,                              *|
|*                     const dietcode_call_options *options);                 *|
|*                                                                            *|
|* Tensors and memrefs are described by a dietcode_tensor; scalars are passed *|
|* by value and returned through a pointer. f16 and bf16 scalars are their    *|
|* bits as uint16_t. docs/artefacts.md has the rules and an example.          *|
|*                                                                            *|
|* Any thread may call any function at any time. A call that fails says why   *|
|* to dietcode_last_error of its thread, releases what it has allocated and   *|
|* leaves its results empty; the next call is not affected.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DIETCODE_C_ARTEFACT_H
#define DIETCODE_C_ARTEFACT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Grows when a program that was compiled with an older header could not call
 *  a newer artefact or runtime. */
#define DIETCODE_ABI_VERSION 3

/* In C++ as in C, a caller's value may be none of those that there are. */
#ifdef __cplusplus
#define DIETCODE_ENUM_TYPE : unsigned
#else
#define DIETCODE_ENUM_TYPE
#endif

typedef enum dietcode_status DIETCODE_ENUM_TYPE {
  DIETCODE_OK = 0,
  /** An argument is null, or has another rank, element type, size or layout
   *  than the function's type says. Nothing ran. */
  DIETCODE_INVALID_ARGUMENT = 1,
  /** Sizes that depend on each other do not fit. */
  DIETCODE_SHAPE_MISMATCH = 2,
  /** The device is absent, has no code in the artefact, or failed. */
  DIETCODE_DEVICE_ERROR = 3,
  /** A checker of the virtual GPU found something in a kernel. */
  DIETCODE_FINDING = 4,
  DIETCODE_OUT_OF_MEMORY = 5,
  /** The artefact was made for a runtime with another ABI. */
  DIETCODE_ABI_MISMATCH = 6,
  /** The compiler does not take the MLIR, or a file that it was given. */
  DIETCODE_COMPILE_ERROR = 7,
  /** The caller has asked for it to end. */
  DIETCODE_INTERRUPTED = 8,
  /** A mistake of this library; please report it. */
  DIETCODE_INTERNAL_ERROR = 9
} dietcode_status;

/** Element types. Zero is none, so that it is never right by accident. */
typedef enum dietcode_dtype DIETCODE_ENUM_TYPE {
  DIETCODE_F16 = 1,
  DIETCODE_BF16 = 2,
  DIETCODE_F32 = 3,
  DIETCODE_F64 = 4,
  DIETCODE_I1 = 5, /**< One byte each, 0 or 1. */
  DIETCODE_I8 = 6,
  DIETCODE_I16 = 7,
  DIETCODE_I32 = 8,
  DIETCODE_I64 = 9 /**< MLIR's index, too. */
} dietcode_dtype;

/** Where the elements of a tensor are. */
typedef enum dietcode_memory DIETCODE_ENUM_TYPE {
  /** Memory of the process. A call makes exactly these elements accessible to
   *  the device, and takes that back at its end. */
  DIETCODE_HOST = 0,
  /** Memory that the device can access as it is. */
  DIETCODE_DEVICE = 1
} dietcode_memory;

typedef struct dietcode_tensor {
  void *data;             /**< The first element; null only without elements. */
  dietcode_dtype dtype;   /**< Of an element. */
  int32_t rank;           /**< The number of sizes. */
  const int64_t *sizes;   /**< May be null if the rank is 0. */
  const int64_t *strides; /**< In elements; null: dense, in C order. */
  dietcode_memory memory; /**< Where `data` is. */
  /** Null but in results. A result that is a view of an argument, as where a
   *  function returns what it was given, leaves that alone. */
  void (*release)(struct dietcode_tensor *self);
  void *owner; /**< What `release` needs. */
} dietcode_tensor;

/** Gives back what a call returned, and empties the descriptor. Of a tensor
 *  that was released before or comes from a failed call there is nothing. */
static inline void dietcode_tensor_release(dietcode_tensor *tensor) {
  if (tensor && tensor->release)
    tensor->release(tensor);
}

/** May be null for the defaults. Starts as zeroes with `struct_size` set. */
typedef struct dietcode_call_options {
  size_t struct_size; /**< sizeof(dietcode_call_options). */
  /** The stream that kernels run on: on a GPU a CUstream of its primary
   * context, on a virtual device anything; null: one of the call's own. */
  void *stream;
  /** Where all memory comes from that the call allocates; both or neither.
   *  The device and the host must be able to access it, and it is aligned to
   *  256 bytes. Null says that there is none left. */
  void *(*allocate)(void *context, size_t bytes);
  void (*deallocate)(void *context, void *pointer, size_t bytes);
  void *allocator_context;
  dietcode_memory allocated_memory; /**< What `allocate` returns. */
  /** Zero: the work is complete when the call returns. Otherwise the call,
   * which must be given a stream, may return as soon as all of it is on the
   * stream, as if it were one kernel: results may be used, and arguments
   * changed or given back, by what is behind it on that stream, and by others
   * once they have waited for it. The call waits all the same where it has to
   * look into buffers, or where a tensor is in memory of the host. Memory that
   * it takes from `allocate` and gives back is then still in use on the stream.
   */
  int asynchronous;
} dietcode_call_options;

/** Why the last call of this thread that failed did: one line, never null. It
 *  is valid until the next call of this thread fails. */
const char *dietcode_last_error(void);

/** The name of a status, e.g. "shape mismatch". */
const char *dietcode_status_name(dietcode_status status);

/** DIETCODE_ABI_VERSION of the runtime that is linked. */
uint32_t dietcode_abi_version(void);

/** Chooses the device that kernels of this process run on, e.g. "virtual:t4" or
 *  "cuda:0", in place of the variable DIETCODE_DEVICE. A process has one:
 *  another one than it has already is DIETCODE_DEVICE_ERROR, as is one that
 *  is not there. */
dietcode_status dietcode_set_device(const char *name);

/** The device that kernels run on, e.g. "virtual:t4 (model, not a
 *  measurement)"; empty if there is none, or no memory for it. Valid until this
 * thread calls it again. */
const char *dietcode_device_name(void);

/** Waits until all that calls have put on a stream is done, which is as
 *  options.stream has it; null is the device's default stream. A kernel of an
 *  asynchronous call that has failed is DIETCODE_DEVICE_ERROR here. */
dietcode_status dietcode_synchronize(void *stream);

#ifdef __cplusplus
}
#endif

#endif /* DIETCODE_C_ARTEFACT_H */
