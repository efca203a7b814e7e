#!/usr/bin/env bash
# What a dispatch loses all over the range of a file with one shape variable (every T
# of BERT's QKV projection unless another is named), measured:
#
#   1. dietcode-tune with the instances of the workload and a budget of trials, unless
#      FOLDER/tuned.mlir is there;
#   2. at each value, every candidate within SLACK (8 %) of the best that is known
#      there is measured, the kernels of the dispatch among them; of candidates that
#      were never measured, those that the model puts within twice that;
#   3. dietcode-explain compares the dispatch of 1. with the best of 2., at each value,
#      and says how much it loses on average, and where most.
#
# usage: regret.sh FOLDER [FILE [VALUE...]]
#
# FOLDER keeps records, and is continued. TRIALS (200), SEED (0), SLACK and BUILD may
# be set. With FOLDER/exhaustive.jsonl, of enumerate.sh, step 2 knows where to look.
# For the default FILE, what step 2 found is stored: it only measures what is missing.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BUILD:-$root/build}/bin
folder=${1:?usage: regret.sh FOLDER [FILE [VALUE...]]}
file=${2:-$root/benchmarks/bert/qkv.mlir}
values=("${@:3}")
[ ${#values[@]} -gt 0 ] || mapfile -t values < <(seq 1 128)
mkdir -p "$folder"

# Step 1 must not know what step 2 has found.
[ -e "$folder/tuned.mlir" ] || "$bin/dietcode-tune" "$file" --trials "${TRIALS:-200}" \
  --seed "${SEED:-0}" --records "$folder/tuned.jsonl" -o "$folder/tuned.mlir"

# The same files with every value as an instance.
instances=$(printf '[%s], ' "${values[@]}")
for name in "$file" "$folder/tuned.mlir"; do
  sed "s/instances \[\[.*\]\]/instances [${instances%, }]/" "$name" \
    > "$folder/every-$(basename "$name")"
done
if [ ! -e "$folder/every.jsonl" ]; then
  [ $# -gt 1 ] || xz -dc "$root"/benchmarks/tuning/qkv-{virtual-t4,every-virtual-t4}.jsonl.xz \
    > "$folder/every.jsonl"
  cat "$folder"/{tuned,exhaustive}.jsonl >> "$folder/every.jsonl" 2>/dev/null || true
fi
"$bin/dietcode-tune" "$folder/every-$(basename "$file")" --exhaustive \
  --slack "${SLACK:-0.08}" --timeout 900 --records "$folder/every.jsonl" \
  -o /dev/null 2> "$folder/every.log"
for entry in $(grep -o 'func.func @[a-z0-9_]*' "$file" | cut -d@ -f2); do
  "$bin/dietcode-explain" "$folder/every-tuned.mlir" --entry "$entry" --instances \
    --records "$folder/every.jsonl" | tee "$folder/regret-$entry.txt"
done
