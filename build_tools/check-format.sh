#!/usr/bin/env bash
# Fails if a C++ file of the tree is not formatted as .clang-format says, naming
# the files; with --fix, formats them. CLANG_FORMAT names another clang-format.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
clang_format=${CLANG_FORMAT:-clang-format-22}
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)

failed=()
while IFS= read -r -d '' file; do
  "$clang_format" "${mode[@]}" "$file" 2>/dev/null || failed+=("$file")
done < <(find benchmarks include lib python/src test tools \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0 | sort -z)

if [ ${#failed[@]} -gt 0 ]; then
  printf 'not formatted: %s\n' "${failed[@]}" >&2
  echo "run build_tools/check-format.sh --fix" >&2
  exit 1
fi
