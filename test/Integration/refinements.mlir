// Kernels with a split of the k tiles, one stage, narrow vectors and the other
// order of tiles: all layouts, both twins, sizes below, at and beyond the tile,
// and empty ones. %schedule stands for what follows the name of the attribute.

// Sixteen rows in vectors of four; the parts end within and at the end of k.
// DEFINE: %{schedule} = block = [16, 64, 32], thread = [2, 4], split = 4
// DEFINE: %{file} = %t.four.mlir
// DEFINE: %{write} = sed 's/SCHEDULE/%{schedule}/' %s > %{file}
// DEFINE: %{products} = \
// DEFINE:   dietcode-run %{file} --entry nn --check \
// DEFINE:     --arg-shapes 33x31,31x65,33x65 --arg-shapes 64x256,256x128,64x128 \
// DEFINE:     --arg-shapes 16x0,0x16,16x16 --arg-shapes 0x16,16x16,0x16 \
// DEFINE:     --arg-shapes 1x1,1x1,1x1 --arg-shapes 1x705,705x705,1x705 \
// DEFINE:     --arg-shapes 4x12,12x128,4x128 --arg-shapes 129x193,193x66,129x66 > %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry nt --check \
// DEFINE:     --arg-shapes 33x31,65x31,33x65 --arg-shapes 64x256,128x256,64x128 \
// DEFINE:     --arg-shapes 16x0,16x0,16x16 --arg-shapes 16x16,0x16,16x0 \
// DEFINE:     --arg-shapes 1x1,1x1,1x1 --arg-shapes 1x705,705x705,1x705 \
// DEFINE:     --arg-shapes 4x12,128x12,4x128 --arg-shapes 129x193,66x193,129x66 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry tn --check \
// DEFINE:     --arg-shapes 31x33,31x65,33x65 --arg-shapes 256x64,256x128,64x128 \
// DEFINE:     --arg-shapes 0x16,0x16,16x16 --arg-shapes 16x0,16x16,0x16 \
// DEFINE:     --arg-shapes 1x1,1x1,1x1 --arg-shapes 705x1,705x705,1x705 \
// DEFINE:     --arg-shapes 12x4,12x128,4x128 --arg-shapes 193x129,193x66,129x66 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry tt --check \
// DEFINE:     --arg-shapes 31x33,65x31,33x65 --arg-shapes 256x64,128x256,64x128 \
// DEFINE:     --arg-shapes 0x16,16x0,16x16 --arg-shapes 16x0,16x16,0x16 \
// DEFINE:     --arg-shapes 1x1,1x1,1x1 --arg-shapes 705x1,705x705,1x705 \
// DEFINE:     --arg-shapes 12x4,128x12,4x128 --arg-shapes 193x129,66x193,129x66 >> %{file}.out
// DEFINE: %{others} = \
// DEFINE:   dietcode-run %{file} --entry epilogue --check \
// DEFINE:     --arg-shapes 64x48,48x72,64x72,72,64x72 --arg-shapes 33x17,17x45,33x45,45,33x45 \
// DEFINE:     --arg-shapes 33x0,0x45,33x45,45,33x45 > %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry columns --check \
// DEFINE:     --arg-shapes 64x96:1x64+0,96x65:1x96+0,64x65:1x64+0 \
// DEFINE:     --arg-shapes 63x96:1x67+2,96x65:1x97+5,63x65:1x63+1 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry any --check \
// DEFINE:     --arg-shapes 32x64:64x1+0,64x32:32x1+0,32x32:32x1+0 \
// DEFINE:     --arg-shapes 32x64:128x2+0,64x32:96x3+1,32x32:64x2+0 >> %{file}.out && \
// DEFINE:   dietcode-run %{file} --entry fixed --check >> %{file}.out

// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,SPLIT < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,SPLIT-OTHERS < %{file}.out

// Parts of unequal length, one buffer, and tiles that lie along n first.
// REDEFINE: %{schedule} = block = [16, 64, 16], thread = [2, 4], stages = 1, split = 3, vector = 2, order = [n, m]
// REDEFINE: %{file} = %t.three.mlir
// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,SPLIT < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,SPLIT-OTHERS < %{file}.out

// More parts than tiles: most are empty.
// REDEFINE: %{schedule} = block = [64, 64, 8], thread = [8, 8], split = 32, vector = 1
// REDEFINE: %{file} = %t.many.mlir
// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,SPLIT < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,SPLIT-OTHERS < %{file}.out

// So few elements that the reduction has vectors of two, and ones of one.
// REDEFINE: %{schedule} = block = [8, 8, 32], thread = [1, 1], split = 2
// REDEFINE: %{file} = %t.small.mlir
// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,SPLIT < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,SPLIT-OTHERS < %{file}.out
// REDEFINE: %{schedule} = block = [4, 8, 32], thread = [1, 1], split = 2, order = [n, m]
// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,SPLIT < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,SPLIT-OTHERS < %{file}.out

// Without a split there is one launch.
// REDEFINE: %{schedule} = block = [32, 64, 16], thread = [4, 4], stages = 1, vector = 1, order = [n, m]
// REDEFINE: %{file} = %t.whole.mlir
// RUN: %{write}
// RUN: %{products} && FileCheck %s --check-prefixes=PRODUCTS,WHOLE < %{file}.out
// RUN: %{others} && FileCheck %s --check-prefixes=OTHERS,WHOLE-OTHERS < %{file}.out

// PRODUCTS-COUNT-4: @{{nn|nt|tn|tt}} on virtual:t4
// OTHERS: @epilogue on virtual:t4
// OTHERS: @columns on virtual:t4
// OTHERS: @any on virtual:t4
// OTHERS: @fixed on virtual:t4

// SPLIT: simt general 2
// SPLIT-OTHERS: simt aligned 2
// WHOLE: simt general 1
// WHOLE-OTHERS: simt aligned 1

dietcode.micro_kernel @simt #dietcode.schedule<SCHEDULE>
dietcode.dispatch @d on () {
  case -> @simt
  otherwise -> @simt
}

func.func @nn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul accumulate dispatch(@d) ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @nt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul transpose_b dispatch(@d) ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @tn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul transpose_a dispatch(@d) ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @tt(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul transpose_a transpose_b accumulate dispatch(@d)
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @epilogue(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %bias: tensor<?xf32>,
                    %residual: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dietcode.matmul accumulate dispatch(@d) ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) epilogue(%bias, %residual : tensor<?xf32>, tensor<?x?xf32>)
      maps [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>] do {
  ^bb0(%sum: f32, %v: f32, %r: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.addf %sum, %v : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.addf %2, %r : f32
    dietcode.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The destination is contiguous along m, so that n of the aligned twin may be odd.
func.func @columns(%a: memref<?x?xf32, strided<[1, ?], offset: ?>>,
                   %b: memref<?x?xf32, strided<[1, ?], offset: ?>>,
                   %c: memref<?x?xf32, strided<[1, ?], offset: ?>>) {
  dietcode.matmul accumulate dispatch(@d)
      ins(%a, %b : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<?x?xf32, strided<[1, ?], offset: ?>>)
      outs(%c : memref<?x?xf32, strided<[1, ?], offset: ?>>)
  return
}

func.func @any(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32, strided<[?, ?], offset: ?>>,
               %c: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  dietcode.matmul dispatch(@d)
      ins(%a, %b : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>)
      outs(%c : memref<?x?xf32, strided<[?, ?], offset: ?>>)
  return
}

func.func @fixed(%a: memref<20x100xf32>, %b: memref<100x36xf32>, %c: memref<20x36xf32>) {
  dietcode.matmul dispatch(@d) ins(%a, %b : memref<20x100xf32>, memref<100x36xf32>) outs(%c : memref<20x36xf32>)
  return
}
