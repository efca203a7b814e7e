// RUN: not dietcode-opt %s --dietcode-attach-device="device=b999" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not dietcode-opt %s --dietcode-attach-device="device=b999 chip=sm_80" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not dietcode-opt %s --dietcode-attach-device="chip=gfx90a" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not dietcode-opt %s --dietcode-attach-device="chip=sm_61" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not dietcode-opt %s --dietcode-attach-device="chip=sm_86" --dietcode-attach-device="chip=sm_90" 2>&1 | FileCheck %s --check-prefix=OTHER

// OTHER: attach-device-invalid.mlir:{{.*}}: error: the module is for #dietcode.device<"t4", chip = "sm_86">, but the options ask for t4, sm_90; drop its attribute dietcode.device to compile it for another device
// DEVICE: attach-device-invalid.mlir:{{.*}}: error: unknown device 'b999'; known devices: t4, rtx2080ti, v100, a100, l4, h100
// CHIP: attach-device-invalid.mlir:{{.*}}: error: unknown chip 'gfx90a'; known chips: sm_20,
// OLD: attach-device-invalid.mlir:{{.*}}: error: chip 'sm_61' is too old; kernels need sm_70 or newer
module {
}
