# Sourced by the scripts of this folder: paths, messages, and the steps that
# demo.sh and test.sh share.

set -euo pipefail
exec </dev/null

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${DIETCODE_BUILD_DIR:-$root/build}
venv=${DIETCODE_VENV:-$build/venv}
jobs=${DIETCODE_JOBS:-$(nproc)}

say() { printf '\n== %s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints those of the packages on the standard input that are not installed.
missing_packages() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# Installs what packages.txt lists; asks apt-get only for what is missing.
install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this script installs Debian packages, and this is no Debian system; install the equivalents of $root/build_tools/packages.txt and build with CMake as README.md says"
  local missing
  missing=$(sed 's/#.*//; /^[[:space:]]*$/d' "$root/build_tools/packages.txt" | missing_packages)
  [ -n "$missing" ] || return 0
  # One line from here on.
  missing=${missing//$'\n'/ }
  say "Installing $missing"
  [ "$(id -u)" = 0 ] || die "these packages are missing; as root, run: apt-get install $missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update || die "apt-get update failed; see its messages above"
  # LLVM 22 reached Debian 12 through its security updates.
  [ -n "$(apt-cache madison libmlir-22-dev)" ] ||
    die "apt-get does not know libmlir-22-dev; add the suite bookworm-security to its sources"
  # shellcheck disable=SC2086
  apt-get -q -y install --no-install-recommends $missing ||
    die "apt-get could not install: $missing; see its messages above"
}

# A virtual environment with what the Python package is built and tested with; made
# anew when the list has changed. DIETCODE_VENV=none leaves that, and the tests of the
# package, out.
make_venv() {
  [ "$venv" != none ] || return 0
  local list=$root/python/requirements-test.txt
  ! cmp -s "$list" "$venv/made-of" || return 0
  say "Making $venv"
  /usr/bin/python3 -m venv --clear "$venv" || die "python3 -m venv failed; see its message above"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$list" ||
    die "pip could not install what $list names; see its messages above"
  cp "$list" "$venv/made-of"
}

# Configures a Release build with what Debian packages. A build folder that was
# configured by hand keeps its settings.
configure() {
  say "Configuring $build"
  if [ -f "$build/CMakeCache.txt" ]; then
    cmake -B "$build" -S "$root" -DDIETCODE_VENV="$venv"
  else
    cmake -G Ninja -B "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
      -DPython3_EXECUTABLE=/usr/bin/python3 -DDIETCODE_VENV="$venv"
  fi
}

# build_targets [target...]: all targets unless some are named.
build_targets() {
  say "Building ${*:-everything} (${jobs} jobs)"
  cmake --build "$build" --parallel "$jobs" --target "${@:-all}"
}
