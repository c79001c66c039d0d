#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# via.sh - `xrdopen run --via COMMAND`: samples taken behind a command, and commands that fail.
# XRDOPEN=... sh tests/interop/via.sh  (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data, tree, lab: set by the library
. "$(dirname "$0")/../lib.sh"

name=xrdopen-$$
netns=''
at_exit() {
    if [ -n "$netns" ]; then
        ip netns pids "$netns" 2>/dev/null | xargs -r kill -9 2>/dev/null
        XRDOPEN_LAB_DIR=$work/n "$XRDOPEN" lab down all >/dev/null 2>&1
        ip netns del "$netns"
    fi
}

start_lab plain
url=$data/data/file
say='^xrdopen: run: '

# The table on $out, in CSV: so many rows, each with COUNT samples and no failure.
rows() { # ROWS COUNT
    [ "$code" -eq 0 ] && [ "$(wc -l <"$out")" -eq $(($1 + 1)) ] && [ "$(grep -c ",wire,$2,0," "$out")" -eq "$1" ]
}
named_apart() { [ -z "$(cut -d , -f 1 "$out" | sort | uniq -d)" ]; }
vias() { # FILE TEXT: the rows' commands are these
    python "$@" <<'P'
import json, sys
rows = json.loads(open(sys.argv[1]).readline())["rows"]
assert "|".join(row["via"] for row in rows) == sys.argv[2], [row["via"] for row in rows]
assert all(row["client"] and row["client_host"] for row in rows), rows
P
}

# --- commands that work ---
x run -n 4 --format csv -o "$work/results" --via 'env FOO=1' "$url"
check 'a prefix: a row here, a row there' rows 2 4
check 'a prefix: nothing is said' silent
check 'a prefix: the rows can be told apart' named_apart
check 'a prefix: the file tells which row is whose' vias "$work/results" '|env FOO=1'
x run -n 4 --format csv --via 'sh -c "exec \"\$@\"" x' "$url"
check 'a prefix with quotes, for the shell' rows 2 4
x run -n 4 --format csv --pin 0 -o "$work/results" --via "sh -c '\"\$@\"; true' x" "$url"
check 'a prefix that stays in between' rows 2 4
check '--pin holds there, too' [ "$(grep -c '"cpu":0,' "$work/results")" -eq 8 ]
x run -n 4 --format csv -o "$work/results" --via 'env A=1' --via 'nice -n 1' "$url"
check 'two prefixes: three rows' rows 3 4
check 'two prefixes: told apart' named_apart
check 'two prefixes: and in the file' vias "$work/results" '|env A=1|nice -n 1'
check 'two prefixes: samples of all in turn, each numbered for itself' python "$work/results" <<'P'
import json, sys
samples = [json.loads(line) for line in open(sys.argv[1])][1:-1]
for row in range(3):
    assert [s["number"] for s in samples if s["row"] == row] == [0, 1, 2, 3]
P
expect 'the file can be reported' 0 report --format table-csv "$work/results"
check 'with all its rows' rows 3 4
x run -n 3 --format csv --via 'env A=1' "a=$url" "b=$data/data/small"
check 'two targets, one prefix: four rows' rows 4 3
x run -n 3 --format csv --fresh connection --via 'env A=1' "$url"
check 'connections there, too' rows 2 3
cp "$XRDOPEN" "$work/elsewhere"
XRDOPEN_VIA_PATH=$work/elsewhere "$XRDOPEN" run -n 3 --format csv -o "$work/results" \
    --via "sh -c 'echo \"\$1\" >$work/said; exec \"\$@\"' x" "$url" >"$out" 2>"$err"
code=$?
last='run, XRDOPEN_VIA_PATH set'
check 'XRDOPEN_VIA_PATH: the executable is elsewhere there' rows 2 3
check 'and that one was run' grep -qx "$work/elsewhere" "$work/said"

# --- commands that fail ---
costs_no_other() { # MESSAGE: exit 1, one that says MESSAGE, and the row here is whole
    [ "$code" -eq 1 ] && said "$1" && [ "$(grep -c ',wire,30,0,' "$out")" -eq 1 ]
}
fails() { # COMMAND MESSAGE
    x run -n 30 --format csv --via "$1" "$url"
    check "--via '$1': exit 1, said, and the other row is whole" costs_no_other "$say--via '.*': .*$2"
}
fails false 'exit code 1'
fails 'echo rubbish;' "'rubbish'"
fails "printf 'a\\033[31mb\\n';" "something else: 'a"
check 'and what it prints is escaped' not grep -q "$(printf '\033')" "$err"
fails nosuchcommand '12[67]'
fails 'kill -9 $$;' 'signal 9'
fails "sh -c '\"\$@\" | sed -u 5q' x" 'no more samples from there'
fails "sh -c '\"\$@\" | sed -u \"4s/.*/rubbish/\"' x" "no more samples from there: .*'rubbish'"
fails "sh -c '\"\$@\" | sed -u \"4s/.row.:1/\\\"row\\\":7/\"' x" 'no more samples from there|no samples from there'
fails "sh -c '\"\$@\" | sed -u \"1s/.*/{}/\"' x" 'no samples from there'
check 'nothing is left of them' within 5 not has_process "$url" sample
x run -n 30 --format csv --via false --via 'env A=1' "$url"
check 'one fails, one works: exit 1' [ "$code" -eq 1 ]
check 'one fails, one works: the two others are whole' [ "$(grep -c ',wire,30,0,' "$out")" -eq 2 ]
if command -v ssh >/dev/null; then
    fails 'ssh -o BatchMode=yes -o ConnectTimeout=5 nosuchhost.invalid' 'exit code 255'
else
    skip "--via 'ssh nosuchhost.invalid'" 'no ssh here'
fi

# --- the end ---
interrupted_at() { # WHEN VIA
    "$XRDOPEN" run -n 100000 --via "$2" "$url?$name" >"$out" 2>"$err" </dev/null &
    process=$!
    pids="$pids $process"
    sleep "$1"
    before=$(date +%s)
    kill -TERM "$process"
    code=0
    wait "$process" || code=$?
    last="run --via '$2', sent SIGTERM"
    [ "$code" -eq 130 ] && [ $(($(date +%s) - before)) -le 10 ]
}
check 'SIGTERM: ends at once, exit 130' interrupted_at 1.5 "sh -c '\"\$@\"; true' x"
check 'SIGTERM: nothing is left there' within 5 not has_process "$name"
check 'SIGTERM while a command says nothing: ends at once, exit 130' interrupted_at 0.7 "sh -c 'sleep 25' $name"
check 'and nothing is left of it' within 5 not has_process "$name"

# --- another network ---
if is_root && ip netns add "$name" 2>/dev/null; then
    netns=$name
    mkdir -m 711 "$work/n"
    ip -n "$netns" link set lo up
    XRDOPEN_LAB_DIR=$work/n ip netns exec "$netns" "$XRDOPEN" lab up plain >"$work/up" 2>"$err"
    last='a lab in a network namespace'
    check "$last" grep -q '^data  *root://' "$work/up"
    there=$(sed -n 's/^data  *//p' "$work/up")
    x run -n 20 --format csv --timeout 5s -o "$work/results" --via "ip netns exec $netns" "$there"
    check 'ip netns exec: exit 1, since nobody listens here' [ "$code" -eq 1 ]
    check 'ip netns exec: all failed here' [ "$(sed -n 2p "$out" | cut -d , -f 4-6)" = wire,0,20 ]
    check 'ip netns exec: all good there' [ "$(sed -n 3p "$out" | cut -d , -f 4-6)" = wire,20,0 ]
    check 'ip netns exec: told apart' named_apart
    check 'ip netns exec: the file says so' vias "$work/results" "|ip netns exec $netns"
else
    skip 'another network' 'it takes root to make one'
fi

finish
