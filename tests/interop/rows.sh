#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# rows.sh - `xrdopen run` without a target: the five rows of the README, from a lab of its own or one that is up; and the
# bytes that the engines read.   XRDOPEN=... sh tests/interop/rows.sh   (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data1, manager, tree, lab: set by the library
. "$(dirname "$0")/../lib.sh"

has_engine xrdcl || skip_all 'the engine xrdcl is not built: apt-get install libxrootd-client-dev'
system=$(uname -s)
printf '%s\n' "$system local filesystem" "$system client -> $system xrootd (XrdCl)" "$system client -> $system xrootd (wire)" \
    "$system client -> $system cmsd (XrdCl)" "$system client -> $system cmsd (wire)" >"$work/labels"

lab_count() { "$XRDOPEN" lab list | wc -l; }
nothing_left() { not has_process "$XRDOPEN_LAB_DIR/" && [ -z "$(ls -A "$XRDOPEN_LAB_DIR")" ]; }

# The labels of the table on $out: what stands before the figures.
has_labels() { # COUNT
    sed -n '/^$/q; 3,$p' "$out" | sed 's/  .*//' >"$work/got"
    cmp -s "$work/labels" "$work/got" && line "^samples: +$1 (planned )?in each row, (all taken, )?none failed"
}

# --- a lab that is started for it ---
started_lab() { [ "$code" -eq 0 ] && said 'starting real servers' && has_labels "$1"; }
# By chance a start of cmsd takes seconds (1 in 15): that is not what is tested here.
expect 'no target: the lab' 0 run -n 20 -o "$work/results"
check 'started for it, and its five rows' started_lab 20
check 'each row has six figures' [ "$(sed -n '/^$/q; 3,$p' "$out" | grep -cE '( +[0-9]+\.[0-9]){6}$')" -eq 5 ]
check 'the lab is gone' nothing_left
check 'the records say what is what' python "$work/results" <<'P'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
rows = lines[0]["rows"]
assert [row["engine"] for row in rows] == ["local", "xrdcl", "wire", "xrdcl", "wire"]
assert [row["kind"] for row in rows] == ["local", "xrootd", "xrootd", "cmsd", "cmsd"]
assert len({row["client"] for row in rows}) == 1 and all(row["server"] == row["client"] for row in rows[1:])
samples = lines[1:-1]
assert len(samples) == 100 and lines[-1]["taken"] == 100 and lines[-1]["failed"] == 0
for sample in samples:
    assert sample["start_ns"] > 0 and "load_ns" in sample and len(sample["ops"]) == 5
    assert sample["ops"][3]["bytes"] == 1
    engine = rows[sample["row"]]["engine"]
    assert engine != "wire" or len(sample["ops"][0]["hops"]) == (2 if rows[sample["row"]]["kind"] == "cmsd" else 1)
P

# --- one that is up ---
start_lab cluster
before=$lab
expect 'a lab that is up is used' 0 run -n 3
check 'for the same five rows' has_labels 3
check 'nothing was started' not said starting
check 'it is still up, and the only one' [ "$("$XRDOPEN" lab list | grep -c "^$before  cluster  *up ")$(lab_count)" = 11 ]
expect 'with --engine wire' 0 run -n 2 --engine wire --format csv
check 'the rows without XrdCl' [ "$(cut -d , -f 4 "$out" | tr '\n' ' ')" = 'engine local wire wire ' ]
# The official library keeps its connections for a process, so that its rows would not be what they say.
x run -n 2 --fresh connection --format csv
check 'with --fresh connection: no row of XrdCl' not line ',xrdcl,'

# --- bytes ---
bytes=${XRDOPEN_BYTES:-${XRDOPEN%/*}/tests/interop-bytes}
compare() { # COPY URL
    last="bytes $*"
    code=0
    "$bytes" "$1" "$2" local wire xrdcl xrdposix >"$out" 2>"$err" || code=$?
    sane
    grep '^not ok' "$out" | sed 's/^/# /'
    [ "$code" -eq 0 ] && [ "$(grep -c '^ok' "$out")" -eq 52 ]
}
if [ -x "$bytes" ]; then
    : "${XRDOPEN_MODULE_DIR:=${XRDOPEN%/*}}"
    export XRDOPEN_MODULE_DIR
    check 'the bytes are those of the file: local, wire, XrdCl, XrdPosix' compare "$tree/data1/data/file" "$data1/data/file"
    check 'and by the manager' compare "$tree/data1/data/file" "$manager/data/file"
    check 'of a small file' compare "$tree/data1/data/one" "$manager/data/one"
    sed '30000s/offset/offsat/' "$tree/data1/data/file" >"$work/other"
    differs() { ! compare "$1" "$2" >/dev/null; }
    check 'one byte that differs is seen' differs "$work/other" "$data1/data/file"
else
    skip 'the bytes are those of the file' 'interop-bytes is not built'
fi
"$XRDOPEN" lab down "$before" >/dev/null 2>&1

# --- as an ordinary user ---
as_nobody() { (cd / && exec setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups "$@"); }
if ! is_root; then
    skip 'as an ordinary user' 'this is one'
elif ! as_nobody test -x "$XRDOPEN" || ! as_nobody test -r "${XRDOPEN%/*}/xrdopen-xrdcl.so"; then
    skip 'as an ordinary user' "nobody cannot run $XRDOPEN"
else
    mkdir "$work/n"
    chown nobody "$work/n"
    last='run, as nobody'
    code=0
    XRDOPEN_LAB_DIR=$work/n HOME=/nonexistent as_nobody "$XRDOPEN" run -n 5 -o "$work/n/results" >"$out" 2>"$err" </dev/null || code=$?
    sane
    check 'as nobody: good' [ "$code" -eq 0 ]
    check 'as nobody: the lab started, the same five rows' started_lab 5
    check 'as nobody: the results file is nobody'"'"'s' [ "$(stat -c %U "$work/n/results")" = nobody ]
    check 'as nobody: the lab is gone' [ "$(ls -A "$work/n")" = results ]
    check 'as nobody: and its servers' not has_process "$work/n/"
fi

finish
