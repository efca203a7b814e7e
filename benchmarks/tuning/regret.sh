#!/usr/bin/env bash
# What a dispatch loses all over the range of a file with one shape variable (every T
# of BERT's QKV projection unless another is named), measured:
#
#   1. dietcode-tune with the instances of the workload and a budget of trials;
#   2. at each value, every candidate within SLACK (15 %) of the best that is known
#      there is measured, the kernels of the dispatch among them;
#   3. dietcode-explain compares the dispatch of 1. with the best of 2., at each value.
#
# usage: regret.sh FOLDER [FILE [VALUE...]]
#
# FOLDER keeps records, and is continued. TRIALS (200), SEED (0), SLACK and BUILD may
# be set. With FOLDER/exhaustive.jsonl, of enumerate.sh, step 2 knows where to look.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BUILD:-$root/build}/bin
folder=${1:?usage: regret.sh FOLDER [FILE [VALUE...]]}
file=${2:-$root/benchmarks/bert/qkv.mlir}
values=("${@:3}")
[ ${#values[@]} -gt 0 ] || mapfile -t values < <(seq 1 128)
mkdir -p "$folder"

"$bin/dietcode-tune" "$file" --trials "${TRIALS:-200}" --seed "${SEED:-0}" \
  --records "$folder/tuned.jsonl" -o "$folder/tuned.mlir"

# The same files with every value as an instance.
instances=$(printf '[%s], ' "${values[@]}")
for name in "$file" "$folder/tuned.mlir"; do
  sed "s/instances \[\[.*\]\]/instances [${instances%, }]/" "$name" \
    > "$folder/every-$(basename "$name")"
done
cat "$folder"/{tuned,exhaustive}.jsonl >> "$folder/every.jsonl" 2>/dev/null || true
"$bin/dietcode-tune" "$folder/every-$(basename "$file")" --exhaustive \
  --slack "${SLACK:-0.15}" --timeout 900 --records "$folder/every.jsonl" \
  -o /dev/null 2> "$folder/every.log"
for entry in $(grep -o 'func.func @[a-z0-9_]*' "$file" | cut -d@ -f2); do
  "$bin/dietcode-explain" "$folder/every-tuned.mlir" --entry "$entry" --instances \
    --records "$folder/every.jsonl" > "$folder/regret-$entry.txt"
  tail -1 "$folder/regret-$entry.txt"
done
