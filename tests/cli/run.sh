#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# run.sh - `xrdopen run`: its outputs, its results file, its order, and its end.   XRDOPEN=... sh tests/cli/run.sh  (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data1, manager, tree, port: set by the library
. "$(dirname "$0")/../lib.sh"

at_exit() {                     # labs that a run of this test was to take down itself
    if [ -d "$work/r" ]; then XRDOPEN_LAB_DIR=$work/r "$XRDOPEN" lab down all >/dev/null 2>&1; fi
}

csv_header='row,client,server,engine,count,failed,first_open_avg_us,first_open_median_us,'
csv_header=${csv_header}second_open_avg_us,second_open_median_us,read_avg_us,read_median_us

start_lab cluster
file=$tree/data1/data/file

# --- the four outputs ---
expect 'a table' 0 run -n 12 -o "$work/results" "$data1/data/file" "$manager/data/file" "$file"
check 'nothing on standard error' silent
for word in '^Microseconds' '^samples: .*12' '^machine: ' '^clock: .*resolution .* a reading costs ' 'harness costs [0-9.]+ ns' \
    '^versions: .*xrdopen [0-9]+\.[0-9]' '^settings: .*trim=(0\.01|1%)'; do
    check "below it: $word" line "$word"
done
check 'its head is that of 2005' python "$out" <<'P'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
assert lines[0].split() == "1st Open 2nd Open Read".split(), lines[0]
assert lines[1].split() == ["Avg", "Median"] * 3, lines[1]
ends = [m.end() for m in re.finditer(r"\S+", lines[1])]
rows = lines[2:lines.index("")]
assert len(rows) == 3
for row in rows:
    figures = list(re.finditer(r" \d+\.\d\b(?=\s|$)", row))
    assert [m.end() for m in figures] == ends, "figures are not right-aligned: " + row
    assert row[0] != " ", "the label is not on the left: " + row
P
expect '--format csv' 0 run -n 3 --format csv "$data1/data/file" "$file"
check 'its header' [ "$(head -n 1 "$out")" = "$csv_header" ]
check 'and a line per row' [ "$(grep -cE '^Linux [^,]*,Linux,[^,]*,(wire|local),3,0(,[0-9]+\.[0-9]+){6}$' "$out"):$(wc -l <"$out")" = 2:3 ]
expect '--format json' 0 run -n 3 --format json "$data1/data/file" "$file"
cp "$out" "$work/json"
check 'is JSON, with both rows' python "$work/json" <<'P'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [row["engine"] for row in rows] == ["wire", "local"]
assert all(row["taken"] == 3 and row["failed"] == 0 and row["first_open"]["count"] == 3 for row in rows)
P
expect '--format markdown' 0 run -n 3 --format markdown "$data1/data/file" "$file"
check 'is a Markdown table' [ "$(head -n 4 "$out" | grep -c '^|.*|.*|.*|.*|.*|.*|.*|$')" -eq 4 ]
check 'with its rule' [ "$(sed -n 2p "$out" | tr -d ':-')" = '||||||||' ]
expect '--percentiles' 0 run -n 12 --percentiles "$file"
for word in p90 p99 'p99\.9' Max '1st close' '2nd close'; do check "--percentiles: $word" line "$word"; done
check 'a percentile that 12 samples do not support is not there' line '^ +1st open +12( +[0-9]+\.[0-9]){3} +- +- +[0-9]+\.[0-9]$'
expect '--percentiles in CSV' 0 run -n 12 -p --format csv "$file"
check 'begins with the same header' [ "$(head -n 1 "$out" | cut -c "1-${#csv_header}")" = "$csv_header" ]
check 'and has columns for all of it' line '^row,.*,first_open_p99_us,first_open_p999_us,first_open_max_us,.*second_close_avg_us'

# --- the results file ---
cat >"$work/file.py" <<'P'
# The results file argv[1], of argv[2] samples per row: its form. Prints the order of rows, block by block.
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
count = int(sys.argv[2])
header, samples, end = lines[0], lines[1:-1], lines[-1]
assert header["type"] == "header" and header["schema"] == "xrdopen-results" and header["version"] == 1
for key in "command host sysname kernel cpu_model cpu_count wall_ns clock_step_ns clock_cost_ps harness_ns seed versions".split():
    assert header[key] or key == "seed", key
assert dict(header["settings"])["count"] == str(count) and header["planned"] == count
rows = range(len(header["rows"]))
assert all(s["type"] == "sample" for s in samples)
for row in rows:
    assert [s["number"] for s in samples if s["row"] == row] == list(range(count)), "numbers of row %d" % row
assert end["type"] == "end" and end["reason"] == "complete" and end["taken"] == end["planned"] == count * len(rows)
order = []                      # each row has one block in each round
for s in samples:
    place = (s.get("block", 0), s["row"])
    if not order or order[-1] != place:
        order.append(place)
blocks = sorted({block for block, row in order})
for i, block in enumerate(blocks):
    here = order[i * len(rows):(i + 1) * len(rows)]
    assert sorted(here) == [(block, row) for row in rows], "round %d: %s" % (block, here)
assert len(blocks) >= min(count, 20), "rounds: %d" % len(blocks)
print(header["seed"], " ".join(str(row) for block, row in order))
P
check 'the results file of the first run' python "$work/results" 12 <"$work/file.py"
order() { # SEED-OPTIONS...
    "$XRDOPEN" run -n 24 --format csv -o "$work/order" "$@" "a=$file" "b=$file" "c=$file" >/dev/null 2>&1 &&
        python "$work/order" 24 <"$work/file.py"
}
check 'a run with a seed' order --seed 7
cp "$out" "$work/seven"
check 'the seed is recorded' [ "$(cut -d ' ' -f 1 "$work/seven")" -eq 7 ]
check 'rounds are in many an order' \
    [ "$(cut -d ' ' -f 2- "$work/seven" | tr ' ' '\n' | paste -d ' ' - - - | sort -u | wc -l)" -gt 3 ]
order --seed 7
check 'the same seed, the same order' cmp -s "$out" "$work/seven"
order --seed 8
check 'another seed, another order' not cmp -s "$out" "$work/seven"
order
cp "$out" "$work/clock"
order
check 'without a seed, another each time' [ "$(cut -d ' ' -f 1 "$out")" != "$(cut -d ' ' -f 1 "$work/clock")" ]

# --- what is measured how ---
kept() { # SHARE COUNT: of 40 values, so many are left
    "$XRDOPEN" run -n 40 --trim "$1" --format json "$file" >"$work/json" 2>&1 && python "$work/json" "$2" <<'P'
import json, sys
table = json.load(open(sys.argv[1]))
assert all(table["rows"][0][op]["kept"] == int(sys.argv[2]) for op in ("first_open", "second_open", "read")), table["rows"]
P
}
check '--trim 0 drops none' kept 0 40
check '--trim 25% drops a quarter' kept 25% 30
check '--trim 0.5 drops half' kept 0.5 20
expect '--label' 0 run -n 2 --format csv --label 'my, own' "$data1/data/file"
check 'is the name of the row' line '^"my, own",Linux,'
expect 'LABEL=URL' 0 run -n 2 --format csv "left=$data1/data/file" "right=$file"
check 'are the names of the rows' [ "$(cut -d , -f 1 "$out" | tr '\n' ' ')" = 'row left right ' ]
expect 'a URL with = in it' 0 run -n 2 --format csv "$data1/data/file?a=b"
check 'has no label in it' line '^Linux client -> '
expect '--fresh connection' 0 run -n 6 --fresh connection -o "$work/results" "$data1/data/file" "$file"
check 'is one process for all, a connection for each' python "$work/results" <<'P'
import json, sys
samples = [json.loads(line) for line in open(sys.argv[1])][1:-1]
assert len(samples) == 12 and not any("start_ns" in s for s in samples)
assert all(s["ops"][0]["hops"][0]["phase_ns"].get("connect") for s in samples if s["row"] == 0)
P
refuses '--fresh connection, XrdCl: cannot be' 2 '^xrdopen: run: --fresh connection: ' run -n 2 --fresh connection -e xrdcl \
    "$data1/data/file"
expect '--fresh process' 0 run -n 4 -o "$work/results" "$data1/data/file"
check 'says how long each process took to start' [ "$(grep -c '"start_ns":[1-9]' "$work/results")" -eq 4 ]
expect '--pin 0' 0 run -n 8 --pin 0 -o "$work/results" "$data1/data/file" "$file"
check 'keeps all samples there' [ "$(grep -c '"cpu":0,' "$work/results"):$(grep -c '"type":"sample"' "$work/results")" = 16:16 ]
check 'and says so' line '^ *settings: .*pin=0|^ +.*pin=0'
expect '-v' 0 run -v -n 4 "a=$data1/data/file" "b=$manager/data/file"
check 'shows one sample of each row' [ "$(grep -cE '^(a|b): root://' "$err"):$(grep -c '^first_open$' "$err")" = 2:2 ]
XRD_NETWORKSTACK=IPv4 "$XRDOPEN" run -n 2 "$data1/data/file" >"$out" 2>"$err"
check 'XRD_ variables that applied are said' line 'XRD_NETWORKSTACK=IPv4'
if has_engine xrdcl; then
    expect '--engine wire,xrdcl,xrdposix' 0 run -n 3 --format csv --engine wire,xrdcl,xrdposix "$data1/data/file" "$file"
    check 'is a row for each, and one for the path' [ "$(cut -d , -f 4,5 "$out" | tr '\n' ' ')" = \
        'engine,count wire,3 xrdcl,3 xrdposix,3 local,3 ' ]
fi
x run --help
check '10,000 samples and 1% are what you get' [ "$(grep -cE '^ .*--(count N .*\[10000\]|trim SHARE .*\[1%\])' "$out")" -eq 2 ]

# --- statistics, recomputed ---
if [ -e "$XRDOPEN_SOURCE/tests/cli/recompute.py" ]; then
    recompute() { python "$@" <"$XRDOPEN_SOURCE/tests/cli/recompute.py"; }
    for trim in 0.01 0.1 0; do
        "$XRDOPEN" run -n 100 --trim $trim --percentiles --format csv -o "$work/results" "$data1/data/file" "$file" \
            "gone=$data1/data/nothing" >"$work/table.csv" 2>"$err"
        check "statistics recomputed: the same, --trim $trim" recompute "$work/results" "$work/table.csv" --trim $trim
        sed 's/\(,[1-9][0-9]*\.[0-9]*\),/\19,/' "$work/table.csv" >"$work/wrong.csv"
        check 'and a table that is wrong is seen' not recompute "$work/results" "$work/wrong.csv" --trim $trim
    done
else
    skip 'statistics recomputed' 'tests/cli/recompute.py is not there'
fi

# --- interrupted ---
sample_count() { if [ -e "$1" ]; then grep -c '"type":"sample"' "$1"; else echo 0; fi; }        # FILE
has_samples() { [ "$(sample_count "$1")" -ge "$2" ]; }                                          # FILE COUNT
gone() { not has_process "$1"; }
nothing_left() { not has_process "$work/r/" && [ -z "$(ls -A "$work/r")" ]; }
mkdir -m 711 "$work/r"

interrupt() { # SIGNAL SAMPLES: with a lab of its own
    rm -f "$work/cut"
    XRDOPEN_LAB_DIR=$work/r "$XRDOPEN" run -n 5000 --seed 3 -o "$work/cut" >"$out" 2>"$err" </dev/null &
    process=$!
    pids="$pids $process"
    within 40 has_samples "$work/cut" "$2" && kill -s "$1" "$process"
    code=0
    wait "$process" || code=$?
    sane
    last="run, sent SIG$1"
}
for signal in INT TERM; do
    interrupt "$signal" 40
    check "SIG$signal: exit 130" [ "$code" -eq 130 ]
    check "SIG$signal: said so" said '^xrdopen: run: interrupted'
    check "SIG$signal: five rows" [ "$(grep -cE '^Linux (local filesystem|client -> Linux (xrootd|cmsd) \((XrdCl|wire)\))  ' "$out")" -eq 5 ]
    check "SIG$signal: the file ends so" [ "$(tail -n 1 "$work/cut" | grep -c '"type":"end","reason":"interrupted"')" -eq 1 ]
    check "SIG$signal: with the count that it has" \
        [ "$(tail -n 1 "$work/cut" | sed 's/.*"taken":\([0-9]*\).*/\1/')" -eq "$(sample_count "$work/cut")" ]
    check "SIG$signal: nothing is left, and no lab" within 5 nothing_left
    expect "SIG$signal: the file can be reported" 0 report "$work/cut"
done
last='run, sent SIGTERM while its lab starts'
XRDOPEN_LAB_DIR=$work/r timeout --foreground --preserve-status -s TERM 0.5 "$XRDOPEN" run -n 50000 >"$out" 2>"$err" </dev/null
code=$?
check 'SIGTERM while the lab starts: exit 130' [ "$code" -eq 130 ]
check 'and nothing is left, and no lab' within 5 nothing_left

# --- killed, or stopped while a server says nothing ---
serve <<'P'
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())
P
silent_url="root://127.0.0.1:$port//silent-$$"
begin() { # ARGUMENTS...
    "$XRDOPEN" run "$@" >"$out" 2>"$err" </dev/null &
    process=$!
    last="run $*"
    pids="$pids $process"
}
rm -f "$work/cut"
begin -n 5000 -o "$work/cut" "$data1/data/file?mark-$$"
within 20 has_samples "$work/cut" 20
kill -9 "$process"
check 'SIGKILL: no process is left after a moment' within 5 gone "mark-$$"
expect 'SIGKILL: what is in the file can be read' 0 report "$work/cut"
check 'SIGKILL: with a warning' line 'no end line'
begin -n 5 --timeout 60s "$silent_url-a"
check 'a sample waits for a silent server' within 10 has_process "$silent_url-a" sample
kill -9 "$process"
check 'SIGKILL, a sample waiting: no process is left after a moment' within 5 gone "$silent_url-a"
begin -n 5 --timeout 60s "$silent_url-b"
within 10 has_process "$silent_url-b" sample
sleep 0.3
before=$(date +%s)
kill -TERM "$process"
code=0
wait "$process" || code=$?
check 'SIGTERM, a sample waiting: ends at once' [ $(($(date +%s) - before)) -le 10 ]
check 'SIGTERM, a sample waiting: exit 130' [ "$code" -eq 130 ]
check 'SIGTERM, a sample waiting: no process is left' within 5 gone "$silent_url-b"

# --- progress ---
check 'no progress where standard error is no terminal' [ "$("$XRDOPEN" run -n 30 "$file" 2>&1 >/dev/null | wc -c)" -eq 0 ]
check 'progress on a terminal, and not in the output' python "$XRDOPEN" "$file" <<'P'
import os, pty, subprocess, sys, threading
master, slave = pty.openpty()
run = subprocess.Popen([sys.argv[1], "run", "-n", "40", "--format", "csv", sys.argv[2]], stderr=slave, stdout=subprocess.PIPE,
                       stdin=subprocess.DEVNULL)
os.close(slave)
seen = []
def read():
    try:
        while True:
            seen.append(os.read(master, 4096))
    except OSError:             # the other end is closed
        pass
reader = threading.Thread(target=read)
reader.start()
output = run.communicate()[0].decode()
reader.join(10)
talk = b"".join(seen).decode()
assert run.returncode == 0 and "40 of 40 samples" in talk, talk
assert "\r" in talk and "samples" not in output and output.count("\n") == 2, output
P

finish
