#!/usr/bin/env bash
# What a dispatch loses all over the range of a file with one shape variable (every T
# of BERT's QKV projection unless another is named), measured:
#
#   1. dietcode-tune with the instances of the workload and a budget of trials, unless
#      FOLDER/tuned.mlir is there;
#   2. at each value, the kernels of the dispatch are measured, and every candidate
#      within SLACK (6 %) of the best that is known there; of candidates that were
#      never measured, those that the model puts within twice that;
#   3. dietcode-explain compares the dispatch of 1. with the best of 2., at each value,
#      and says how much it loses on average, and where most.
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

# Step 1 must not know what step 2 has found.
[ -e "$folder/tuned.mlir" ] || "$bin/dietcode-tune" "$file" --trials "${TRIALS:-200}" \
  --seed "${SEED:-0}" --records "$folder/tuned.jsonl" -o "$folder/tuned.mlir"

# The same files with every value as an instance.
instances=$(printf '[%s], ' "${values[@]}")
for name in "$file" "$folder/tuned.mlir"; do
  sed "s/instances \[\[.*\]\]/instances [${instances%, }]/" "$name" \
    > "$folder/every-$(basename "$name")"
done
[ -e "$folder/every.jsonl" ] ||
  cat "$folder"/{tuned,exhaustive}.jsonl > "$folder/every.jsonl" 2>/dev/null || true
enumerate() {
  "$bin/dietcode-tune" "$folder/every-$(basename "$file")" --exhaustive --timeout 900 \
    --records "$folder/every.jsonl" "$@" -o /dev/null 2> "$folder/every.log"
}
entries() { grep -o 'func.func @[a-z0-9_]*' "$file" | cut -d@ -f2; }
# The schedules of the kernels that a function's dispatch chooses from, such as
# <block = [32, 64, 8], thread = [8, 8], split = 2>.
schedules() {
  local tuned=$folder/tuned.mlir dispatch
  dispatch=$(sed -n "/func.func @$1(/,/return/p" "$tuned" | grep -o 'dispatch(@[a-z0-9_]*' |
    cut -d@ -f2)
  sed -n "/dietcode.dispatch @$dispatch /,/}/p" "$tuned" | grep -o '@simt_[a-z0-9_]*' | sort -u |
    while read -r kernel; do grep "micro_kernel $kernel " "$tuned" | grep -o '<.*>'; done
}
for entry in $(entries); do
  schedules "$entry" | while read -r schedule; do
    read -r -a number <<< "$(grep -o '[0-9]\+' <<< "$schedule" | tr '\n' ' ')"
    enumerate --entry "$entry" --space block_m="${number[0]}" --space block_n="${number[1]}" \
      --space block_k="${number[2]}" --space thread_m="${number[3]}" \
      --space thread_n="${number[4]}" --space split="${number[5]:-1}" < /dev/null
  done
done
enumerate --slack "${SLACK:-0.06}"
for entry in $(entries); do
  "$bin/dietcode-explain" "$folder/every-tuned.mlir" --entry "$entry" --instances \
    --records "$folder/every.jsonl" | tee "$folder/regret-$entry.txt"
done
