#!/usr/bin/env bash
# Sets up, builds, and runs the main job: BERT's dynamic QKV projection for the
# sequence lengths of the DietCode paper, one compilation for all, each result
# checked against a float64 reference. The device is a T4 if there is a CUDA
# device, else the virtual one; the table's header says which.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages
configure
build_targets dietcode-run
say "BERT's QKV projection, (16T, 768) x (2304, 768)^T + bias, compiled once for T in [1, 128]"
shapes=()
for t in 5 24 43 62 81 100 119 128; do
  shapes+=(--shape "T=$t")
done
"$build/bin/dietcode-run" "$root/benchmarks/bert/qkv.mlir" --check "${shapes[@]}"
