// REQUIRES: ptxas
// RUN: dietcode-opt %s --dietcode-to-llvm=max-kernels=3 | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"

// Kernels of convolutions, whose addresses take more registers than those of
// products of matrices do, spill nothing either: the largest tiles are not theirs.
// Nor do large tiles whose pixels have several indices: not all of these are in
// registers beside the sums while a tile is written.
// CHECK-DAG: 'contract_simt_256x128x8_8x16_general'
// CHECK-DAG: 'contract_simt_128x256x8_8x16_general'
// CHECK-DAG: 'contract_warp_128x128x8_64x64_mma_mnm_general'
// CHECK: 0 bytes spill stores, 0 bytes spill loads

#a5 = strided<[?, ?, ?, ?, ?], offset: ?>

func.func @grouped(%x: memref<?x?x?x?x?xf16, #a5>, %w: memref<?x?x?x?x?xf16, #a5>, %y: memref<?x?x?x?x?xf32, #a5>) {
  linalg.conv_2d_nhwgc_gfhwc {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[3, 1]> : tensor<2xi64>}
      ins(%x, %w : memref<?x?x?x?x?xf16, #a5>, memref<?x?x?x?x?xf16, #a5>) outs(%y : memref<?x?x?x?x?xf32, #a5>)
  return
}
func.func @volumes(%x: memref<?x?x?x?x?xi8>, %w: memref<?x?x?x?x?xi8>, %y: memref<?x?x?x?x?xi32>) {
  linalg.conv_3d_ndhwc_dhwcf {strides = dense<[2, 3, 1]> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%x, %w : memref<?x?x?x?x?xi8>, memref<?x?x?x?x?xi8>) outs(%y : memref<?x?x?x?x?xi32>)
  return
}

dietcode.micro_kernel @simt_256x128x8_8x16 #dietcode.schedule<block = [256, 128, 8], thread = [8, 16]>
dietcode.dispatch @rows on () {
  case -> @simt_256x128x8_8x16
  otherwise -> @simt_256x128x8_8x16
}

#image3 = affine_map<(n, z, y, x, f, w, v, u, c) -> (n, 2 * z + w, 2 * y + v, 2 * x + u, c)>
#filter3 = affine_map<(n, z, y, x, f, w, v, u, c) -> (w, v, u, c, f)>
#out3 = affine_map<(n, z, y, x, f, w, v, u, c) -> (n, z, y, x, f)>

func.func @pixels_are_rows(%a: memref<?x?x?x?x?xf32>, %b: memref<?x?x?x?x?xf32>, %c: memref<?x?x?x?x?xf32>) {
  dietcode.contract dispatch(@rows) ins(%a, %b : memref<?x?x?x?x?xf32>, memref<?x?x?x?x?xf32>)
      outs(%c : memref<?x?x?x?x?xf32>) maps [#image3, #filter3, #out3]
  return
}

dietcode.micro_kernel @simt_128x256x8_8x16 #dietcode.schedule<block = [128, 256, 8], thread = [8, 16]>
dietcode.dispatch @columns on () {
  case -> @simt_128x256x8_8x16
  otherwise -> @simt_128x256x8_8x16
}

#image1 = affine_map<(n, x, f, c, u) -> (n, c, 3 * x + 2 * u - 1)>
#filter1 = affine_map<(n, x, f, c, u) -> (f, c, u)>
#out1 = affine_map<(n, x, f, c, u) -> (n, f, x)>

func.func @pixels_are_columns(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  dietcode.contract accumulate dispatch(@columns) ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%c : memref<?x?x?xf32>) maps [#image1, #filter1, #out1]
  return
}

dietcode.micro_kernel @warp_128x128x8_64x64_mma_mnm #dietcode.schedule<block = [128, 128, 8], thread = [64, 64],
    order = [m, n, m], instruction = mma_f16>
dietcode.dispatch @warps on () {
  case -> @warp_128x128x8_64x64_mma_mnm
  otherwise -> @warp_128x128x8_64x64_mma_mnm
}

#image2 = affine_map<(n, y, x, f, c, v, u) -> (n, c, y + v, x + u - 4)>
#filter2 = affine_map<(n, y, x, f, c, v, u) -> (f, c, v, u)>
#out2 = affine_map<(n, y, x, f, c, v, u) -> (n, f, y, x)>
#per_image = affine_map<(b, n, y, x) -> (n)>

func.func @bias_of_images(%a: memref<?x?x?x?xf16>, %b: memref<?x?x?x?xf16>, %c: memref<?x?x?x?xf16>, %bias: memref<?xf16>) {
  dietcode.contract dispatch(@warps) ins(%a, %b : memref<?x?x?x?xf16>, memref<?x?x?x?xf16>)
      outs(%c : memref<?x?x?x?xf16>) maps [#image2, #filter2, #out2] epilogue(%bias : memref<?xf16>) maps [#per_image] do {
  ^bb0(%sum: f16, %v: f16):
    %zero = arith.constant 0.0 : f16
    %0 = arith.addf %sum, %v : f16
    %1 = arith.maximumf %0, %zero : f16
    dietcode.yield %1 : f16
  }
  return
}

// Twins that take an operand apart to elements move the windows of all of them at
// once: here those of 16 elements with three windows each.
func.func @volumes_of_few_channels(%a: memref<?x?x?x?x16xf32>, %b: memref<1x5x2x16x4xf32>, %c: memref<?x?x?x?x4xf32>) {
  linalg.conv_3d_ndhwc_dhwcf {strides = dense<[3, 1, 1]> : tensor<3xi64>, dilations = dense<[2, 2, 1]> : tensor<3xi64>}
      ins(%a, %b : memref<?x?x?x?x16xf32>, memref<1x5x2x16x4xf32>) outs(%c : memref<?x?x?x?x4xf32>)
  return
}
