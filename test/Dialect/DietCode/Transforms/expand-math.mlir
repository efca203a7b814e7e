// RUN: dietcode-opt %s --pass-pipeline="builtin.module(gpu.module(dietcode-expand-math))" --split-input-file --verify-diagnostics | FileCheck %s

// What libdevice would be called for becomes polynomials.
// CHECK-LABEL: gpu.func @polynomials
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @polynomials(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : f32
    %1 = math.log %0 : f32
    %2 = math.tanh %1 : f32
    %3 = math.erf %2 : f32
    %4 = math.sin %3 : f32
    %5 = math.cos %4 : f32
    memref.store %5, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// What is made of others goes the same way.
// CHECK-LABEL: gpu.func @expanded
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @expanded(%x: f32, %o: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.rsqrt %x : f32
    %1 = math.tan %0 : f32
    %2 = math.sinh %1 : f32
    %3 = math.cosh %2 : f32
    %4 = math.asinh %3 : f32
    %5 = math.acosh %4 : f32
    %6 = math.atanh %5 : f32
    %7 = math.exp2 %6 : f32
    %8 = math.round %7 : f32
    memref.store %8, %o[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// What the GPU has instructions for becomes an intrinsic, which the lowering to
// NVVM does not make a call of libdevice.
// CHECK-LABEL: gpu.func @native
// CHECK-NEXT: arith.constant
// CHECK-NEXT: llvm.call_intrinsic "llvm.fabs"
// CHECK-NEXT: llvm.call_intrinsic "llvm.ceil"
// CHECK-NEXT: llvm.call_intrinsic "llvm.floor"
// CHECK-NEXT: llvm.call_intrinsic "llvm.trunc"
// CHECK-NEXT: llvm.call_intrinsic "llvm.roundeven"
// CHECK-NEXT: llvm.call_intrinsic "llvm.sqrt"
// CHECK-NEXT: llvm.call_intrinsic "llvm.fma"(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.copysign"
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @native(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.absf %x : f32
    %1 = math.ceil %0 : f32
    %2 = math.floor %1 : f32
    %3 = math.trunc %2 : f32
    %4 = math.roundeven %3 : f32
    %5 = math.sqrt %4 : f32
    %6 = math.fma %5, %x, %x : f32
    %7 = math.copysign %6, %x : f32
    memref.store %7, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Host code has a libm.
// CHECK-LABEL: func.func @host
// CHECK: math.powf
func.func @host(%x: f32) -> f32 {
  %0 = math.powf %x, %x : f32
  return %0 : f32
}

// -----

gpu.module @kernels {
  gpu.func @powf(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'math.powf' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f32'}}
    %0 = math.powf %x, %x : f32
    memref.store %0, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Polynomials are for f32.
gpu.module @kernels {
  gpu.func @exp_f64(%x: f64, %out: memref<6xf64>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'math.exp' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f64'}}
    %0 = math.exp %x : f64
    memref.store %0, %out[%c0] : memref<6xf64>
    gpu.return
  }
}

// -----

// The remainder is a call of libdevice, too.
gpu.module @kernels {
  gpu.func @remf(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'arith.remf' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f32'}}
    %0 = arith.remf %x, %x : f32
    memref.store %0, %out[%c0] : memref<6xf32>
    gpu.return
  }
}
