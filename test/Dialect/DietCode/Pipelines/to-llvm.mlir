// RUN: dietcode-opt %s --dietcode-to-llvm | FileCheck %s
// RUN: dietcode-opt %s --dietcode-to-llvm="chip=sm_80" | FileCheck %s --check-prefix=SM80
// RUN: dietcode-opt %s --dietcode-to-llvm="chip=sm_90 ptx-version=80" | FileCheck %s --check-prefix=SM90
// RUN: dietcode-opt %s --dietcode-select=max-kernels=1 | FileCheck %s --check-prefix=ONE
// RUN: dietcode-opt %s --dietcode-select --dietcode-generate-kernels --dietcode-lower-to-llvm | FileCheck %s
// RUN: dietcode-opt %s --dietcode-to-llvm --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// From nothing but a linalg.matmul to PTX for the T4 and host code in the LLVM
// dialect, without any option; the steps alone give the same.
// CHECK: gpu.binary @dietcode_kernels [#gpu.object<#nvvm.target<chip = "sm_75"
// CHECK-SAME: .version 6.5
// CHECK-SAME: .target sm_75
// CHECK-SAME: .visible .entry matmul_simt_
// CHECK: llvm.func @qkv(
// CHECK: llvm.icmp
// CHECK: llvm.cond_br
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_simt_{{.*}}_aligned
// CHECK: gpu.launch_func @dietcode_kernels::@matmul_simt_{{.*}}_general

// SM80: .version 7.0\0A.target sm_80\0A
// SM90: .version 8.0\0A.target sm_90\0A

// One micro-kernel serves all shapes if no more are allowed.
// ONE: dietcode.micro_kernel
// ONE-NOT: dietcode.micro_kernel

// Only the binary and its launches are not in the LLVM dialect.
// GENERIC-NOT: "{{(func|arith|scf|cf|memref|tensor|linalg|affine|vector|dietcode|builtin.unrealized)[.]}}
func.func @qkv(%a: tensor<?x768xf32>, %b: tensor<768x2304xf32>, %c: tensor<?x2304xf32>) -> tensor<?x2304xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x2304xf32>) outs(%c : tensor<?x2304xf32>) -> tensor<?x2304xf32>
  return %0 : tensor<?x2304xf32>
}
