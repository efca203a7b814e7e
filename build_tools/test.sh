#!/usr/bin/env bash
# Sets up, builds everything and runs every test: lit, GoogleTest and pytest, and the
# C++ tests once more with the address and undefined-behaviour sanitizers, all
# through ctest, whose last lines say how many passed. Arguments go to ctest,
# e.g. `-R VirtualGPU`; `-E ^address:` leaves the sanitizers out.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# What tests expect is the virtual device's, also where there is a GPU.
export DIETCODE_DEVICE=virtual:t4

install_packages
make_venv
configure
build_targets
sanitized=$build-asan
say "Building the C++ tests with sanitizers in $sanitized"
(cd "$root" && cmake --preset asan -B "$sanitized")
cmake --build "$sanitized" --parallel "$jobs" --target unit-tests
say "Testing"
# One run for the tests of both builds, so that there is one summary.
both=$build/both-builds
mkdir -p "$both"
printf 'subdirs("%s" "%s")\n' "$build" "$sanitized/test/Unit" >"$both/CTestTestfile.cmake"
ctest --test-dir "$both" --output-on-failure --no-tests=error -j "$jobs" "$@"
