//===- Passes.td - Passes within the dietcode dialect ------*- tablegen -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_TRANSFORMS_PASSES_TD
#define DIETCODE_TRANSFORMS_PASSES_TD

include "dietcode/Dialect/DietCode/Transforms/CheckPasses.td"
include "dietcode/Dialect/DietCode/Transforms/MemoryPasses.td"
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

def DietCodeExpandBFloat16Pass : Pass<"dietcode-expand-bfloat16", "::mlir::func::FuncOp"> {
  let summary = "Convert to and from bf16 by integers";
  let description = [{
    Replaces `arith.extf` from bf16 and `arith.truncf` to bf16 by shifts, with
    rounding to nearest even. LLVM would call `__truncsfbf2` on the host, which
    compiler runtimes only have since GCC 13.

    Example:

    ```mlir
    func.func @f(%a: bf16) -> f32 {
      %0 = arith.extf %a : bf16 to f32
      return %0 : f32
    }
    ```

    becomes

    ```mlir
    func.func @f(%a: bf16) -> f32 {
      %c16 = arith.constant 16 : i32
      %0 = arith.bitcast %a : bf16 to i16
      %1 = arith.extui %0 : i16 to i32
      %2 = arith.shli %1, %c16 : i32
      %3 = arith.bitcast %2 : i32 to f32
      return %3 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
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

#endif // DIETCODE_TRANSFORMS_PASSES_TD
