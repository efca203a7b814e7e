// What a kernel, or host code, touches outside of its operands is found.

// RUN: not dietcode-run %s --entry read 2> %t
// RUN: FileCheck %s --check-prefix=READ < %t
// READ: error: 16x16,16x16,32x16: {{.*}}out-of-bounds global load{{.*}}'argument 0' of 1024 bytes; block {{.*}}, thread
// RUN: not dietcode-run %s --entry write --arg-shapes 4x4,=5 2> %t
// RUN: FileCheck %s --check-prefix=WRITE < %t
// WRITE: error: argument 0 of 'write' ('memref<?x4xf32>'): memory was written 25 elements from the start of the operand, where it has no element

// The exit code says what it was.
// RUN: sh -c 'dietcode-run %s --entry read 2> %t; test $? = 4'
// RUN: sh -c 'dietcode-run %s --entry write --arg-shapes 4x4,=5 2> %t; test $? = 4'

func.func @read(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<32x16xf32>) {
  %big = memref.reinterpret_cast %a to offset: [0], sizes: [32, 16], strides: [16, 1]
      : memref<16x16xf32> to memref<32x16xf32>
  linalg.matmul ins(%big, %b : memref<32x16xf32>, memref<16x16xf32>) outs(%c : memref<32x16xf32>)
  return
}

func.func @write(%a: memref<?x4xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %a[%i, %i] : memref<?x4xf32>
  return
}

// Under --json, the report has its parts.
// RUN: sh -c 'dietcode-run %s --entry read --json 2> %t > %t.json; test $? = 4'
// RUN: FileCheck %s --check-prefix=READ-JSON < %t.json
// READ-JSON: "finding": {
// READ-JSON:   "kind": "out-of-bounds"
// READ-JSON: "runs": []
// RUN: sh -c 'dietcode-run %s --entry write --json --arg-shapes 4x4,=5 2> %t > %t.json; test $? = 4'
// RUN: FileCheck %s --check-prefix=WRITE-JSON < %t.json
// WRITE-JSON: "finding": {
// WRITE-JSON:   "argument": 0
// WRITE-JSON:   "kind": "stray-write"
