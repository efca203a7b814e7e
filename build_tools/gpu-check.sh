#!/usr/bin/env bash
# Makes the folder that is copied to a machine with a GPU to check and to time the
# kernels there: docs/gpu-check.md.
#
#   build_tools/gpu-check.sh [--small] [--no-build] OUT
#
# --small leaves most of it out, for tests; --no-build takes the programs that are in
# the build folder.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_first=yes
arguments=()
for argument in "$@"; do
  case $argument in
  --no-build) build_first= ;;
  *) arguments+=("$argument") ;;
  esac
done
if [ -n "$build_first" ]; then
  install_packages
  configure
  build_targets dietcode-cublas dietcode-measure dietcode-tune
fi
exec python3 "$root/build_tools/gpu_check/make_bundle.py" --build "$build" "${arguments[@]}"
