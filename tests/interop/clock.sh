# SPDX-License-Identifier: LGPL-3.0-or-later
# clock.sh - a client whose clock is off: the method that minds says so, and what is measured does not.
# shellcheck shell=sh
. "$(dirname "$0")/../lib.sh"

command -v faketime >/dev/null || skip_all 'faketime is not installed'
case ${XRDOPEN%/*} in
*asan* | *tsan*) plain=$XRDOPEN_SOURCE/build/xrdopen ;;        # a sanitizer and faketime both want to be the first library
*) plain=$XRDOPEN ;;
esac
[ -x "$plain" ] || skip_all 'there is no build without a sanitizer'

at() { # OFFSET URL
    last="faketime -f $1 xrdopen $2"
    code=0
    DONT_FAKE_MONOTONIC=1 timeout -k 5 60 faketime -f "$1" "$plain" "$2" >"$out" 2>"$err" </dev/null || code=$?
}

url() { "$XRDOPEN" lab urls | awk -F '\t' '$1 != "id" { print $2; exit }'; }

XRDOPEN_LAB_DIR=$work/labs
export XRDOPEN_LAB_DIR
mkdir "$XRDOPEN_LAB_DIR"
at_exit() { "$XRDOPEN" lab down all >/dev/null 2>&1; }

for mode in sss krb5; do
    x lab up "$mode"
    if [ "$code" -eq 4 ]; then
        skip "$mode" 'a package is missing'
        continue
    fi
    target=$(url)
    set -a
    eval "$("$XRDOPEN" lab env)"
    set +a
    at +0s "$target"
    check "$mode: good with the right time" [ "$code" -eq 0 ]
    offsets='+300s -300s'
    [ "$mode" = sss ] && offsets=-300s          # the server minds credentials that are old, not those of the future
    for offset in $offsets; do
        at "$offset" "$target"
        check "$mode $offset: exit 1, nothing on standard output" test "$code" -eq 1 -a ! -s "$out"
        check "$mode $offset: says why" said "auth: .*$mode \\((refused|failed): .*([Ee]xpired|skew|not yet valid)"
    done
    "$XRDOPEN" lab down all >/dev/null 2>&1
done
finish
