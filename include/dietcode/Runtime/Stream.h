/*===- Stream.h - The stream that programs run on ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the DietCode project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A caller of a compiled program may have a stream of its own, on which it   *|
|* prepares the operands and uses the results. C and C++.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DIETCODE_RUNTIME_STREAM_H
#define DIETCODE_RUNTIME_STREAM_H

#ifdef __cplusplus
extern "C" {
#endif

enum dietcodeStreamMode {
  /* The program waits for the stream wherever its host code may read what
     kernels have written, and so at its end. */
  dietcodeStreamWaits = 0,
  /* It never waits: the caller promises that the host code of the program
     reads and writes no buffer that a kernel writes or reads, and waits itself
     before it uses the results. */
  dietcodeStreamDeferred = 1
};

/* Programs that this thread calls run on `stream` until dietcodeResetStream: a
   CUstream (or cudaStream_t) of the device's primary context on CUDA, null
   being its default stream; on a virtual GPU, where everything is synchronous,
   anything. mgpuStreamCreate then returns this stream, and mgpuStreamDestroy
   leaves it alone, as do calls that give no stream. The stream stays the
   caller's, who destroys it only when nothing is left to do on it. Replaces a
   stream that was set before. */
void dietcodeSetStream(void *stream, enum dietcodeStreamMode mode);
void dietcodeResetStream(void);

#ifdef __cplusplus
}
#endif

#endif /* DIETCODE_RUNTIME_STREAM_H */
