// RUN: dietcode-opt %s --pass-pipeline="builtin.module(func.func(dietcode-expand-bfloat16))" | FileCheck %s

// CHECK-LABEL: func @widen(
// CHECK-NOT: arith.extf
// CHECK: arith.bitcast %{{.*}} : bf16 to i16
// CHECK: arith.shli
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func @widen(%a: bf16) -> f32 {
  %0 = arith.extf %a : bf16 to f32
  return %0 : f32
}

// CHECK-LABEL: func @narrow(
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @narrow(%a: f32) -> bf16 {
  %0 = arith.truncf %a : f32 to bf16
  return %0 : bf16
}

// f16 has instructions, or functions of all compiler runtimes.
// CHECK-LABEL: func @half(
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%a: f32) -> f16 {
  %0 = arith.truncf %a : f32 to f16
  return %0 : f16
}
