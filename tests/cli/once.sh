#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# once.sh - `xrdopen URL|PATH`: what goes where, and with which exit code.   XRDOPEN=... sh tests/cli/once.sh   (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data1, manager: set by start_lab
. "$(dirname "$0")/../lib.sh"

figures='^[0-9]+\.[0-9] [0-9]+\.[0-9] [0-9]+\.[0-9]$'

# One line with three figures on standard output, and no talk.
is_line() { [ "$code" -eq 0 ] && [ "$(wc -l <"$out")" -eq 1 ] && line "$figures" && silent; }

measures() { # WHAT ARGUMENTS...
    what=$1
    shift
    x "$@"
    check "$what: one line of three figures, nothing else" is_line
}

# The record on $out: of each op the spans lie end to end from 0 to the total, and a phase's spans add up to what its
# hop says of it. Arguments: engine, hops of the first open.
cat >"$work/record.py" <<'P'
import json, sys
sample = json.load(open(sys.argv[1]))
slots = ["first_open", "first_close", "second_open", "read", "second_close"]
assert [op["slot"] for op in sample["ops"]] == slots, "slots"
for op in sample["ops"]:
    spans = [s if len(s) > 2 else s + [0] for s in op["spans"]]
    ends = [s[0] for s in spans[1:]] + [op["total_ns"]]
    assert spans[0][0] == 0, op["slot"] + ": the first span does not begin at 0"
    sums = {}
    for (begin, phase, hop), end in zip(spans, ends):
        assert end >= begin, op["slot"] + ": a span ends before it begins"
        sums[hop, phase] = sums.get((hop, phase), 0) + end - begin
    stated = {(i, p): ns for i, hop in enumerate(op["hops"]) for p, ns in hop["phase_ns"].items() if ns}
    assert stated == {k: ns for k, ns in sums.items() if ns}, op["slot"] + ": hops and spans differ"
    assert sum(stated.values()) == op["total_ns"], op["slot"] + ": phases do not add up to the total"
    assert op["total_ns"] > 0 and "error" not in op
assert sample["ops"][3]["bytes"] == 1
assert len(sample["ops"][0]["hops"]) == int(sys.argv[2]), "hops of the first open"
P

record() { # HOPS ARGUMENTS...
    hops=$1
    shift
    x --json "$@"
    cp "$out" "$work/record.json"
    [ "$code" -eq 0 ] && silent && [ "$(wc -l <"$work/record.json")" -eq 1 ] &&
        python "$work/record.json" "$hops" <"$work/record.py"
}

start_lab cluster

# --- the line ---
measures 'a data server' "$data1/data/file"
measures 'a redirector' "$manager/data/file"
measures 'once' once "$data1/data/small"
measures 'xroot://' "xroot${data1#root}/data/file"
measures 'ROOT://' "ROOT${data1#root}/data/file"
measures 'with CGI' "$data1/data/file?a=b&c=d"
measures 'with a user' "root://someone@${data1#root://}/data/file"
measures 'a name instead of an address' "root://localhost:${data1##*:}/data/file"
measures 'IPv6' "root://[::1]:${data1##*:}/data/file"
measures '-4' -4 "root://localhost:${data1##*:}/data/file"
measures 'one flight' --pipeline "$data1/data/file"
measures 'one flight to a redirector' --pipeline "$manager/data/file"
measures 'a path' "$tree/data1/data/file"
measures 'file:// and a path' "file://$tree/data1/data/file"
measures 'file://localhost and a path' "file://localhost$tree/data1/data/file"
measures 'options behind the URL' "$data1/data/file" --timeout 5s
measures 'behind --' -- "$data1/data/file"
(cd "$tree/data1/data" && "$XRDOPEN" file) >"$out" 2>"$err"
code=$?
last='a path without a slash'
check "$last" is_line
measures 'the engine null' --engine null "$data1/data/file"
for engine in xrdcl xrdposix; do
    if ! has_engine "$engine"; then
        skip "the engine $engine" 'it is not built'
        continue
    fi
    measures "the engine $engine" --engine "$engine" "$data1/data/file"
    measures "the engine $engine, at a redirector" -e "$engine" "$manager/data/file"
    check "the engine $engine: phases add up" record 1 -e "$engine" "$data1/data/file"
done

# --- -v ---
x -v "$manager/data/file"
check '-v: the line alone on standard output' [ "$code:$(wc -l <"$out")" = 0:1 ]
check '-v: it is the line' line "$figures"
for word in first_open first_close second_open read second_close resolve connect handshake login request; do
    check "-v: $word on standard error" said "(^| )$word( |\$)"
done
check '-v: two hops, the first at the manager' said '^ *hop 1 +127\.0\.0\.1:[0-9]+, manager$'
check '-v: the second at a data server' said '^ *hop 2 +127\.0\.0\.1:[0-9]+, data server$'
x -v "$data1/data/nothing"
check '-v: of a failure too, and then the message' [ "$code:$(tail -n 1 "$err" | cut -c 1-14)" = '1:xrdopen: once:' ]
check '-v: the waterfall of the failed open is shown' said '^first_open$'
check '-v: no figures of a failure' [ ! -s "$out" ]
XRD_NETWORKSTACK=IPv4 "$XRDOPEN" -v "$data1/data/file" >"$out" 2>"$err"
check '-v: says which XRD_ variables applied' said 'XRD_NETWORKSTACK=IPv4'

# --- --json ---
check '--json: phases add up, a data server' record 1 "$data1/data/file"
check '--json: phases add up, a redirector' record 2 "$manager/data/file"
check '--json: phases add up, one flight' record 2 --pipeline "$manager/data/file"
check '--json: phases add up, a path' record 1 /etc/passwd

# --- exit codes ---
refuses 'a missing file: exit 1, nothing on standard output' 1 \
    '^xrdopen: once: root://[^ ]*//data/nothing: request: .*: 3011 ' "$data1/data/nothing"
refuses 'the same with --json' 1 '3011' --json "$data1/data/nothing"
refuses 'two URLs: exit 2' 2 '^xrdopen: once: ' "$data1/data/file" "$data1/data/file"
refuses 'no URL: exit 2' 2 '^xrdopen: once: ' once
refuses 'an unknown option: exit 2' 2 '^xrdopen: once: .*--sideways' --sideways "$data1/data/file"
mkdir "$work/alone" "$work/empty"
cp "$XRDOPEN" "$work/alone/xrdopen"
last='a copy without the module'
XRDOPEN_MODULE_DIR=$work/empty "$work/alone/xrdopen" -e xrdcl "$data1/data/file" >"$out" 2>"$err"
code=$?
check 'an engine that is not there: exit 4, and what brings it' refused 4 'libxrootd-client-dev'
x
check 'without a word: exit 2, usage on standard error' [ "$code:$(wc -c <"$out")" = 2:0 ]
check 'and it is the usage' said '^usage: '

# --- interrupted ---
serve <<'P'
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())
P
for signal in INT TERM; do
    last="SIG$signal"
    code=0
    timeout --foreground --preserve-status -s "$signal" 0.4 "$XRDOPEN" "root://127.0.0.1:$port//x" >"$out" 2>"$err" || code=$?
    check "SIG$signal: exit 130, said so, nothing on standard output" refused 130 'interrupted'
done

# --- runxrdopen ---
ln -s "$XRDOPEN" "$work/runxrdopen"
last='runxrdopen'
"$work/runxrdopen" -n 4 --format csv "$tree/data1/data/file" >"$out" 2>"$err"
code=$?
cp "$out" "$work/by-name"
check 'runxrdopen: is good' [ "$code" -eq 0 ]
x run -n 4 --format csv "$tree/data1/data/file"
check 'and means run: the same header and the same row' \
    [ "$(cut -d , -f 1-6 "$work/by-name")" = "$(cut -d , -f 1-6 "$out")" ]
check 'that row has its four samples' line '^Linux local filesystem,Linux,[^,]*,local,4,0,'

# --- help and version ---
words=$("$XRDOPEN" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
check '--help lists the commands' [ "$(echo "$words" | grep -cxE 'once|run|report|lab|version|completion')" -eq 6 ]
for command in $words; do
    x "$command" --help
    check "$command --help: on standard output, exit 0" [ "$code:$(head -n 1 "$out" | grep -c "^usage: xrdopen $command")" = 0:1 ]
    check "$command --help: and nothing else" silent
    "$XRDOPEN" "$command" -h >"$work/short" 2>&1
    check "$command -h: the same" cmp -s "$out" "$work/short"
done
for word in --help -h help; do
    x "$word"
    check "$word: on standard output, exit 0" [ "$code:$(grep -c '^usage: xrdopen' "$out"):$(wc -c <"$err")" = 0:1:0 ]
done
x --version
check '--version: name and version' [ "$code:$(grep -cxE 'xrdopen [0-9]+\.[0-9]+\.[0-9]+' "$out"):$(wc -l <"$out")" = 0:1:1 ]
x version
check 'version: all engines' [ "$code:$(grep -cE '^engine (local|wire|xrdcl|xrdposix|null) ' "$out")" = 0:5 ]

finish
