#!/usr/bin/env bash
# Installs what DietCode needs from Debian's packages, and from PyPI what the Python
# package is tested with, and configures the build.
# Harmless to repeat.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages
make_venv
configure
