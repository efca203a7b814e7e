#!/usr/bin/env bash
# Measures every candidate on every instance of a file (BERT's QKV projection unless
# one is named), which is the truth that bench-ranking compares with, and prints what
# that says. Takes twenty minutes of two cores on the virtual device, and resumes where it
# was stopped. SAMPLE=N measures N candidates of each operator, drawn at random.
#
# usage: enumerate.sh RECORDS [FILE]         (BUILD names the build)

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$root/build}
records=${1:?usage: enumerate.sh RECORDS [FILE]}
"$build/bin/dietcode-tune" "${2:-$root/benchmarks/bert/qkv.mlir}" --exhaustive --space split=1 \
  ${SAMPLE:+--sample "$SAMPLE"} --timeout 900 --records "$records" -o /dev/null
"$build/benchmarks/bench-ranking" "$records"
