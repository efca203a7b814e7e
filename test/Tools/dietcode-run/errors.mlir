// Every mistake of the user ends in one located error.

// RUN: split-file %s %t

//--- matmul.mlir
dietcode.shape_var @T range [1, 128]
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (16 * t, 64)> : tensor<?x64xf32>
  dietcode.bind_shape %c [@T], affine_map<()[t] -> (16 * t, 32)> : tensor<?x32xf32>
  %0 = dietcode.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// RUN: not dietcode-run %t/matmul.mlir 2>&1 | FileCheck %s --check-prefix=NO-SHAPE
// NO-SHAPE: matmul.mlir:2:14: error: argument 0 of 'f' ('tensor<?x64xf32>'): dimension 0 depends on the shape variable @T; give --shape T=VALUE
// RUN: not dietcode-run %t/matmul.mlir --shape T=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: dietcode-run: error: --shape: '-1' in 'T=-1' is less than 0 and so is not a size
// RUN: not dietcode-run %t/matmul.mlir --shape T=1152921504606846977 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: matmul.mlir:2:14: error: argument 0 of 'f' ('tensor<?x64xf32>'): dimension 0, which is bound to affine_map<()[s0] -> (s0 * 16, 64)>, has no size for the given shape variables
// RUN: not dietcode-run %t/matmul.mlir --shape T=abc 2>&1 | FileCheck %s --check-prefix=NO-NUMBER
// NO-NUMBER: dietcode-run: error: --shape: 'abc' in 'T=abc' is not a size
// RUN: not dietcode-run %t/matmul.mlir --shape M=1 2>&1 | FileCheck %s --check-prefix=NO-VARIABLE
// NO-VARIABLE: matmul.mlir:2:1: error: --shape: there is no shape variable @M; the module declares T
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 2x64 2>&1 | FileCheck %s --check-prefix=FEW-SHAPES
// FEW-SHAPES: matmul.mlir:2:1: error: --arg-shapes has 1 shapes, but 'f' has 3 tensor or buffer arguments
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 2x64,64x32,2x32,=1 2>&1 | FileCheck %s --check-prefix=MANY-SCALARS
// MANY-SCALARS: matmul.mlir:2:1: error: --arg-shapes has 1 scalars, but 'f' has 0 scalar arguments
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 2x64,64x33,2x32 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: matmul.mlir:2:36: error: argument 1 of 'f' ('tensor<64x32xf32>'): --arg-shapes gives 64x33, but dimension 1 is 32
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 2x64,64x32x1,2x32 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: matmul.mlir:2:36: error: argument 1 of 'f' ('tensor<64x32xf32>'): --arg-shapes gives 64x32x1, which has rank 3 instead of 2
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 2x64:65x1,64x32,2x32 2>&1 | FileCheck %s --check-prefix=DENSE
// DENSE: matmul.mlir:2:14: error: argument 0 of 'f' ('tensor<?x64xf32>'): --arg-shapes gives the strides 65x1, but the type is dense: they can only be 64x1
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 99999999999x64,64x32,2x32 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: matmul.mlir:2:14: error: argument 0 of 'f' ('tensor<?x64xf32>'): an operand of 99999999999x64 f32 elements does not fit the memory of the host
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --shape T=2 --arg-shapes 2x64 --arg-shapes 2x64 --arg-shapes 2x64 2>&1 | FileCheck %s --check-prefix=PAIRS
// PAIRS: dietcode-run: error: --shape is given 2 times and --arg-shapes 3 times; give both as often, or one of them once
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --entry g 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: matmul.mlir: error: --entry: there is no function @g with a body; it defines f

// Sizes that disagree at run time.
// RUN: not dietcode-run %t/matmul.mlir --arg-shapes 16x64,64x32,32x32 2>&1 | FileCheck %s --check-prefix=RUN-TIME
// RUN: not dietcode-run %t/matmul.mlir --check --arg-shapes 16x64,64x32,32x32 2>&1 | FileCheck %s --check-prefix=RUN-TIME
// RUN: not dietcode-run %t/matmul.mlir --check --arg-shapes 320000x64,64x32,16x32 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: 320000x64,64x32,16x32: dimension 0 of argument 2 {{.*}}got 16, expected 320000
// RUN-TIME: matmul.mlir:2:{{[0-9]+}}: error: 16x64,64x32,32x32: dimension 0 of argument 2 {{.*}}got 32, expected 16

// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --device h100 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: matmul.mlir: error: unknown device 'h100'
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --chip sm_999 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: matmul.mlir: error: unknown chip 'sm_999'
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --ptx-version 60 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: matmul.mlir: error: PTX ISA 6.0 cannot be used for sm_75
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --check --tolerance nan 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not dietcode-run %t/matmul.mlir --shape T=1 --check --tolerance -1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: dietcode-run: error: --tolerance must be a number that is not negative
// RUN: env DIETCODE_DEVICE=foo not dietcode-run %t/matmul.mlir --shape T=1 2>&1 | FileCheck %s --check-prefix=NO-DEVICE
// NO-DEVICE: matmul.mlir:2:1: error: DIETCODE_DEVICE=foo: there is no such device

//--- functions.mlir
func.func @g(%a: complex<f32>) { return }
func.func @h(%a: memref<4x4xi1>) { return }
func.func @k(%a: memref<4x4xf32, strided<[?, 1], offset: 3>>) { return }
func.func @r(%a: f32) -> complex<f32> {
  %0 = complex.create %a, %a : complex<f32>
  return %0 : complex<f32>
}

// RUN: not dietcode-run %t/functions.mlir 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: functions.mlir: error: the module has 4 public functions; choose one with --entry; it defines g, h, k, r
// RUN: not dietcode-run %t/functions.mlir --entry g 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: functions.mlir:1:14: error: argument 0 of 'g' ('complex<f32>'): arguments of this type cannot be made
// RUN: not dietcode-run %t/functions.mlir --entry h 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: functions.mlir:2:14: error: argument 0 of 'h' ('memref<4x4xi1>'): only ranked tensors and buffers of f16, f32, f64, i8, i16, i32, i64 and index can be made
// RUN: not dietcode-run %t/functions.mlir --entry k --arg-shapes 4x4+4 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: functions.mlir:3:14: error: argument 0 of 'k' {{.*}}: --arg-shapes gives the offset 4, but it is 3
// RUN: not dietcode-run %t/functions.mlir --entry k --arg-shapes 4x4:8x2 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: functions.mlir:3:14: error: argument 0 of 'k' {{.*}}: --arg-shapes gives the strides 8x2, but stride 1 is 1
// RUN: not dietcode-run %t/functions.mlir --entry r 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: functions.mlir: error: 'r' has a result that cannot be read back: '(f32) -> complex<f32>'

// The linker's own message is not a second one.
//--- undefined.mlir
func.func private @unused(f32)
func.func private @nowhere(f32)
func.func @f(%a: f32) {
  func.call @nowhere(%a) : (f32) -> ()
  return
}
// RUN: not dietcode-run %t/undefined.mlir 2>&1 | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not={{.}}
// UNDEFINED: {{.*}}undefined.mlir:2:1: error: function @nowhere is called, but not defined; define it in the module

// Inputs that are no modules.
// RUN: not dietcode-run %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: dietcode-run: error: cannot open input file '{{.*}}missing.mlir': No such file or directory
// RUN: not dietcode-run 2>&1 | FileCheck %s --check-prefix=NO-INPUT
// NO-INPUT: dietcode-run: error: there is no input; give a file of MLIR, or - for the standard input
// RUN: echo "func.func @f(" | not dietcode-run - 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: <stdin>:{{[0-9]+:[0-9]+}}: error: expected
// RUN: echo "" | not dietcode-run - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: <stdin>: error: the module has no function to run
