// Buffers with strides and offsets, among them an offset of one element, which no
// vector access may start at; and strides that are multiples of four with an
// aligned start, which the aligned twin serves.

// RUN: dietcode-run %s --entry rows --check \
// RUN:     --arg-shapes 33x31:34x1+1,31x65:1x31+1,33x65 \
// RUN:     --arg-shapes 64x64:68x1+4,64x128:1x64+1,64x128 \
// RUN:     --arg-shapes 130x77:400x1+3,77x9:1x90+1,130x9 \
// RUN:     | FileCheck %s --check-prefix=ROWS
// ROWS-COUNT-3: general

// RUN: dietcode-run %s --entry columns --check \
// RUN:     --arg-shapes 64x96:1x64+0,96x64:1x96+0,64x64:1x64+0 \
// RUN:     --arg-shapes 63x96:1x67+2,96x65:1x97+5,63x65:1x63+1 \
// RUN:     | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: 64x96{{.*}} aligned
// COLUMNS: 63x96{{.*}} general

// RUN: dietcode-run %s --entry any --check \
// RUN:     --arg-shapes 32x64:64x1+0,64x32:32x1+0,32x32:32x1+0 \
// RUN:     --arg-shapes 32x64:128x2+0,64x32:96x3+1,32x32:64x2+0 \
// RUN:     --arg-shapes 32x64:1x32+0,64x32:1x64+0,32x32:1x32+7 \
// RUN:     | FileCheck %s --check-prefix=ANY
// ANY: aligned
// ANY-COUNT-2: general

// A tensor argument is contiguous, but may start anywhere.
// RUN: dietcode-run %s --entry tensors --check \
// RUN:     --arg-shapes 64x64,64x64,64x64 \
// RUN:     --arg-shapes 64x64+1,64x64,64x64 \
// RUN:     --arg-shapes 64x64,64x64+1,64x64 \
// RUN:     --arg-shapes 64x64,64x64,64x64+1 \
// RUN:     --arg-shapes 64x64+4,64x64+8,64x64+12 \
// RUN:     | FileCheck %s --check-prefix=TENSORS
// TENSORS: aligned
// TENSORS-COUNT-3: general
// TENSORS: aligned

func.func @rows(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                %b: memref<?x?xf32, strided<[1, ?], offset: 1>>,
                %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>,
                             memref<?x?xf32, strided<[1, ?], offset: 1>>)
                outs(%c : memref<?x?xf32>)
  return
}

func.func @columns(%a: memref<?x?xf32, strided<[1, ?], offset: ?>>,
                   %b: memref<?x?xf32, strided<[1, ?], offset: ?>>,
                   %c: memref<?x?xf32, strided<[1, ?], offset: ?>>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[1, ?], offset: ?>>,
                             memref<?x?xf32, strided<[1, ?], offset: ?>>)
                outs(%c : memref<?x?xf32, strided<[1, ?], offset: ?>>)
  return
}

func.func @any(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>,
               %b: memref<?x?xf32, strided<[?, ?], offset: ?>>,
               %c: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, ?], offset: ?>>,
                             memref<?x?xf32, strided<[?, ?], offset: ?>>)
                outs(%c : memref<?x?xf32, strided<[?, ?], offset: ?>>)
  return
}

func.func @tensors(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
                   %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                     outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
