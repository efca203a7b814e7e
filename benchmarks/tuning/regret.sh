#!/usr/bin/env bash
# What a dispatch loses at every T of BERT's QKV projection, T in [1, 128]:
#
#   1. dietcode-tune with the 8 instances of the workload and a budget of trials;
#   2. every candidate that may be within 15 % of the best at some T is measured
#      there, so that the best is known;
#   3. dietcode-explain compares the dispatch of 1. with the best of 2., at each T.
#
# usage: regret.sh FOLDER [TRIALS]   (FOLDER keeps records; BUILD names the build)
#
# With FOLDER/exhaustive.jsonl, of enumerate.sh, step 2 knows where to look.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BUILD:-$root/build}/bin
folder=${1:?usage: regret.sh FOLDER [TRIALS]}
trials=${2:-200}
mkdir -p "$folder"

"$bin/dietcode-tune" "$root/benchmarks/bert/qkv.mlir" --trials "$trials" \
  --records "$folder/tuned.jsonl" -o "$folder/tuned.mlir"

# The same files with every T as an instance.
every=$(seq 1 128 | sed 's/.*/[&]/' | paste -sd, -)
for file in "$root/benchmarks/bert/qkv.mlir" "$folder/tuned.mlir"; do
  sed "s/instances \[\[.*\]\]/instances [$every]/" "$file" > "$folder/every-$(basename "$file")"
done
if [ ! -f "$folder/every.jsonl" ]; then
  cat "$folder"/{tuned,exhaustive}.jsonl > "$folder/every.jsonl" 2>/dev/null || true
fi
"$bin/dietcode-tune" "$folder/every-qkv.mlir" --exhaustive --slack 0.15 --timeout 900 \
  --records "$folder/every.jsonl" -o /dev/null 2> "$folder/every.log"
"$bin/dietcode-explain" "$folder/every-tuned.mlir" --instances --records "$folder/every.jsonl" \
  > "$folder/regret.txt"
tail -1 "$folder/regret.txt"
