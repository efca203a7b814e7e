// Data go in and out as .npy files.

// RUN: mkdir -p %t
// RUN: dietcode-run %s --entry same --arg-shapes 3x5 --output %t/a.npy
// RUN: dietcode-run %s --entry same --input %t/a.npy --seed 7 --output %t/b.npy
// RUN: cmp %t/a.npy %t/b.npy
// The file gives the size of the argument; another seed gives other numbers.
// RUN: dietcode-run %s --entry same --arg-shapes 3x5 --seed 7 --output %t/c.npy
// RUN: not cmp %t/a.npy %t/c.npy

// A function without results has its output in its last buffer.
// RUN: dietcode-run %s --entry copy --arg-shapes 3x5,3x5 --input %t/a.npy --output %t/d.npy
// RUN: cmp %t/a.npy %t/d.npy

// RUN: not dietcode-run %s --entry same --arg-shapes 3x6 --input %t/a.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: npy.mlir:[[@LINE+14]]:17: error: argument 0 of 'same' ('tensor<?x?xf32>'): the input file gives 3x5, but dimension 1 is 6
// RUN: not dietcode-run %s --entry ints --arg-shapes 3x5 --input %t/a.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: argument 0 of 'ints' ('tensor<?x?xi32>'): the input file holds elements of type f32
// RUN: not dietcode-run %s --entry same --input %s 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: dietcode-run: error: --input: {{.*}}npy.mlir: not an .npy file, or one that is cut off within its header
// RUN: not dietcode-run %s --entry same --input %t/a.npy --input %t/a.npy 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --input is given 2 times, but 'same' has 1 tensor or buffer arguments
// RUN: not dietcode-run %s --entry same --arg-shapes 1x1 --output %t/no/a.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: --output: cannot write '{{.*}}a.npy': No such file or directory
// RUN: not dietcode-run %s --entry same --arg-shapes 1x1 --output %t/a --output %t/b 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: --output is given 2 times, but 'same' has 1 outputs
// RUN: not dietcode-run %s --entry same --arg-shapes 1x1 --arg-shapes 2x2 --output %t/a 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: dietcode-run: error: --output needs exactly one run, but there are 2

func.func @same(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %a : tensor<?x?xf32>
}

func.func @copy(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  linalg.copy ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  return
}

func.func @ints(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  return %a : tensor<?x?xi32>
}
