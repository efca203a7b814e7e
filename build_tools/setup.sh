#!/usr/bin/env bash
# Installs what DietCode needs from Debian's packages and configures the build.
# Harmless to repeat.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages
configure
