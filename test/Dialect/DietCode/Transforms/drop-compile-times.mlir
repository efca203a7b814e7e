// RUN: dietcode-opt %s --dietcode-drop-compile-times | FileCheck %s

// Of every object; other properties, formats and tables of kernels stay.
// CHECK: gpu.binary @two [
// CHECK-SAME: #gpu.object<#nvvm.target<chip = "sm_75">, properties = {O = 2 : i32}, assembly = "a">
// CHECK-SAME: #gpu.object<#nvvm.target<chip = "sm_86">, bin = "b">
gpu.binary @two [
  #gpu.object<#nvvm.target<chip = "sm_75">, properties = {LLVMIRToISATimeInMs = 4 : i64, O = 2 : i32}, assembly = "a">,
  #gpu.object<#nvvm.target<chip = "sm_86">, properties = {ISAToBinaryTimeInMs = 8 : i64}, bin = "b">]

// CHECK: gpu.binary @none [#gpu.object<#nvvm.target<chip = "sm_75">, assembly = "c">]
gpu.binary @none [#gpu.object<#nvvm.target<chip = "sm_75">, assembly = "c">]
