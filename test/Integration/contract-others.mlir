// Other named products: of tiled matrices, of batches of vectors, and with the
// batch summed up.

// RUN: dietcode-run %s --entry mmt4d --max-kernels 1 --check --arg-shapes 3x5x4x7,2x5x6x7,3x2x4x6 \
// RUN:     --arg-shapes 2x2x8x4,3x2x8x4,2x3x8x8 --arg-shapes 3x0x4x7,2x0x6x7,3x2x4x6 2>&1 | FileCheck %s --implicit-check-not=host
// RUN: dietcode-run %s --entry batch_mmt4d --max-kernels 1 --check --arg-shapes 2x3x5x4x7,2x2x5x6x7,2x3x2x4x6 2>&1 | FileCheck %s --implicit-check-not=host
// RUN: dietcode-run %s --entry batch_reduce --max-kernels 1 --check --arg-shapes 3x33x7,3x7x65,33x65 \
// RUN:     --arg-shapes 3x16x8,3x8x32,16x32 --arg-shapes 0x16x8,0x8x32,16x32 2>&1 | FileCheck %s --implicit-check-not=host
// RUN: dietcode-run %s --entry batch_matvec --check --arg-shapes 3x33x7,3x7,3x33 --arg-shapes 2x8x64,2x64,2x8 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=host
// RUN: dietcode-run %s --entry batch_vecmat --check --arg-shapes 3x7,3x7x33,3x33 --arg-shapes 2x64,2x64x8,2x8 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=host
// RUN: dietcode-run %s --entry matvec --check --arg-shapes 33x7,7,33 --arg-shapes 8x64,64,8 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=host
// RUN: dietcode-run %s --entry vecmat --check --arg-shapes 7,7x33,33 --arg-shapes 64,64x8,8 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=host
// RUN: dietcode-run %s --entry dot --check --arg-shapes 7,7,scalar --arg-shapes 64,64,scalar 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=host
// CHECK: simt_
// ROWS: simt_{{.*}}_rows

!t1 = tensor<?xf32>
!t2 = tensor<?x?xf32>
!t3 = tensor<?x?x?xf32>
!t4 = tensor<?x?x?x?xf32>
!t5 = tensor<?x?x?x?x?xf32>

func.func @mmt4d(%a: !t4, %b: !t4, %c: !t4) -> !t4 {
  %0 = linalg.mmt4d ins(%a, %b : !t4, !t4) outs(%c : !t4) -> !t4
  return %0 : !t4
}

func.func @batch_mmt4d(%a: !t5, %b: !t5, %c: !t5) -> !t5 {
  %0 = linalg.batch_mmt4d ins(%a, %b : !t5, !t5) outs(%c : !t5) -> !t5
  return %0 : !t5
}

func.func @batch_reduce(%a: !t3, %b: !t3, %c: !t2) -> !t2 {
  %0 = linalg.batch_reduce_matmul ins(%a, %b : !t3, !t3) outs(%c : !t2) -> !t2
  return %0 : !t2
}

func.func @batch_matvec(%a: !t3, %b: !t2, %c: !t2) -> !t2 {
  %0 = linalg.batch_matvec ins(%a, %b : !t3, !t2) outs(%c : !t2) -> !t2
  return %0 : !t2
}

func.func @batch_vecmat(%a: !t2, %b: !t3, %c: !t2) -> !t2 {
  %0 = linalg.batch_vecmat ins(%a, %b : !t2, !t3) outs(%c : !t2) -> !t2
  return %0 : !t2
}

func.func @matvec(%a: !t2, %b: !t1, %c: !t1) -> !t1 {
  %0 = linalg.matvec ins(%a, %b : !t2, !t1) outs(%c : !t1) -> !t1
  return %0 : !t1
}

func.func @vecmat(%a: !t1, %b: !t2, %c: !t1) -> !t1 {
  %0 = linalg.vecmat ins(%a, %b : !t1, !t2) outs(%c : !t1) -> !t1
  return %0 : !t1
}

func.func @dot(%a: !t1, %b: !t1, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : !t1, !t1) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
