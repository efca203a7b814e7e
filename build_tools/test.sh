#!/usr/bin/env bash
# Sets up, builds everything and runs every test: lit, GoogleTest and pytest, all
# through ctest, whose last lines say how many passed. Arguments go to ctest,
# e.g. `-R VirtualGPU`.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# What tests expect is the virtual device's, also where there is a GPU.
export DIETCODE_DEVICE=virtual:t4

install_packages
make_venv
configure
build_targets
say "Testing"
ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" "$@"
