// The dialect to linalg; linalg to DietCode's operator, the bias and the rectifier
// with it; and all the way, with this project's pass at the end.
//
// RUN: mini-opt %s --mini-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: mini-opt %s --mini-to-linalg --dietcode-select | FileCheck %s --check-prefix=SELECT
// RUN: mini-opt %s --mini-compile | FileCheck %s --check-prefix=COMPILE
//
// What the operation means, as numbers.
// RUN: mini-opt %s --mini-to-linalg | dietcode-run - --check --arg-shapes 37x48,48x20,20

// LINALG-LABEL: func.func @layer
// LINALG: linalg.matmul
// LINALG: linalg.generic
// LINALG-NOT: mini.linear

// SELECT: dietcode.dispatch @layer_matmul
// SELECT: dietcode.matmul dispatch(@layer_matmul)
// SELECT: arith.maximumf

// COMPILE: module attributes {{{.*}}mini.kernels = {{[1-9][0-9]*}} : i64
// COMPILE: gpu.binary @dietcode_kernels
// COMPILE: llvm.func @layer

func.func @layer(%x: tensor<?x48xf32>, %w: tensor<48x20xf32>, %b: tensor<20xf32>) -> tensor<?x20xf32> {
  %0 = mini.linear %x, %w, %b : tensor<?x48xf32>, tensor<48x20xf32>, tensor<20xf32> -> tensor<?x20xf32>
  return %0 : tensor<?x20xf32>
}
