// Transposed, strided and displaced operands, and sizes that no tile divides.

// RUN: dietcode-run %s --entry nn --check --arg-shapes 16x16,16x0,16x0 --arg-shapes 16x0,0x16,16x16 --arg-shapes 1x1,1x1,1x1 \
// RUN:   --arg-shapes 7x7,7x7,7x7 --arg-shapes 1x705,705x705,1x705 --arg-shapes 33x31,31x65,33x65 \
// RUN:   --arg-shapes 33x32:36x1+0,32x64:64x1+4,33x64:128x1+0 | FileCheck %s
// RUN: dietcode-run %s --entry nt --check --arg-shapes 16x16,0x16,16x0 --arg-shapes 16x0,16x0,16x16 --arg-shapes 1x1,1x1,1x1 \
// RUN:   --arg-shapes 7x7,7x7,7x7 --arg-shapes 1x705,705x705,1x705 --arg-shapes 33x31,65x31,33x65 | FileCheck %s
// RUN: dietcode-run %s --entry tn --check --arg-shapes 16x16,16x0,16x0 --arg-shapes 0x16,0x16,16x16 --arg-shapes 1x1,1x1,1x1 \
// RUN:   --arg-shapes 7x7,7x7,7x7 --arg-shapes 705x1,705x705,1x705 --arg-shapes 31x33+1,31x65,33x65+1 | FileCheck %s
// RUN: dietcode-run %s --entry tt --check --arg-shapes 31x33+1,65x31,33x65+1 --arg-shapes 64x64,64x64,64x64 | FileCheck %s
// CHECK: on virtual:t4

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!columns = memref<?x?xf32, strided<[1, ?], offset: ?>>

// Without a fill, the product is added to the destination.
func.func @nn(%a: !rows, %b: !rows, %c: !rows) {
  linalg.matmul ins(%a, %b : !rows, !rows) outs(%c : !rows)
  return
}

func.func @nt(%a: !columns, %b: memref<?x?xf32>, %c: !rows) {
  linalg.matmul indexing_maps = [#a, #bt, #c] ins(%a, %b : !columns, memref<?x?xf32>) outs(%c : !rows)
  return
}

func.func @tn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#at, #b, #c]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @tt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#at, #bt, #c]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
