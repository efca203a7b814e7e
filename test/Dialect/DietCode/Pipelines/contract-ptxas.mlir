// REQUIRES: ptxas
// RUN: dietcode-opt %s --dietcode-to-llvm=max-kernels=3 | %extract_ptx > %t.ptx
// RUN: %ptxas -arch=sm_75 -v %t.ptx -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{[1-9][0-9]*}} bytes spill" --implicit-check-not="{{error|fatal|warning}}"

// Kernels of convolutions, whose addresses take more registers than those of
// products of matrices do, spill nothing either: the largest tiles are not theirs.
// CHECK: Compiling entry function 'contract_warp_{{.*}}' for 'sm_75'
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
