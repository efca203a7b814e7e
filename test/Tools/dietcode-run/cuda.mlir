// Programs run on a GPU through the CUDA driver. This is a driver that stands in
// for it: kernels do nothing, and take two milliseconds.

// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE=cuda:0 \
// RUN:     dietcode-run %s --shape T=37 | FileCheck %s --check-prefix=TABLE
// TABLE: @f on cuda:0, Tesla T4
// TABLE-NEXT: shape
// TABLE-NEXT: T=37 {{.*}} 1 - 2.000 ms

// Without a name, the GPU is the default.
// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE= \
// RUN:     dietcode-run %s --shape T=37 --json | FileCheck %s --check-prefix=JSON
// JSON: "device": "cuda:0, Tesla T4",
// JSON: "allocations": 1,
// JSON: "seconds": 0.002,
// JSON-NEXT: "sharedBytes": 1024,
// What only a virtual GPU knows is not there.
// JSON-NOT: dramBytes
// JSON: "peakBytes": 2368,

// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE=cuda:0 \
// RUN:     not dietcode-run %s --shape T=37 --check 2>&1 \
// RUN:     | FileCheck %s --check-prefix=WRONG
// WRONG: cuda.mlir:[[#]]:3: error: T=37: element {{.*}} of result 0 is

// Errors name the launch, or what there is no memory for.
// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE=cuda:0 \
// RUN:     FAKE_CUDA_FAIL=cuLaunchKernel:1:701 not dietcode-run %s --shape T=37 \
// RUN:     2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: error: T=37: kernel 'matmul_{{.*}}', grid ({{[0-9]+}}, 1, 1), block ({{[0-9]+}}, 1, 1), 0 bytes of dynamic shared memory: CUDA error 701
// LAUNCH-NOT: {{.}}
// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE=cuda:0 \
// RUN:     FAKE_CUDA_FAIL=cuMemAllocManaged:1:2 not dietcode-run %s \
// RUN:     --shape T=37 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: T=37: cuda:0: cannot allocate 2368 bytes of memory that the host shares, beside 0 bytes in use: CUDA_ERROR_OUT_OF_MEMORY
// MEMORY-NOT: {{.}}
// RUN: env DIETCODE_LIBCUDA=%unit/libfake_cuda.so DIETCODE_DEVICE=cuda:0 \
// RUN:     FAKE_CUDA_FAIL=cuModuleLoadDataEx:1:222 not dietcode-run %s \
// RUN:     --shape T=37 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: error: module0.ptx: CUDA_ERROR_UNSUPPORTED_PTX_VERSION{{.*}}; this driver is CUDA 12.2's: compile for an older PTX (ptx-version)
// PTX-NOT: {{.}}

dietcode.shape_var @T range [1, 64]
dietcode.workload @w over [@T]
func.func @f(%a: tensor<?x16xf32>, %b: tensor<16x16xf32>) -> tensor<?x16xf32>
    attributes {dietcode.workload = @w} {
  dietcode.bind_shape %a [@T], affine_map<()[t] -> (t, 16)> : tensor<?x16xf32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}
