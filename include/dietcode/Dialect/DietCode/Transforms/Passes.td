//===- Passes.td - Passes within the dietcode dialect ------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TRANSFORMS_PASSES_TD
#define DIETCODE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DietCodeAttachDevicePass : Pass<"dietcode-attach-device", "ModuleOp"> {
  let summary = "Say which device a module is for";
  let description = [{
    Attaches a `#dietcode.device` to the module, which the passes that select and
    generate micro-kernels read. A module that has one keeps it; options that ask for
    another one are an error then.

    Example: `--dietcode-attach-device` turns

    ```mlir
    module {
    }
    ```

    into

    ```mlir
    module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
    }
    ```
  }];
  let dependentDialects = ["::mlir::dietcode::DietCodeDialect"];
  let options = [
    Option<"device", "device", "std::string", "\"\"",
           "Entry of the device table (default: the module's, or else t4)">,
    Option<"chip", "chip", "std::string", "\"\"",
           "Architecture to generate code for (default: the module's, or else that "
           "of the device)">,
  ];
}

def DietCodeBindShapesPass : Pass<"dietcode-bind-shapes", "ModuleOp"> {
  let summary = "Bind every dynamic dimension of an operator to shape variables";
  let description = [{
    Makes the shape of every operand of every operator known as a function of
    shape variables. Declared bindings are followed through `tensor.dim`,
    `tensor.empty`, casts and destination-passing operations. A dimension that
    nothing is known about is bound with a new `dietcode.bind_shape`: to the
    expression that the operator needs it to be equal to where there is one, so
    that it becomes a run-time check, and else to a new `dietcode.shape_var` with
    the default range.

    Two known dimensions that an operator needs to be equal, and that can never
    be, are an error.

    Example:

    ```mlir
    func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
      %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
      return %0 : tensor<?x32xf32>
    }
    ```

    becomes

    ```mlir
    dietcode.shape_var @f_m range [1, 4096]
    func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
      dietcode.bind_shape %a [@f_m], affine_map<()[s0] -> (s0, 64)> : tensor<?x64xf32>
      dietcode.bind_shape %c [@f_m], affine_map<()[s0] -> (s0, 32)> : tensor<?x32xf32>
      %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
      return %0 : tensor<?x32xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::dietcode::DietCodeDialect"];
  let options = [
    Option<"defaultLower", "default-lower", "int64_t", "1",
           "Lower bound of a shape variable that nothing is declared about">,
    Option<"defaultUpper", "default-upper", "int64_t", "4096",
           "Upper bound of a shape variable that nothing is declared about">,
  ];
}

def DietCodeFuseRowwisePass : Pass<"dietcode-fuse-rowwise"> {
  let summary = "Fuse rowwise operators with those that use their results";
  let description = [{
    Makes one `dietcode.rowwise` of two of which one reads the results of the
    other in the same block, so that these never go through memory. The
    iteration space of one must contain that of the other; a producer that
    reduces must keep its rows and columns, of which there must provably be as
    many: by static sizes, because both read one operand, or by what
    `dietcode.bind_shape` says. Results that others use later stay results.

    Softmax, with the scale and mask before it, and normalisations become one
    operator, whose kernel reads each element once.

    Example:

    ```mlir
    func.func @f(%x: tensor<?x?xf32>, %max: tensor<?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%max : tensor<?xf32>)
          maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>] do {
      ^bb0(%e: f32):
        %2 = dietcode.reduce_row maximumf %e : f32
        dietcode.yield %2 : f32
      } -> tensor<?xf32>
      %1 = dietcode.rowwise ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%init : tensor<?x?xf32>)
          maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>] do {
      ^bb0(%e: f32, %m: f32):
        %2 = arith.subf %e, %m : f32
        dietcode.yield %2 : f32
      } -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<?x?xf32>, %max: tensor<?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = dietcode.rowwise ins(%x : tensor<?x?xf32>) outs(%init : tensor<?x?xf32>)
          maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>] do {
      ^bb0(%e: f32):
        %1 = dietcode.reduce_row maximumf %e : f32
        %2 = arith.subf %e, %1 : f32
        dietcode.yield %2 : f32
      } -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::dietcode::DietCodeDialect", "::mlir::tensor::TensorDialect"];
}

def DietCodeSelectMicroKernelsPass : Pass<"dietcode-select-micro-kernels", "ModuleOp"> {
  let summary = "Select micro-kernels for each operator and build its dispatch";
  let description = [{
    For each operator whose shape is bound and that has no dispatch yet, chooses
    at most `max-kernels` schedules that together lose the least time over the
    declared range, by the analytical cost model of the device, and records them
    as `dietcode.micro_kernel` and `dietcode.dispatch`. The instances of the
    function's workload count as much as the rest of the range together.

    The choice and its regret (predicted time over that of the best candidate,
    minus one) are reported as remarks of the category `dietcode`; a regret
    above `max-regret` is an error.

    Values of the shape variables that make a dimension negative are no shapes,
    and are not considered; a workload instance with one, a range in which there
    is nothing else, and one that 64-bit integers do not hold are errors.

    Example: with `max-kernels=2`,

    ```mlir
    module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
      dietcode.shape_var @M range [1, 512]
      func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
        dietcode.bind_shape %a [@M], affine_map<()[m] -> (m, 64)> : tensor<?x64xf32>
        dietcode.bind_shape %c [@M], affine_map<()[m] -> (m, 32)> : tensor<?x32xf32>
        %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
        return %0 : tensor<?x32xf32>
      }
    }
    ```

    gains a dispatch to which its operator refers with `dispatch(@f_matmul)`, such as

    ```mlir
    dietcode.micro_kernel @simt_16x32x32_2x4 #dietcode.schedule<block = [16, 32, 32], thread = [2, 4]> predicted 3.38e12
    dietcode.micro_kernel @simt_8x16x32_1x4 #dietcode.schedule<block = [8, 16, 32], thread = [1, 4]> predicted 1.80e12
    dietcode.dispatch @f_matmul on (m in [1, 512]) {
      case m in [1, 320] -> @simt_8x16x32_1x4
      case m in [321, 512] -> @simt_16x32x32_2x4
      otherwise -> @simt_8x16x32_1x4
    }
    ```
  }];
  let dependentDialects = ["::mlir::dietcode::DietCodeDialect"];
  let options = [
    Option<"maxKernels", "max-kernels", "unsigned", "8",
           "Most micro-kernels that one operator may use">,
    Option<"maxRegret", "max-regret", "double", "-1.0",
           "Largest predicted regret at any shape of the range that is "
           "accepted, e.g. 0.25 (default: any)">,
  ];
}

def DietCodeInsertShapeChecksPass : Pass<"dietcode-insert-shape-checks", "ModuleOp"> {
  let summary = "Turn shape bindings into run-time checks";
  let description = [{
    Replaces each `dietcode.bind_shape` by comparisons of the dimensions at run
    time. The first dimension from which the value of a shape variable can be
    read defines it; every other one must agree. A dimension that does not calls
    `dietcodeShapeMismatch` of the runtime with a message that has the location,
    the dimension, its size and the size that was expected. What the types prove
    needs no check. What a `tensor.cast` makes static, that slices end within what
    they are of, and that the operands of a `tensor.concat` are equally long is checked
    as well: code is generated for it.

    With `report-misses`, a call with a shape variable that is out of its range, or
    no multiple of what it was declared to be, is served all the same, but calls
    `dietcodeShapeMiss` of the runtime, which counts it for the next tuning run.

    Example:

    ```mlir
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x?xf32>) {
      dietcode.bind_shape %x [@T], affine_map<()[t] -> (t, t + 1)> : tensor<?x?xf32>
      return
    }
    ```

    reads `t` from the first dimension, checks the second, and becomes

    ```mlir
    llvm.func @dietcodeShapeMismatch(!llvm.ptr, i64, i64)
    llvm.mlir.global internal constant @dietcode_shape_message("<stdin>:2:14: dimension 1 of argument 0 of @f does not fit the other operands\00") {addr_space = 0 : i32}
    dietcode.shape_var @T range [1, 128]
    func.func @f(%x: tensor<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %t = tensor.dim %x, %c0 : tensor<?x?xf32>
      %c1 = arith.constant 1 : index
      %expected = arith.addi %t, %c1 : index
      %c1_0 = arith.constant 1 : index
      %actual = tensor.dim %x, %c1_0 : tensor<?x?xf32>
      %differs = arith.cmpi ne, %actual, %expected : index
      scf.if %differs {
        %message = llvm.mlir.addressof @dietcode_shape_message : !llvm.ptr
        %0 = arith.index_cast %actual : index to i64
        %1 = arith.index_cast %expected : index to i64
        llvm.call @dietcodeShapeMismatch(%message, %0, %1) : (!llvm.ptr, i64, i64) -> ()
      }
      return
    }
    ```
  }];
  let options = [
    Option<"reportMisses", "report-misses", "bool", "false",
           "Count calls with shapes outside of the declared ranges">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect"];
}

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

def DietCodeAttachNVVMTargetPass : Pass<"dietcode-attach-nvvm-target", "ModuleOp"> {
  let summary = "Say how the kernels of a module are compiled";
  let description = [{
    Attaches an `#nvvm.target` for the chip of the module's device to each
    `gpu.module` that has no target, and drops the `dietcode.device` of the
    module: from here on stock tools can read it. The PTX ISA is checked here, since the back
    end aborts on one that does not know the chip.

    `more-chips` adds a target for each of them. The kernels are those that were
    generated for the device's chip, so these must not be older than it; what they
    get is machine code of their own.

    Example:

    ```mlir
    module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
      gpu.module @kernels {
      }
    }
    ```

    becomes

    ```mlir
    module {
      gpu.module @kernels [#nvvm.target<chip = "sm_75", features = "+ptx65">] {
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"ptxVersion", "ptx-version", "unsigned", "0",
           "PTX ISA, e.g. 65 for 6.5 (default: the first that knows the chip, "
           "at least 6.5)">,
    Option<"optLevel", "opt-level", "unsigned", "2",
           "Optimization level of the kernels, 0 to 3">,
    ListOption<"moreChips", "more-chips", "std::string",
               "Newer architectures that the kernels are compiled for as well">,
  ];
}

def DietCodeExpandMathPass : Pass<"dietcode-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand math functions in kernels to arithmetic";
  let description = [{
    Replaces `math` operations, which NVVM would lower to calls of libdevice: by
    arithmetic of documented accuracy (docs/math.md), such as `math.erf`,
    `math.tanh` and `math.exp`, or by an intrinsic that the GPU has instructions
    for, such as `math.fma`, `math.sqrt` and `math.ctlz`. One that has neither is
    an error, since PTX with an unresolved call cannot be loaded.

    Functions are expanded for f32, at most 2 ulp from the exact value. On f16 and
    bf16 they are computed in f32 and rounded once, on vectors element by element.
    f64 has what has instructions, `math.rsqrt`, `math.round`, `math.clampf`, and the
    classes of numbers. Fast-math flags of an operation do not change its expansion.
    `1 / (1 + exp(-x))` becomes one function, which does not overflow on the way.

    Example:

    ```mlir
    gpu.module @kernels {
      func.func @f(%x: f32, %y: f32) -> f32 {
        %0 = math.fma %x, %y, %x : f32
        %1 = math.sqrt %0 : f32
        return %1 : f32
      }
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      func.func @f(%x: f32, %y: f32) -> f32 {
        %0 = llvm.call_intrinsic "llvm.fma"(%x, %y, %x) : (f32, f32, f32) -> f32
        %1 = llvm.call_intrinsic "llvm.sqrt"(%0) : (f32) -> f32
        return %1 : f32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
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

def DietCodeDropCompileTimesPass : Pass<"dietcode-drop-compile-times", "ModuleOp"> {
  let summary = "Forget how long compiling kernels took";
  let description = [{
    MLIR notes on each object of a `gpu.binary` how many milliseconds it took to
    compile. Without that, the same input gives the same output.

    Example:

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_75">, properties = {LLVMIRToISATimeInMs = 4 : i64, O = 2 : i32}, assembly = "">]
    ```

    becomes

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_75">, properties = {O = 2 : i32}, assembly = "">]
    ```
  }];
}

def DietCodeLowerAssertionsPass : Pass<"dietcode-lower-assertions", "ModuleOp"> {
  let summary = "Turn assertions into errors of the runtime";
  let description = [{
    Replaces each `cf.assert` of a function by a call of the runtime's
    `dietcodeAssertionFailed` with the location and the message, so that a program
    fails as it does for shapes that do not fit. What MLIR lowers assertions to ends
    the process.

    Example:

    ```mlir
    func.func @f(%ok: i1) {
      cf.assert %ok, "sizes differ"
      return
    }
    ```

    becomes

    ```mlir
    llvm.func @dietcodeAssertionFailed(!llvm.ptr)
    llvm.mlir.global internal constant @dietcode_assertion("<stdin>:2:3: assertion failed: sizes differ\00") {addr_space = 0 : i32}
    func.func @f(%ok: i1) {
      %true = arith.constant true
      %fails = arith.xori %ok, %true : i1
      scf.if %fails {
        %message = llvm.mlir.addressof @dietcode_assertion : !llvm.ptr
        llvm.call @dietcodeAssertionFailed(%message) : (!llvm.ptr) -> ()
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def DietCodeCheckGeneratedPass : Pass<"dietcode-check-generated", "ModuleOp"> {
  let summary = "Check that kernels are generated and tensors are buffers";
  let description = [{
    What `dietcode-lower-to-llvm` starts from: an operation of the dialect that
    `dietcode-generate-kernels` replaces, and one that works on tensors, is an
    error that names this pipeline. The passes that follow would leave it, or
    fail with a message about something else.

    Example: this passes.

    ```mlir
    func.func @f(%a: memref<?xf32>, %i: index) -> f32 {
      %0 = memref.load %a[%i] : memref<?xf32>
      return %0 : f32
    }
    ```
  }];
}

def DietCodeCheckLoweredPass : Pass<"dietcode-check-lowered", "ModuleOp"> {
  let summary = "Check that only the LLVM dialect and kernels are left";
  let description = [{
    The last word of `dietcode-lower-to-llvm`: an operation that is neither of
    the LLVM dialect or OpenMP's nor a `gpu.binary` or its launch is an error.
    Conversions leave what they do not know, and whoever translates the module
    would only find out there.

    Example: this passes.

    ```mlir
    llvm.func @f(%x: f32) -> f32 {
      llvm.return %x : f32
    }
    ```
  }];
}

#endif // DIETCODE_TRANSFORMS_PASSES_TD
