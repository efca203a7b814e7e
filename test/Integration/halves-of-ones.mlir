// Halves are summed up in f32 unless something else is stated: a sum of ones is
// exact, and too large a one overflows where it is rounded to what is written,
// not before.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py ones 3x4096 f16 %t/a.npy
// RUN: %python %S/Inputs/npy.py ones 4096x5 f16 %t/b.npy
// RUN: %python %S/Inputs/npy.py ones 3x70000 f16 %t/long-a.npy
// RUN: %python %S/Inputs/npy.py ones 70000x5 f16 %t/long-b.npy

// RUN: dietcode-run %s --entry half --input %t/a.npy --input %t/b.npy --arg-shapes 3x4096,4096x5,3x5 --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=EXACT
// RUN: dietcode-run %s --entry single --input %t/a.npy --input %t/b.npy --arg-shapes 3x4096,4096x5,3x5 --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=EXACT
// EXACT: {{^}}4096.0{{$}}

// RUN: dietcode-run %s --entry half --input %t/long-a.npy --input %t/long-b.npy --arg-shapes 3x70000,70000x5,3x5 \
// RUN:     --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: {{^}}inf{{$}}
// RUN: dietcode-run %s --entry single --input %t/long-a.npy --input %t/long-b.npy --arg-shapes 3x70000,70000x5,3x5 \
// RUN:     --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=LONG
// LONG: {{^}}70000.0{{$}}
// RUN: dietcode-run %s --entry scaled --input %t/long-a.npy --input %t/long-b.npy --arg-shapes 3x70000,70000x5,3x5 \
// RUN:     --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=SCALED
// SCALED: {{^}}17504.0{{$}}

// Sums in f16 stop where half of the last place is one.
// RUN: dietcode-run %s --entry half_sums --input %t/a.npy --input %t/b.npy --arg-shapes 3x4096,4096x5,3x5 \
// RUN:     --output %t/c.npy
// RUN: %python %S/Inputs/npy.py values %t/c.npy | FileCheck %s --check-prefix=SUMS
// SUMS-NOT: {{inf|nan}}

func.func @half(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  dietcode.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>)
  return
}

func.func @single(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  dietcode.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>)
  return
}

// The epilogue is given the sum before it is rounded.
func.func @scaled(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  dietcode.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) do {
  ^bb0(%sum: f32):
    %quarter = arith.constant 0.25 : f32
    %0 = arith.mulf %sum, %quarter : f32
    %1 = arith.truncf %0 : f32 to f16
    dietcode.yield %1 : f16
  }
  return
}

func.func @half_sums(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  dietcode.matmul sums(f16) ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>)
  return
}
