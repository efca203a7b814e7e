// RUN: dietcode-opt %s --dietcode-attach-nvvm-target --split-input-file | FileCheck %s
// RUN: dietcode-opt %s --dietcode-attach-nvvm-target="ptx-version=78 opt-level=3" --split-input-file | FileCheck %s --check-prefix=OPTIONS
// RUN: dietcode-opt %s --dietcode-attach-nvvm-target="more-chips=sm_89,sm_90,sm_89" --split-input-file | FileCheck %s --check-prefix=CHIPS

// The first PTX ISA that has what kernels need.
// CHECK: gpu.module @t4 [#nvvm.target<chip = "sm_75", features = "+ptx65">]
// CHIPS: gpu.module @t4 [#nvvm.target<chip = "sm_75", features = "+ptx65">, #nvvm.target<chip = "sm_89", features = "+ptx78">, #nvvm.target<chip = "sm_90", features = "+ptx78">]
// OPTIONS: gpu.module @t4 [#nvvm.target<O = 3, chip = "sm_75", features = "+ptx78">]
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">} {
  gpu.module @t4 {
  }
}

// -----

// The first that knows the chip.
// CHECK: gpu.module @newer [#nvvm.target<chip = "sm_89", features = "+ptx78">]
// CHIPS: gpu.module @newer [#nvvm.target<chip = "sm_89", features = "+ptx78">, #nvvm.target<chip = "sm_90", features = "+ptx78">]
// OPTIONS: gpu.module @newer [#nvvm.target<O = 3, chip = "sm_89", features = "+ptx78">]
module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_89">} {
  gpu.module @newer {
  }
}

// -----

// A target that is there stays; the device is not needed then.
// CHECK: gpu.module @mine [#nvvm.target<chip = "sm_90">]
// CHIPS: gpu.module @mine [#nvvm.target<chip = "sm_90">]
// OPTIONS: gpu.module @mine [#nvvm.target<chip = "sm_90">]
gpu.module @mine [#nvvm.target<chip = "sm_90">] {
}
