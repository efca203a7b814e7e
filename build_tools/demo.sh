#!/usr/bin/env bash
# Sets up, builds, and runs the main job: BERT's dynamic QKV projection for the
# sequence lengths of the DietCode paper: tuned in one search for all lengths,
# compiled once for all of them, each result checked against a float64 reference.
# The device is a virtual T4, as the table's header says.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export DIETCODE_DEVICE=virtual:t4

install_packages
configure
build_targets dietcode-run dietcode-tune
input=$root/benchmarks/bert/qkv.mlir
# Records of an earlier run would leave nothing to show.
demo=$(mktemp -d)
trap 'rm -rf "$demo"' EXIT
say "Tuning BERT's QKV projection, (16T, 768) x (2304, 768)^T + bias, for T in [1, 128]"
"$build/bin/dietcode-tune" "$input" --trials 96 --records "$demo/qkv.jsonl" -o "$demo/qkv.mlir"
say "Running what was tuned, compiled once"
shapes=()
for t in 5 24 43 62 81 100 119 128; do
  shapes+=(--shape "T=$t")
done
"$build/bin/dietcode-run" "$demo/qkv.mlir" --check "${shapes[@]}"
