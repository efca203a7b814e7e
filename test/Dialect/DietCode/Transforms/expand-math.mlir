// RUN: dietcode-opt %s --pass-pipeline="builtin.module(gpu.module(dietcode-expand-math))" --split-input-file --verify-diagnostics | FileCheck %s

// What libdevice would be called for becomes arithmetic.
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
    %sin, %cos = math.sincos %3 : f32
    %5 = math.powf %sin, %cos : f32
    memref.store %5, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// exp(x) is 2^n (1 + r + r^2 p(r)), where adding 1.5 2^23 rounds x / ln 2 to n.
// CHECK-LABEL: gpu.func @exp
// CHECK: llvm.call_intrinsic "llvm.fma"
// CHECK-SAME: (f32, f32, f32) -> f32
// CHECK: arith.subf
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.fma"
// CHECK: arith.shli
// CHECK: %[[FIRST:.*]] = arith.mulf
// CHECK: arith.mulf %[[FIRST]]
// CHECK-NEXT: memref.store
gpu.module @kernels {
  gpu.func @exp(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x fastmath<fast> : f32
    memref.store %0, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Numbers of 16 bits are computed in f32 and rounded once.
// CHECK-LABEL: gpu.func @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: "llvm.sqrt"(%{{.*}}) : (f32) -> f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: math.
// CHECK: arith.truncf %{{.*}} : f32 to bf16
gpu.module @kernels {
  gpu.func @half(%x: f16, %y: bf16, %xs: memref<6xf16>, %ys: memref<6xbf16>)
      kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %x : f16
    memref.store %0, %xs[%c0] : memref<6xf16>
    %1 = math.tanh %y : bf16
    memref.store %1, %ys[%c0] : memref<6xbf16>
    gpu.return
  }
}

// -----

// Vectors go element by element.
// CHECK-LABEL: gpu.func @vector
// CHECK: vector.extract %{{.*}}[0, 0] : f32 from vector<2x2xf32>
// CHECK: vector.insert %{{.*}}[0, 0] : f32 into vector<2x2xf32>
// CHECK: vector.extract %{{.*}}[1, 1] : f32 from vector<2x2xf32>
// CHECK: vector.insert %{{.*}}[1, 1] : f32 into vector<2x2xf32>
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @vector(%x: vector<2x2xf32>, %out: memref<6xvector<2x2xf32>>)
      kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : vector<2x2xf32>
    memref.store %0, %out[%c0] : memref<6xvector<2x2xf32>>
    gpu.return
  }
}

// -----

// f64 has what takes instructions alone.
// CHECK-LABEL: gpu.func @double
// CHECK: "llvm.sqrt"(%{{.*}}) : (f64) -> f64
// CHECK-NEXT: arith.divf %{{.*}} : f64
// CHECK: "llvm.trunc"(%{{.*}}) : (f64) -> f64
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @double(%x: f64, %out: memref<6xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.rsqrt %x : f64
    %1 = math.round %0 : f64
    %2 = math.clampf %1 to [%x, %x] : f64
    memref.store %2, %out[%c0] : memref<6xf64>
    gpu.return
  }
}

// -----

// A sigmoid does not overflow: it is that of -|x|, or 1 minus it.
// CHECK-LABEL: gpu.func @sigmoid
// CHECK: "llvm.fabs"
// CHECK-NOT: arith.divf
// CHECK: "llvm.nvvm.rcp.approx.ftz.f"
// CHECK-NOT: arith.divf
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @sigmoid(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %0 = arith.negf %x : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %one, %1 : f32
    %3 = arith.divf %one, %2 : f32
    memref.store %3, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Any other division is IEEE's.
// CHECK-LABEL: gpu.func @division
// CHECK: arith.divf
gpu.module @kernels {
  gpu.func @division(%x: f32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %0 = math.exp %x : f32
    %1 = arith.addf %one, %0 : f32
    %2 = arith.divf %one, %1 : f32
    memref.store %2, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Functions of integers that are instructions.
// CHECK-LABEL: gpu.func @integers
// CHECK: "llvm.ctlz"(%{{.*}}, %false{{.*}}) : (i32, i1) -> i32
// CHECK: "llvm.cttz"(%{{.*}}, %false{{.*}}) : (i32, i1) -> i32
// CHECK: "llvm.ctpop"(%{{.*}}) : (i32) -> i32
// CHECK: "llvm.abs"(%{{.*}}, %false{{.*}}) : (i32, i1) -> i32
gpu.module @kernels {
  gpu.func @integers(%x: i32, %out: memref<6xi32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.ctlz %x : i32
    %1 = math.cttz %0 : i32
    %2 = math.ctpop %1 : i32
    %3 = math.absi %2 : i32
    memref.store %3, %out[%c0] : memref<6xi32>
    gpu.return
  }
}

// -----

// What a number is takes comparisons.
// CHECK-LABEL: gpu.func @classes
// CHECK: %[[INF:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK: arith.cmpf olt, %{{.*}}, %[[INF]] : f64
// CHECK: %[[MIN:.*]] = arith.constant dense<1.17549435E-38> : vector<4xf32>
// CHECK: arith.cmpf oge, %{{.*}}, %[[MIN]] : vector<4xf32>
// CHECK-NOT: math.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @classes(%x: f64, %y: vector<4xf32>, %xs: memref<6xi1>,
                    %ys: memref<6xvector<4xi1>>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.isfinite %x : f64
    memref.store %0, %xs[%c0] : memref<6xi1>
    %1 = math.isnormal %y : vector<4xf32>
    memref.store %1, %ys[%c0] : memref<6xvector<4xi1>>
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
// CHECK-NEXT: llvm.call_intrinsic "llvm.minnum"
// CHECK-NEXT: llvm.call_intrinsic "llvm.maxnum"
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
    %8 = arith.minnumf %7, %x : f32
    %9 = arith.maxnumf %8, %x : f32
    memref.store %9, %out[%c0] : memref<6xf32>
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

// Powers of constant integers; also of f64, where products are enough.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @integerPowers
  // CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64,
  gpu.func @integerPowers(%x: f32, %y: f64, %out: memref<6xf32>, %wide: memref<6xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i32
    // CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]] : f32
    // CHECK: memref.store %[[SQUARE]]
    %0 = math.fpowi %x, %c2 : f32, i64
    memref.store %0, %out[%c0] : memref<6xf32>
    // CHECK: %[[S:.*]] = arith.mulf %[[Y]], %[[Y]] : f64
    // CHECK: %[[CUBE:.*]] = arith.mulf %[[S]], %[[Y]] : f64
    // CHECK: memref.store %[[CUBE]]
    %1 = math.fpowi %y, %c3 : f64, i32
    memref.store %1, %wide[%c0] : memref<6xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wideIntegerPower(%x: f64, %out: memref<6xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i32
    // expected-error @below {{'math.fpowi' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f64'}}
    %0 = math.fpowi %x, %c4 : f64, i32
    memref.store %0, %out[%c0] : memref<6xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fpowi(%x: f32, %n: i32, %out: memref<6xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'math.fpowi' op cannot be compiled for the GPU: there is no expansion without libdevice for 'f32'}}
    %0 = math.fpowi %x, %n : f32, i32
    memref.store %0, %out[%c0] : memref<6xf32>
    gpu.return
  }
}

// -----

// Its other functions have no expansion.
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
