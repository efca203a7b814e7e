/*===- Call.c - Host cost of a call to a compiled entry -----------*- C -*-===*\
|*                                                                            *|
|* Part of the DietCode project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Calls @project of docs/examples/project.mlir with launches that do nothing:*|
|* checks, descriptors, the decision, the parameters of the kernel, and what  *|
|* the call allocates. Prints the best of several rounds.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "project.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { rounds = 20 };
static long launches;

/* In place of the runtime's: the object is linked into this program. */
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **params, void **extra, size_t paramCount);
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **params, void **extra, size_t paramCount) {
  (void)function, (void)gridX, (void)gridY, (void)gridZ, (void)blockX;
  (void)blockY, (void)blockZ, (void)sharedBytes, (void)stream, (void)params;
  (void)extra, (void)paramCount;
  ++launches;
}

static float x[64 * 32], w[16 * 32];
static _Alignas(256) char pool[1 << 16];

static void *allocate(void *context, size_t bytes) {
  (void)context;
  return bytes <= sizeof(pool) ? pool : NULL;
}
static void deallocate(void *context, void *pointer, size_t bytes) {
  (void)context, (void)pointer, (void)bytes;
}

/* Of the processor: others may use it, too. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Nanoseconds of a call. */
static double measure(int64_t rows, dietcode_memory memory,
                      const dietcode_call_options *options, long calls) {
  const int64_t sizes[] = {rows, 32}, weightSizes[] = {16, 32};
  dietcode_tensor input = {x, DIETCODE_F32, 2, sizes, NULL, memory, NULL, NULL};
  dietcode_tensor weights = {w,    DIETCODE_F32, 2,    weightSizes,
                             NULL, memory,       NULL, NULL};
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    double start = now();
    for (long i = 0; i < calls; ++i) {
      dietcode_tensor output;
      if (project(&input, &weights, &output, options) != DIETCODE_OK) {
        fprintf(stderr, "error: %s\n", dietcode_last_error());
        exit(1);
      }
      dietcode_tensor_release(&output);
    }
    double seconds = (now() - start) / (double)calls;
    best = seconds < best ? seconds : best;
  }
  return 1e9 * best;
}

int main(int argc, char **argv) {
  long calls = argc > 1 ? atol(argv[1]) : 20000;
  if (calls < 1) {
    fprintf(stderr, "error: the number of calls must be positive\n");
    return 1;
  }
  dietcode_call_options own = {0};
  own.struct_size = sizeof(own);
  own.allocate = allocate;
  own.deallocate = deallocate;
  own.allocated_memory = DIETCODE_DEVICE;
  printf("host cost of a call, launches do nothing, ns\n");
  printf("%8.0f  no rows, nothing to launch, memory of the device\n",
         measure(0, DIETCODE_DEVICE, NULL, calls));
  printf("%8.0f  37 rows, operands on the device, own allocator\n",
         measure(37, DIETCODE_DEVICE, &own, calls));
  printf("%8.0f  37 rows, operands on the device, memory of the device\n",
         measure(37, DIETCODE_DEVICE, NULL, calls));
  printf("%8.0f  37 rows, operands on the host, memory of the device\n",
         measure(37, DIETCODE_HOST, NULL, calls));
  return launches == 3 * rounds * calls ? 0 : 1;
}
