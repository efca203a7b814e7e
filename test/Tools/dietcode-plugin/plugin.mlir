// Debian's mlir-opt with the plugin. What is checked can only come from DietCode's
// passes: mlir-opt goes on, with exit status 0, without a plugin that it cannot load.
//
// DEFINE: %{select} = --pass-pipeline='builtin.module(dietcode-select{max-kernels=1})'
//
// One file, the dialect and all passes and pipelines.
// RUN: mlir-opt %s --load-dialect-plugin=%dietcode_plugin %{select} | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%dietcode_plugin \
// RUN:   --pass-pipeline='builtin.module(convert-linalg-to-dietcode,canonicalize)' \
// RUN: | FileCheck %s --check-prefix=PASS
// RUN: mlir-opt %s --load-dialect-plugin=%dietcode_plugin \
// RUN:   --pass-pipeline='builtin.module(dietcode-to-llvm{max-kernels=1})' \
// RUN: | FileCheck %s --check-prefix=LLVM
//
// As a plugin of passes; and as both, which registers them once.
// RUN: mlir-opt %s --load-pass-plugin=%dietcode_plugin %{select} | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%dietcode_plugin \
// RUN:   --load-pass-plugin=%dietcode_plugin %{select} | FileCheck %s
//
// What it prints is read again, by the dialect alone.
// RUN: mlir-opt %s --load-dialect-plugin=%dietcode_plugin %{select} \
// RUN: | mlir-opt --load-dialect-plugin=%dietcode_plugin | FileCheck %s
//
// A wrong path: mlir-opt says so and goes on; a pipeline of ours then fails, as
// should be, where no pipeline would not.
// RUN: mlir-opt %s --load-dialect-plugin=%t.so 2>&1 | FileCheck %s --check-prefix=IGNORED
// RUN: not mlir-opt %s --load-dialect-plugin=%t.so %{select} 2>&1 \
// RUN: | FileCheck %s --check-prefix=UNKNOWN

// CHECK: dietcode.dispatch @f_matmul
// CHECK: dietcode.matmul accumulate dispatch(@f_matmul)
// PASS: dietcode.matmul
// LLVM: gpu.binary @dietcode_kernels
// LLVM: llvm.func @f(
// IGNORED: Failed to load dialect plugin from '{{.*}}'. Request ignored.
// UNKNOWN: Failed to load dialect plugin from '{{.*}}'. Request ignored.
// UNKNOWN: 'dietcode-select' does not refer to a registered pass or pass pipeline

func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>)
      outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
