#!/usr/bin/env bash
# Sets up, builds, installs the Python package in a virtual environment, and runs its
# example, which tunes, compiles and calls at five lengths. Arguments go to the example.
# The device is a virtual T4.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export DIETCODE_DEVICE=virtual:t4

install_packages
make_venv
configure
build_targets dietcode dietcode-measure
say "Installing the package in $venv"
# The test of that name does it.
ctest --test-dir "$build" -R '^python:install$' --output-on-failure --no-tests=error
say "Running python/examples/qkv.py"
"$venv/bin/python" "$root/python/examples/qkv.py" "$@"
