// RUN: dietcode-opt %s --dietcode-check-lowered --split-input-file --verify-diagnostics --allow-unregistered-dialect

llvm.func @lowered(%x: f32) -> f32 {
  llvm.return %x : f32
}

// -----

// Translated as it is.
llvm.func @openmp() {
  omp.barrier
  llvm.return
}

// -----

// The reason for the casts around it.
llvm.func @left(%x: i64) -> i64 {
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  // expected-error @below {{'arith.addi' op is left on the way to LLVM: dietcode-lower-to-llvm has no lowering for it; lower it before}}
  %1 = arith.addi %0, %0 : index
  %2 = builtin.unrealized_conversion_cast %1 : index to i64
  llvm.return %2 : i64
}

// -----

llvm.func @cast(%x: i64) -> i64 {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is left}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  %1 = builtin.unrealized_conversion_cast %0 : index to i64
  llvm.return %1 : i64
}

// -----

llvm.func @foreign() {
  // expected-error @below {{'test.unknown' op is left}}
  "test.unknown"() : () -> ()
  llvm.return
}

// -----

// expected-error @below {{'gpu.module' op is left}}
gpu.module @kernels {
}
