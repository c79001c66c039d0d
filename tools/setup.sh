# SPDX-License-Identifier: LGPL-3.0-or-later
# setup.sh - sourced by ./run and ./test: installs what is missing, and builds. Nothing is done twice.
# shellcheck shell=sh

say() { printf '%s\n' "$0: $*" >&2; }

# Debian's packages among those named that are not installed.
missing_packages() {
    for package; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || printf '%s ' "$package"
    done
}

# install PACKAGE... - with apt, as root or through sudo; otherwise the one command to type.
install() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "there is no apt here; these Debian packages, or what your system calls them, must be there: $*"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        sudo=
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo=sudo
    else
        say "packages are missing; as root, type:"
        printf '    apt-get update && apt-get install -y --no-install-recommends %s\n' "$missing" >&2
        exit 4
    fi
    say "installing $missing"
    # shellcheck disable=SC2086  # the words are package names
    { $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing ||
        { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
            --no-install-recommends $missing; }; } >&2 || {
        say "apt-get could not install: $missing"
        exit 4
    }
    # The KDC is for the lab, which starts its own: Debian's service, just come with its package, is not wanted.
    case $missing in
    *krb5-kdc*) $sudo systemctl disable --now krb5-kdc krb5-admin-server >/dev/null 2>&1 || : ;;
    esac
}

# What building and running need. build_packages is used by both scripts, test_packages by ./test alone.
build_packages="gcc g++ libc6-dev cmake ninja-build pkg-config libjansson-dev libssl-dev libkrb5-dev
    libxrootd-client-dev libxrootd-dev"
run_packages="xrootd-server xrootd-server-plugins xrootd-plugins"
# shellcheck disable=SC2034  # used by ./test
test_packages="libcmocka-dev clang libclang-rt-14-dev xrootd-client xrootd-scitokens-plugins openssl sqlite3 krb5-kdc
    krb5-admin-server krb5-user faketime python3 mandoc iproute2 util-linux procps tcpdump"

# build PRESET - configure once, build what has changed.
build() {
    log=${TMPDIR:-/tmp}/xrdopen-build-$$.log
    dir=build
    [ "$1" = release ] || dir=build-$1
    # The tests need cmocka, which ./run does not install.
    if ! { { [ -f "$dir/build.ninja" ] && [ "$2" = keep ]; } || cmake --preset "$1" "-DXRDOPEN_TESTS=$2" >"$log" 2>&1; } ||
        ! cmake --build --preset "$1" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        say "building ($1) failed"
        exit 1
    fi
    rm -f "$log"
}
