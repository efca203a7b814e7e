// RUN: dietcode-opt %s --dietcode-attach-device | FileCheck %s
// RUN: dietcode-opt %s --dietcode-attach-device="chip=sm_80" | FileCheck %s --check-prefix=CHIP
// RUN: dietcode-opt %s --dietcode-attach-device="device=t4 chip=sm_86" --dietcode-attach-device | FileCheck %s --check-prefix=KEPT

// The chip is that of the device unless given; a device that is there stays.
// CHECK: module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_75">}
// CHIP: module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_80">}
// KEPT: module attributes {dietcode.device = #dietcode.device<"t4", chip = "sm_86">}
module {
}
