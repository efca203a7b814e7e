// What is wrong with files that are read or written is one message, early, and
// nothing is overwritten.

// RUN: rm -rf %t && mkdir -p %t/folder && echo "// precious" > %t/keep.mlir
// RUN: dietcode-tune %s --trials=24 --records=%t/r.jsonl --model=%t/m.ubj -o %t/tuned.mlir

// Outputs are checked before anything takes time.
// RUN: not dietcode-tune %s --trials=100000 -o %t/no/such/folder.mlir 2>&1 | FileCheck %s --check-prefix=NO-FOLDER
// NO-FOLDER: {{^}}error: cannot write '{{.*}}folder.mlir': No such file or directory
// RUN: not dietcode-tune %s --trials=100000 -o %t/folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write '{{.*}}folder': Is a directory
// RUN: not dietcode-tune %s --trials=100000 --model=%t/no/m.ubj -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-MODEL
// NO-MODEL: error: cannot write '{{.*}}m.ubj': No such file or directory
// RUN: not dietcode-tune %s --trials=100000 --records=%t/no/r.jsonl -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=NO-RECORDS
// NO-RECORDS: error: {{.*}}r.jsonl': No such file or directory
// RUN: cp %t/r.jsonl %t/same.jsonl
// RUN: not dietcode-tune %s --trials=100000 --records=%t/same.jsonl -o %t/folder/../same.jsonl 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: -o and --records are the same file: '{{.*}}same.jsonl'
// RUN: cmp %t/r.jsonl %t/same.jsonl
// RUN: not dietcode-tune %s --trials=1 -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write '/dev/full': No space left on device

// Models: of another device, cut short, and of a file that is not one.
// RUN: not dietcode-tune %s --model-only --device=virtual:a100 --model=%t/m.ubj -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: the file '{{.*}}m.ubj' was trained for the device 'virtual:t4', not for 'virtual:a100'
// RUN: head -c 3000 %t/m.ubj > %t/cut.ubj
// RUN: not dietcode-tune %s --trials=1 --model=%t/cut.ubj -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: the file '{{.*}}cut.ubj' is cut off after 3000 bytes
// RUN: not dietcode-tune %s --trials=1 --model=/dev/zero -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: cannot read '/dev/zero': it is a device without an end
// RUN: dietcode-tune %s --model-only --records=%t/r.jsonl --model=%t/m.json -o %t/out.mlir
// RUN: %python %S/Inputs/foreign_schema.py %t/m.json > %t/schema.json
// RUN: not dietcode-tune %s --trials=1 --model=%t/schema.json -o %t/keep.mlir 2>&1 | FileCheck %s --check-prefix=SCHEMA
// SCHEMA: error: the file '{{.*}}schema.json' was trained on features of schema 0123456789abcdef, not {{[0-9a-f]+}}; train it again with this version
// RUN: dietcode-tune %s --trials=1 --model=%t/few.ubj -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: note: {{.*}}few.ubj: not written, since there are too few measurements to train a model
// RUN: FileCheck %s --check-prefix=KEPT < %t/keep.mlir
// KEPT: {{^}}// precious

// Records with line ends of another system and fields of somebody else, which
// stay as they are; and with times that are none.
// RUN: %python -c "import sys; sys.stdout.write(open('%t/r.jsonl').read().replace('\n', '\r\n').replace('\"v\":1', '\"v\":1,\"colour\":\"blue\"'))" > %t/crlf.jsonl
// RUN: cp %t/crlf.jsonl %t/crlf-before.jsonl
// RUN: dietcode-tune %s --trials=1 --records=%t/crlf.jsonl -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=CRLF
// CRLF: note: {{.*}}crlf.jsonl: 24 records{{$}}
// CRLF: 25 of {{[0-9]+}} candidates measured
// RUN: %python -c "a = open('%t/crlf-before.jsonl', 'rb').read(); b = open('%t/crlf.jsonl', 'rb').read(); assert b.startswith(a) and len(b) > len(a)"
// RUN: %python -c "import re; t = open('%t/r.jsonl').read().splitlines(); [print(re.sub('\"seconds\":[^}]*', '\"seconds\":' + s, l)) for l, s in zip(t, ['0', '-1', 'NaN', 'Infinity', '1e999'])]; print(t[5])" > %t/times.jsonl
// RUN: dietcode-tune %s --model-only --records=%t/times.jsonl -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: note: {{.*}}times.jsonl: 6 records; skipped {{[0-9]+}} times that are no positive number
// TIMES: 1 of {{[0-9]+}} candidates measured, 0 failed

func.func @f(%a: tensor<128x64xf32>, %b: tensor<64x96xf32>, %c: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %0 = dietcode.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}
