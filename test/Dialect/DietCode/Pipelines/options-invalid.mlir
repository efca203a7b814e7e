// RUN: not dietcode-opt %s --dietcode-to-llvm="device=b999" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not dietcode-opt %s --dietcode-to-llvm="chip=sm_74" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not dietcode-opt %s --dietcode-to-llvm="chip=sm_61" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not dietcode-opt %s --dietcode-to-llvm="ptx-version=60" 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not dietcode-opt %s --dietcode-to-llvm="chip=sm_90 ptx-version=70" 2>&1 | FileCheck %s --check-prefix=PTX90
// RUN: not dietcode-opt %s --dietcode-to-llvm="format=foo" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not dietcode-opt %s --dietcode-to-llvm="max-kernels=0" 2>&1 | FileCheck %s --check-prefix=KERNELS
// RUN: not dietcode-opt %s --dietcode-to-llvm="opt-level=4" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not dietcode-opt %s --dietcode-to-llvm="chips=sm_75" 2>&1 | FileCheck %s --check-prefix=NAME

// Nothing is written when an option is wrong.
// DEVICE: error: unknown device 'b999'; known devices: t4, rtx2080ti, v100, a100, l4, h100
// CHIP: error: unknown chip 'sm_74'; known chips: sm_20,
// OLD: error: chip 'sm_61' is too old; kernels need sm_70 or newer
// PTX: error: PTX ISA 6.0 cannot be used for sm_75; use one of 6.3,
// PTX90: error: PTX ISA 7.0 cannot be used for sm_90; use one of 7.8,
// FORMAT: Cannot find option named 'foo'
// KERNELS: error: max-kernels must be at least 1
// LEVEL: error: opt-level must be 0 to 3, got 4
// NAME: no such option chips
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
