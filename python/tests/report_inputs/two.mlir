#map = affine_map<()[s0] -> (s0 * 16, 768)>
#map1 = affine_map<()[s0] -> (s0, 768)>
#map2 = affine_map<()[s0, s1] -> (s0 * 16, s1)>
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  dietcode.micro_kernel @simt_64x64x8_16x4 #dietcode.schedule<block = [64, 64, 8], thread = [16, 4]> measured 7115814490944.3691
  dietcode.micro_kernel @simt_64x64x8_4x8 #dietcode.schedule<block = [64, 64, 8], thread = [4, 8]> measured 6765968049375.5576
  dietcode.micro_kernel @simt_32x128x32_4x8 #dietcode.schedule<block = [32, 128, 32], thread = [4, 8]> measured 5555978881117.0713
  dietcode.micro_kernel @simt_16x64x32_2x4 #dietcode.schedule<block = [16, 64, 32], thread = [2, 4]> measured 3362500746917.876
  dietcode.micro_kernel @simt_32x64x32_4x4_k4 #dietcode.schedule<block = [32, 64, 32], thread = [4, 4], split = 4> measured 4319184109092.123
  dietcode.micro_kernel @simt_32x32x8_4x8_k4 #dietcode.schedule<block = [32, 32, 8], thread = [4, 8], split = 4> measured 4788451095312.6172
  dietcode.micro_kernel @simt_16x16x16_4x2_k8 #dietcode.schedule<block = [16, 16, 16], thread = [4, 2], split = 8> measured 2369605848676.2227
  dietcode.micro_kernel @simt_16x8x32_1x2_k8 #dietcode.schedule<block = [16, 8, 32], thread = [1, 2], split = 8> measured 1173175229922.8115
  dietcode.shape_var @T range [1, 128]
  dietcode.shape_var @H range [64, 3072] multiple_of 64
  dietcode.workload @calls over [@T, @H] instances [[1, 64], [128, 3072]] weights [1.000000e+02, 1.000000e+00]
  dietcode.dispatch @dense_matmul on (m in [16, 2048], n in [64, 3072]) {
    case m in [16, 16], n in [64, 192] -> @simt_16x8x32_1x2_k8
    case m in [16, 16], n in [193, 896] -> @simt_16x16x16_4x2_k8
    case m in [16, 16], n in [897, 3072] -> @simt_32x32x8_4x8_k4
    case m in [17, 192], n in [64, 64] -> @simt_16x16x16_4x2_k8
    case m in [17, 64], n in [65, 192] -> @simt_16x16x16_4x2_k8
    case m in [17, 32], n in [193, 448] -> @simt_16x16x16_4x2_k8
    case m in [17, 48], n in [449, 640] -> @simt_32x64x32_4x4_k4
    case m in [17, 64], n in [641, 896] -> @simt_32x32x8_4x8_k4
    case m in [17, 48], n in [897, 1792] -> @simt_16x64x32_2x4
    case m in [17, 32], n in [1793, 2560] -> @simt_16x64x32_2x4
    case m in [17, 32], n in [2561, 3072] -> @simt_32x128x32_4x8
    case m in [33, 48], n in [193, 448] -> @simt_32x64x32_4x4_k4
    case m in [33, 48], n in [1793, 2560] -> @simt_32x128x32_4x8
    case m in [33, 48], n in [2561, 3072] -> @simt_16x64x32_2x4
    case m in [49, 64], n in [193, 640] -> @simt_32x64x32_4x4_k4
    case m in [49, 64], n in [897, 1536] -> @simt_32x32x8_4x8_k4
    case m in [49, 64], n in [1537, 2560] -> @simt_32x128x32_4x8
    case m in [49, 64], n in [2561, 3072] -> @simt_32x32x8_4x8_k4
    case m in [65, 112], n in [65, 192] -> @simt_32x64x32_4x4_k4
    case m in [65, 80], n in [193, 384] -> @simt_32x64x32_4x4_k4
    case m in [65, 80], n in [385, 896] -> @simt_16x64x32_2x4
    case m in [65, 112], n in [897, 1792] -> @simt_32x128x32_4x8
    case m in [65, 80], n in [1793, 2048] -> @simt_16x64x32_2x4
    case m in [65, 80], n in [2049, 2560] -> @simt_64x64x8_4x8
    case m in [65, 80], n in [2561, 3072] -> @simt_16x64x32_2x4
    case m in [81, 160], n in [193, 384] -> @simt_16x64x32_2x4
    case m in [81, 160], n in [385, 896] -> @simt_32x32x8_4x8_k4
    case m in [81, 112], n in [1793, 2048] -> @simt_64x64x8_4x8
    case m in [81, 160], n in [2049, 3072] -> @simt_64x64x8_4x8
    case m in [113, 320], n in [65, 128] -> @simt_32x64x32_4x4_k4
    case m in [113, 640], n in [129, 192] -> @simt_32x32x8_4x8_k4
    case m in [113, 160], n in [897, 1280] -> @simt_32x128x32_4x8
    case m in [113, 160], n in [1281, 1792] -> @simt_64x64x8_16x4
    case m in [113, 160], n in [1793, 2048] -> @simt_32x128x32_4x8
    case m in [161, 320], n in [193, 384] -> @simt_32x32x8_4x8_k4
    case m in [161, 192], n in [385, 768] -> @simt_32x128x32_4x8
    case m in [161, 192], n in [769, 896] -> @simt_32x32x8_4x8_k4
    case m in [161, 320], n in [897, 2560] -> @simt_64x64x8_4x8
    case m in [161, 320], n in [2561, 3072] -> @simt_64x64x8_16x4
    case m in [193, 320], n in [64, 64] -> @simt_32x64x32_4x4_k4
    case m in [193, 320], n in [385, 512] -> @simt_32x128x32_4x8
    case m in [193, 320], n in [513, 896] -> @simt_64x64x8_4x8
    case m in [321, 640], n in [64, 64] -> @simt_16x64x32_2x4
    case m in [321, 768], n in [65, 128] -> @simt_32x32x8_4x8_k4
    case m in [321, 640], n in [193, 256] -> @simt_32x128x32_4x8
    case m in [321, 1536], n in [257, 2048] -> @simt_64x64x8_4x8
    case m in [321, 2048], n in [2049, 3072] -> @simt_64x64x8_16x4
    case m in [641, 2048], n in [64, 64] -> @simt_32x32x8_4x8_k4
    case m in [641, 1536], n in [129, 256] -> @simt_64x64x8_4x8
    case m in [769, 1536], n in [65, 128] -> @simt_32x128x32_4x8
    case m in [1537, 2048], n in [65, 128] -> @simt_64x64x8_16x4
    case m in [1537, 1792], n in [129, 512] -> @simt_64x64x8_4x8
    case m in [1537, 1792], n in [513, 2048] -> @simt_64x64x8_16x4
    case m in [1793, 2048], n in [129, 384] -> @simt_64x64x8_4x8
    case m in [1793, 2048], n in [385, 2048] -> @simt_64x64x8_16x4
    otherwise -> @simt_64x64x8_4x8
  }
  func.func @dense(%arg0: tensor<?x768xf32>, %arg1: tensor<?x768xf32>, %arg2: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dietcode.workload = @calls} {
    dietcode.bind_shape %arg0 [@T], #map : tensor<?x768xf32>
    dietcode.bind_shape %arg1 [@H], #map1 : tensor<?x768xf32>
    dietcode.bind_shape %arg2 [@T, @H], #map2 : tensor<?x?xf32>
    %0 = dietcode.matmul transpose_b dispatch(@dense_matmul) ins(%arg0, %arg1 : tensor<?x768xf32>, tensor<?x768xf32>) outs(%arg2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}

