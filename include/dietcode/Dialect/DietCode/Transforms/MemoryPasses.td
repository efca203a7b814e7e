//===- MemoryPasses.td - Passes that decide where data lives *- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TRANSFORMS_MEMORYPASSES_TD
#define DIETCODE_TRANSFORMS_MEMORYPASSES_TD

include "mlir/Pass/PassBase.td"

def DietCodeAllocateOnDevicePass : Pass<"dietcode-allocate-on-device", "ModuleOp"> {
  let summary = "Allocate buffers where both the host and kernels reach them";
  let description = [{
    Frees each buffer at the end of the block that allocates it unless it
    outlives that block, and, in a module that launches kernels, turns allocations into `gpu.alloc host_shared`:
    host code around a kernel may read and write what the kernel does. A buffer
    that a function returns belongs to its caller, who frees it with the runtime.
    Constants are copied into buffers of their own where a kernel or the caller
    sees them, and so are `memref.alloca` moved, since both are memory of the
    host alone. A `memref.global` that is no constant cannot be copied, so a
    kernel that is given one is an error.

    A buffer that each iteration of an `scf.for` allocates for the next one is
    freed by that one, and the last of them like the loop's result.

    Example:

    ```mlir
    func.func @f(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %m: index) {
      %0 = memref.alloc(%m) : memref<?x32xf32>
      dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%0 : memref<?x32xf32>)
      return
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %m: index) {
      %0 = gpu.alloc host_shared (%m) : memref<?x32xf32>
      dietcode.matmul ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%0 : memref<?x32xf32>)
      %1 = gpu.wait async
      %2 = gpu.dealloc async [%1] %0 : memref<?x32xf32>
      gpu.wait [%2]
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def DietCodePlanMemoryPass : Pass<"dietcode-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Allocate the buffers of a call at once";
  let description = [{
    Makes the buffers that a call allocates and frees views of one allocation, the
    *arena*. Buffers of which one is not used any more when the other is first used
    share a *slot* of it; slots follow each other at multiples of 256 bytes. The host
    computes the size of each slot, the largest of its buffers, and their sum when the
    first buffer was to be allocated, from what is known there: the dimensions of
    arguments, as a rule.

    What is allocated in a branch counts if the branch will be run. Where that is not
    known yet, it has a slot only if all branches allocate as much. Buffers keep
    allocations of their own if they outlive the block that allocates them, such as
    results, if their size is not known in time, if their address goes where it is
    not followed, or if there is only one. Allocations that nobody uses are erased.

    Checkers of the virtual GPU watch allocations: in an arena, they do not see an
    access that ends in another buffer, nor one that reads what an earlier buffer
    has left there.

    Example: `%0` and `%2` are never needed at the same time.

    ```mlir
    func.func @f(%x: memref<100xf32>, %y: memref<100xf32>) {
      %0 = gpu.alloc host_shared () : memref<100xf32>
      memref.copy %x, %0 : memref<100xf32> to memref<100xf32>
      %1 = gpu.alloc host_shared () : memref<100xf32>
      memref.copy %0, %1 : memref<100xf32> to memref<100xf32>
      %2 = gpu.alloc host_shared () : memref<50xf32>
      %3 = memref.subview %1[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
      memref.copy %3, %2 : memref<50xf32, strided<[1]>> to memref<50xf32>
      memref.copy %1, %y : memref<100xf32> to memref<100xf32>
      gpu.dealloc %0 : memref<100xf32>
      gpu.dealloc %1 : memref<100xf32>
      gpu.dealloc %2 : memref<50xf32>
      return
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: memref<100xf32>, %y: memref<100xf32>) {
      %c0 = arith.constant 0 : index
      %c512 = arith.constant 512 : index
      %c1024 = arith.constant 1024 : index
      %arena = gpu.alloc host_shared (%c1024) : memref<?xi8>
      %0 = memref.view %arena[%c0][] : memref<?xi8> to memref<100xf32>
      memref.copy %x, %0 : memref<100xf32> to memref<100xf32>
      %1 = memref.view %arena[%c512][] : memref<?xi8> to memref<100xf32>
      memref.copy %0, %1 : memref<100xf32> to memref<100xf32>
      %2 = memref.view %arena[%c0][] : memref<?xi8> to memref<50xf32>
      %3 = memref.subview %1[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
      memref.copy %3, %2 : memref<50xf32, strided<[1]>> to memref<50xf32>
      memref.copy %1, %y : memref<100xf32> to memref<100xf32>
      %4 = gpu.wait async
      %5 = gpu.dealloc async [%4] %arena : memref<?xi8>
      gpu.wait [%5]
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def DietCodeLowerReshapesPass : Pass<"dietcode-lower-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Expand a dimension into several dynamic ones";
  let description = [{
    Replaces `memref.expand_shape` by `memref.reinterpret_cast` where a group has
    more than one dynamic size, for which MLIR's `expand-strided-metadata` crashes
    (LLVM 22.1).

    Example:

    ```mlir
    func.func @f(%a: memref<?x24xf32>, %b: index, %t: index) -> memref<?x?x24xf32> {
      %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 24]
          : memref<?x24xf32> into memref<?x?x24xf32>
      return %e : memref<?x?x24xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: memref<?x24xf32>, %b: index, %t: index) -> memref<?x?x24xf32> {
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
          : memref<?x24xf32> -> memref<f32>, index, index, index, index, index
      %outer = arith.muli %strides#0, %t : index
      %e = memref.reinterpret_cast %base to offset: [0], sizes: [%b, %t, 24], strides: [%outer, 24, 1]
          : memref<f32> to memref<?x?x24xf32>
      return %e : memref<?x?x24xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def DietCodeLowerCopiesPass : Pass<"dietcode-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Copy strided buffers without a runtime function";
  let description = [{
    Replaces `memref.copy` between buffers of which one is not contiguous by a
    `linalg.generic`. MLIR would lower it to a call of `memrefCopy`, which only
    its own runner has.

    Example:

    ```mlir
    func.func @f(%a: memref<?x64xf32, strided<[128, 1]>>, %b: memref<?x64xf32>) {
      memref.copy %a, %b : memref<?x64xf32, strided<[128, 1]>> to memref<?x64xf32>
      return
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: memref<?x64xf32, strided<[128, 1]>>, %b: memref<?x64xf32>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                      iterator_types = ["parallel", "parallel"]}
          ins(%a : memref<?x64xf32, strided<[128, 1]>>) outs(%b : memref<?x64xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

#endif // DIETCODE_TRANSFORMS_MEMORYPASSES_TD
