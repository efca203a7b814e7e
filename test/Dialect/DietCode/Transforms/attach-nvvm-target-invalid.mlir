// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="ptx-version=60" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="ptx-version=66" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="ptx-version=99" 2>&1 | FileCheck %s --check-prefix=NEW
// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="opt-level=4" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="more-chips=sm_80,sm_1" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not dietcode-opt %s --dietcode-attach-nvvm-target="more-chips=sm_70" 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: sed 's/dietcode.device = .*/} {/' %s | not dietcode-opt --dietcode-attach-nvvm-target 2>&1 | FileCheck %s --check-prefix=NONE

// Too old for the chip, one that has never been, and one that the back end does
// not know. The error is at the gpu.module.
// OLD: [[@LINE+10]]:3: error: PTX ISA 6.0 cannot be used for sm_75; use one of 6.3, 6.4, 6.5, 7.0,
// UNKNOWN: [[@LINE+9]]:3: error: PTX ISA 6.6 cannot be used for sm_75; use one of 6.3, 6.4, 6.5, 7.0,
// NEW: [[@LINE+8]]:3: error: PTX ISA 9.9 cannot be used for sm_75; use one of 6.3, 6.4, 6.5, 7.0,
// LEVEL: [[@LINE+7]]:3: error: opt-level must be 0 to 3, got 4
// CHIP: [[@LINE+6]]:3: error: more-chips: unknown chip 'sm_1'; known are sm_20, sm_21,
// OLDER: [[@LINE+5]]:3: error: more-chips: sm_70 is older than sm_75, which the kernels were generated for
// NONE: [[@LINE+4]]:3: error: the module does not say which device it is for; run dietcode-attach-device
module attributes {
  dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {

  gpu.module @kernels {
  }
}
