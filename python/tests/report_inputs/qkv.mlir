#map = affine_map<()[s0] -> (s0 * 16, 768)>
#map1 = affine_map<(d0, d1) -> (d1)>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @simt_128x128x8_8x8 #dietcode.schedule<block = [128, 128, 8], thread = [8, 8]> measured 7175130735847.5059
  dietcode.micro_kernel @simt_64x64x8_4x16 #dietcode.schedule<block = [64, 64, 8], thread = [4, 16]> measured 6726293303951.4355
  dietcode.micro_kernel @simt_32x128x8_8x8 #dietcode.schedule<block = [32, 128, 8], thread = [8, 8]> measured 7197177448382.3105
  dietcode.micro_kernel @simt_64x64x8_8x4 #dietcode.schedule<block = [64, 64, 8], thread = [8, 4]> measured 6671358484351.8193
  dietcode.micro_kernel @simt_32x64x8_8x8 #dietcode.schedule<block = [32, 64, 8], thread = [8, 8]> measured 5844652034014.2969
  dietcode.micro_kernel @simt_32x64x16_4x4 #dietcode.schedule<block = [32, 64, 16], thread = [4, 4]> measured 5201645770939.9072
  dietcode.micro_kernel @simt_16x64x32_4x4 #dietcode.schedule<block = [16, 64, 32], thread = [4, 4]> measured 4310320737959.0254
  dietcode.micro_kernel @simt_8x32x16_2x2 #dietcode.schedule<block = [8, 32, 16], thread = [2, 2]> measured 2226814454859.8433
  dietcode.shape_var @T range [1, 128]
  dietcode.workload @bert over [@T] instances [[5], [24], [43], [62], [81], [100], [119], [128]]
  dietcode.dispatch @qkv_matmul on (m in [16, 2048]) {
    case m in [16, 16] -> @simt_8x32x16_2x2
    case m in [17, 32] -> @simt_16x64x32_4x4
    case m in [33, 96] -> @simt_32x64x16_4x4
    case m in [97, 128] -> @simt_32x64x8_8x8
    case m in [129, 192] -> @simt_64x64x8_8x4
    case m in [193, 256] -> @simt_32x64x8_8x8
    case m in [257, 320] -> @simt_64x64x8_8x4
    case m in [321, 416] -> @simt_32x128x8_8x8
    case m in [417, 448] -> @simt_64x64x8_4x16
    case m in [449, 512] -> @simt_128x128x8_8x8
    case m in [513, 544] -> @simt_32x128x8_8x8
    case m in [545, 640] -> @simt_64x64x8_8x4
    case m in [641, 832] -> @simt_32x128x8_8x8
    case m in [833, 896] -> @simt_64x64x8_4x16
    case m in [897, 1280] -> @simt_32x128x8_8x8
    case m in [1281, 1344] -> @simt_64x64x8_8x4
    case m in [1345, 1360] -> @simt_128x128x8_8x8
    case m in [1361, 2048] -> @simt_32x128x8_8x8
    otherwise -> @simt_32x128x8_8x8
  }
  func.func @qkv(%arg0: tensor<?x768xf32>, %arg1: tensor<2304x768xf32>, %arg2: tensor<2304xf32>) -> tensor<?x2304xf32> attributes {dietcode.workload = @bert} {
    dietcode.bind_shape %arg0 [@T], #map : tensor<?x768xf32>
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x768xf32>
    %0 = tensor.empty(%dim) : tensor<?x2304xf32>
    %1 = dietcode.matmul transpose_b dispatch(@qkv_matmul) ins(%arg0, %arg1 : tensor<?x768xf32>, tensor<2304x768xf32>) outs(%0 : tensor<?x2304xf32>) epilogue(%arg2 : tensor<2304xf32>) maps [#map1] do {
    ^bb0(%arg3: f32, %arg4: f32):
      %2 = arith.addf %arg3, %arg4 : f32
      dietcode.yield %2 : f32
    } -> tensor<?x2304xf32>
    return %1 : tensor<?x2304xf32>
  }
}

