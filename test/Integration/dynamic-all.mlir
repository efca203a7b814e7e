// Every dimension dynamic, all transposes: odd sizes go through the general twin,
// multiples of four through the aligned one; an empty k gives the initial
// contents, and an empty result launches nothing.

// RUN: dietcode-run %s --entry nn --check \
// RUN:     --arg-shapes 1000x1001,1001x999,1000x999 \
// RUN:     --arg-shapes 16x16,16x0,16x0 \
// RUN:     --arg-shapes 16x0,0x16,16x16 \
// RUN:     --arg-shapes 0x16,16x16,0x16 \
// RUN:     --arg-shapes 0x0,0x0,0x0 \
// RUN:     --arg-shapes 1x1,1x1,1x1 \
// RUN:     --arg-shapes 7x7,7x7,7x7 \
// RUN:     --arg-shapes 1x705,705x705,1x705 \
// RUN:     --arg-shapes 33x31,31x65,33x65 \
// RUN:     --arg-shapes 64x64,64x128,64x128 \
// RUN:     --arg-shapes 128x8,8x4,128x4 \
// RUN:     --arg-shapes 4x12,12x128,4x128 \
// RUN:     --arg-shapes 257x513,513x129,257x129 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry nt --check \
// RUN:     --arg-shapes 16x16,0x16,16x0 \
// RUN:     --arg-shapes 16x0,16x0,16x16 \
// RUN:     --arg-shapes 0x16,16x16,0x16 \
// RUN:     --arg-shapes 0x0,0x0,0x0 \
// RUN:     --arg-shapes 1x1,1x1,1x1 \
// RUN:     --arg-shapes 7x7,7x7,7x7 \
// RUN:     --arg-shapes 1x705,705x705,1x705 \
// RUN:     --arg-shapes 33x31,65x31,33x65 \
// RUN:     --arg-shapes 64x64,128x64,64x128 \
// RUN:     --arg-shapes 128x8,4x8,128x4 \
// RUN:     --arg-shapes 4x12,128x12,4x128 \
// RUN:     --arg-shapes 257x513,129x513,257x129 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry tn --check \
// RUN:     --arg-shapes 16x16,16x0,16x0 \
// RUN:     --arg-shapes 0x16,0x16,16x16 \
// RUN:     --arg-shapes 16x0,16x16,0x16 \
// RUN:     --arg-shapes 0x0,0x0,0x0 \
// RUN:     --arg-shapes 1x1,1x1,1x1 \
// RUN:     --arg-shapes 7x7,7x7,7x7 \
// RUN:     --arg-shapes 705x1,705x705,1x705 \
// RUN:     --arg-shapes 31x33,31x65,33x65 \
// RUN:     --arg-shapes 64x64,64x128,64x128 \
// RUN:     --arg-shapes 8x128,8x4,128x4 \
// RUN:     --arg-shapes 12x4,12x128,4x128 \
// RUN:     --arg-shapes 513x257,513x129,257x129 \
// RUN:     | FileCheck %s
// RUN: dietcode-run %s --entry tt --check \
// RUN:     --arg-shapes 1001x1000,999x1001,1000x999 \
// RUN:     --arg-shapes 16x16,0x16,16x0 \
// RUN:     --arg-shapes 0x16,16x0,16x16 \
// RUN:     --arg-shapes 16x0,16x16,0x16 \
// RUN:     --arg-shapes 0x0,0x0,0x0 \
// RUN:     --arg-shapes 1x1,1x1,1x1 \
// RUN:     --arg-shapes 7x7,7x7,7x7 \
// RUN:     --arg-shapes 705x1,705x705,1x705 \
// RUN:     --arg-shapes 31x33,65x31,33x65 \
// RUN:     --arg-shapes 64x64,128x64,64x128 \
// RUN:     --arg-shapes 8x128,4x8,128x4 \
// RUN:     --arg-shapes 12x4,128x12,4x128 \
// RUN:     --arg-shapes 513x257,129x513,257x129 \
// RUN:     | FileCheck %s

// CHECK: on virtual:t4
// CHECK: nothing to compute
// CHECK: {{^ *(16x0,0x16|16x0,16x0|0x16,0x16|0x16,16x0),16x16 .* k is 0, only the epilogue is computed}}
// CHECK: 1x1,1x1,1x1{{.*}} general
// CHECK: 64x64{{.*}} aligned

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @nn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #kn, #mn]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @nt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @tn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @tt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#km, #nk, #mn]
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
