// What users write as linalg becomes one kernel: scale, mask and softmax, layer
// and RMS normalisation, and a product with its epilogue before it. All checkers
// are on; bounds are those of rowwise.mlir.

// RUN: dietcode-run %s --entry attention --check --tolerance 5e-6 --arg-shapes 2x3x5x0,5x0 --arg-shapes 1x1x1x1,1x1 --arg-shapes 2x3x31x2,31x2 \
// RUN:   --arg-shapes 1x2x32x31,32x31 --arg-shapes 2x1x33x32,33x32 --arg-shapes 1x1x127x33,127x33 --arg-shapes 1x2x5x127,5x127 \
// RUN:   --arg-shapes 1x2x128x128,128x128 --arg-shapes 1x1x3x129,3x129 --arg-shapes 1x2x5x768,5x768 --arg-shapes 1x1x2x1000,2x1000 \
// RUN:   --arg-shapes 1x2x2x1024,2x1024 --arg-shapes 1x1x2x4099,2x4099 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: 2x3x5x0,5x0 none
// ATTENTION: 1x1x1x1,1x1 {{ *}}simt_{{.*}}{{ +}}general 1 
// ATTENTION: 2x3x31x2,31x2 {{ *}}simt_{{.*}}{{ +}}general 1 
// ATTENTION: 1x2x32x31,32x31 {{ *}}simt_{{.*}}{{ +}}general 1 
// ATTENTION: 2x1x33x32,33x32 {{ *}}simt_{{.*}}{{ +}}aligned 1 
// ATTENTION: 1x1x127x33,127x33 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x2x5x127,5x127 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x2x128x128,128x128 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x1x3x129,3x129 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x2x5x768,5x768 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x1x2x1000,2x1000 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x2x2x1024,2x1024 {{ *}}simt_{{.*}} 1 
// ATTENTION: 1x1x2x4099,2x4099 {{ *}}simt_{{.*}} 1 

// It moves the bytes of one read of the scores and of the mask, of which there
// is one for all heads, and of one write: 2 x 256 x 768 elements each way.
// RUN: dietcode-run %s --entry attention --arg-shapes 1x2x256x768,256x768 --json | FileCheck %s --check-prefix=BYTES
// BYTES: "bytesRead": 3145728
// BYTES-NEXT: "bytesWritten": 1572864
// BYTES-NEXT: "dramBytes": 3932160

// Operands that do not fit end the call.
// RUN: not dietcode-run %s --entry attention --arg-shapes 1x2x3x8,3x9 2>&1 | FileCheck %s --check-prefix=MISMATCH
// MISMATCH: error: 1x2x3x8,3x9: dimension 1 of argument 1 of @attention does not fit the other operands: got 9, expected 8

// RUN: dietcode-run %s --entry layer_norm --check --arg-shapes 33x768,768,768 --arg-shapes 1x768,768,768 | FileCheck %s --check-prefix=NORM
// RUN: dietcode-run %s --entry rms_norm --check --arg-shapes 33x127,127 --arg-shapes 5x1000,1000 --arg-shapes 2x4099,4099 | FileCheck %s --check-prefix=NORM
// NORM: {{[0-9]+x[0-9]+.*}}simt_{{.*}}_rows {{.*}} 1 
// NORM: {{[0-9]+x[0-9]+.*}}simt_{{.*}}_rows {{.*}} 1 

// Over the first, the middle and the last axis.
// RUN: dietcode-run %s --entry sums --check --arg-shapes 33x31x5 --arg-shapes 1x129x2 --arg-shapes 127x1x33 --arg-shapes 3x0x5

// The bias of a product is its epilogue, and the rest one more kernel.
// RUN: dietcode-run %s --entry projection --check --arg-shapes 33x64,64x96,96 | FileCheck %s --check-prefix=PROJECTION
// PROJECTION: simt_{{.*}} 2
// PROJECTION: simt_{{.*}}_rows

// Copies, transpositions and broadcasts of several types.
// RUN: dietcode-run %s --entry moves --check --tolerance 0 --arg-shapes 33x5x17,17 --arg-shapes 1x128x64,64
// RUN: dietcode-run %s --entry half --check --tolerance 2e-3 --arg-shapes 33x64 --arg-shapes 5x129 --arg-shapes 2x1000

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#mask = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#id1 = affine_map<(d0) -> (d0)>

func.func @attention(%x: tensor<?x?x?x?xf32>, %mask: tensor<?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %scale = arith.constant 0.125 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %d3 = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %init = tensor.empty(%d0, %d1, %d2, %d3) : tensor<?x?x?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id4, #mask, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mask : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %1 = arith.mulf %e, %scale : f32
    %2 = arith.addf %1, %m : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?x?xf32>
  %y = linalg.softmax dimension(3) ins(%0 : tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @layer_norm(%x: tensor<?x768xf32>, %scale: tensor<768xf32>, %shift: tensor<768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %kept = tensor.empty(%rows) : tensor<?x1xf32>
  %init = tensor.empty(%rows) : tensor<?x768xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%kept : tensor<?x1xf32>) -> tensor<?x1xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #keep], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%zeros : tensor<?x1xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %e, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %mean = linalg.generic {indexing_maps = [#keep, #id2], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<?x1xf32>) outs(%kept : tensor<?x1xf32>) {
  ^bb0(%e: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %0 = arith.divf %e, %n : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %centred = linalg.generic {indexing_maps = [#id2, #keep, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<?x768xf32>, tensor<?x1xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %0 = arith.subf %e, %m : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %squares = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%centred, %centred : tensor<?x768xf32>, tensor<?x768xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %var = linalg.generic {indexing_maps = [#id2, #keep], iterator_types = ["parallel", "reduction"]} ins(%squares : tensor<?x768xf32>) outs(%zeros : tensor<?x1xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %e, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#id2, #keep, #column, #column, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %var, %scale, %shift : tensor<?x768xf32>, tensor<?x1xf32>, tensor<768xf32>, tensor<768xf32>) outs(%init : tensor<?x768xf32>) {
  ^bb0(%d: f32, %v: f32, %g: f32, %h: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %0 = arith.divf %v, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %d, %2 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %h : f32
    linalg.yield %5 : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

func.func @rms_norm(%x: tensor<?x?xf32>, %scale: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %int = arith.index_cast %columns : index to i32
  %n = arith.sitofp %int : i32 to f32
  %r = tensor.empty(%rows) : tensor<?xf32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %root = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%sum : tensor<?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %0 = arith.divf %e, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id2, #row, #column, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %root, %scale : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %g: f32, %o: f32):
    %0 = arith.mulf %e, %s : f32
    %1 = arith.mulf %0, %g : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sums(%x: tensor<?x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %a = tensor.empty(%d1, %d2) : tensor<?x?xf32>
  %b = tensor.empty(%d0, %d2) : tensor<?x?xf32>
  %c = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %fa = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%fa : tensor<?x?xf32>) dimensions = [0]
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%fb : tensor<?x?xf32>) dimensions = [1]
  %2 = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%fc : tensor<?x?xf32>) dimensions = [2]
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @projection(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %bias: tensor<96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
  %init = tensor.empty(%rows) : tensor<?x96xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x96xf32>) -> tensor<?x96xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%zeros : tensor<?x96xf32>) -> tensor<?x96xf32>
  %1 = linalg.generic {indexing_maps = [#id2, #column, #id2], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<?x96xf32>, tensor<96xf32>) outs(%init : tensor<?x96xf32>) {
  ^bb0(%e: f32, %b: f32, %o: f32):
    %2 = arith.addf %e, %b : f32
    linalg.yield %2 : f32
  } -> tensor<?x96xf32>
  %y = linalg.softmax dimension(1) ins(%1 : tensor<?x96xf32>) outs(%init : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

func.func @moves(%x: tensor<?x?x?xf32>, %v: tensor<?xi32>) -> (tensor<?x?x?xf32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %a = tensor.empty(%d2, %d0, %d1) : tensor<?x?x?xf32>
  %b = tensor.empty(%d0, %d2) : tensor<?x?xi32>
  %0 = linalg.transpose ins(%x : tensor<?x?x?xf32>) outs(%a : tensor<?x?x?xf32>) permutation = [2, 0, 1]
  %1 = linalg.broadcast ins(%v : tensor<?xi32>) outs(%b : tensor<?x?xi32>) dimensions = [0]
  return %0, %1 : tensor<?x?x?xf32>, tensor<?x?xi32>
}

func.func @half(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf16>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf16>
  %wide = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %narrow = tensor.empty(%d0, %d1) : tensor<?x?xf16>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf16>) outs(%wide : tensor<?x?xf32>) {
  ^bb0(%e: f16, %o: f32):
    %3 = arith.extf %e : f16 to f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<?x?xf32>) outs(%wide : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x?xf32>) outs(%narrow : tensor<?x?xf16>) {
  ^bb0(%e: f32, %o: f16):
    %3 = arith.truncf %e : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<?x?xf16>
  return %2 : tensor<?x?xf16>
}
