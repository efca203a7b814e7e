// RUN: not dietcode-opt %s --dietcode-attach-device="device=a100" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not dietcode-opt %s --dietcode-attach-device="device=a100 chip=sm_80" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not dietcode-opt %s --dietcode-attach-device="chip=gfx90a" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not dietcode-opt %s --dietcode-attach-device="chip=sm_61" 2>&1 | FileCheck %s --check-prefix=OLD

// DEVICE: attach-device-invalid.mlir:{{.*}}: error: unknown device 'a100'; known devices: t4
// CHIP: attach-device-invalid.mlir:{{.*}}: error: unknown chip 'gfx90a'; known chips: sm_20,
// OLD: attach-device-invalid.mlir:{{.*}}: error: chip 'sm_61' is too old; kernels need sm_70 or newer
module {
}
