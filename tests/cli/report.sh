#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# report.sh - `xrdopen report FILE...`: the same figures in every format, and files that are not as they should be.
# XRDOPEN=... sh tests/cli/report.sh  (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data, tree: set by the library
. "$(dirname "$0")/../lib.sh"

start_lab plain
one=$work/one
two=$work/two

take() { # FILE ARGUMENTS...: a run whose table goes to $out
    results=$1
    shift
    x run -n 25 --seed 1 -o "$results" "$@"
}

# --- one file: what the run printed ---
for format in table csv markdown json; do
    take "$one" --format "$format" "wire=$data/data/file" "local=$tree/data/data/file" "gone=$data/data/nothing"
    check "run --format $format with failures: exit 1" [ "$code" -eq 1 ]
    cp "$out" "$work/printed"
    as=$format
    if [ "$format" = csv ]; then as=table-csv; fi
    expect "report --format $as" 0 report --format "$as" "$one"
    check "report --format $as: what the run printed" cmp -s "$out" "$work/printed"
done

# --- the same figures in all formats ---
for format in table table-csv markdown json; do "$XRDOPEN" report --format "$format" "$one" >"$work/as.$format"; done
check 'table, CSV, Markdown and JSON say the same' python "$work/as." <<'P'
import csv, json, sys
def read(format):
    return open(sys.argv[1] + format).read()
rows = {row["row"]: row for row in csv.DictReader(read("table-csv").splitlines())}
keys = [op + "_" + cell for op in ("first_open", "second_open", "read") for cell in ("avg", "median")]
exact = {label: [float(row[key + "_us"]) for key in keys] for label, row in rows.items() if row["count"] != "0"}
assert set(exact) == {"wire", "local"} and rows["gone"]["failed"] == "25" and rows["gone"]["read_avg_us"] == ""
def near(label, got):
    want = exact[label]
    assert len(got) == 6 and all(abs(g - w) <= 0.0501 for g, w in zip(got, want)), (label, got, want)
lines = read("table").splitlines()
for label in exact:
    near(label, [float(word) for line in lines if line.startswith(label + " ") for word in line.split()[1:]][:6])
    near(label, [float(cell) for line in read("markdown").splitlines() if line.startswith("| %s |" % label)
                 for cell in line.strip("| ").split(" | ")[1:]][:6])
for row in json.loads(read("json"))["rows"]:
    if row["label"] in exact:
        got = [row[op][cell + "_ns"] / 1000 for op in ("first_open", "second_open", "read") for cell in ("avg", "median")]
        assert all(abs(g - w) <= 0.000501 for g, w in zip(got, exact[row["label"]])), (got, exact)
P
expect 'report --csv: a line per op' 0 report --csv "$one"
cp "$out" "$work/ops.csv"
check 'phases of each add up to its total, samples are those of the file' python "$work/ops.csv" "$one" <<'P'
import csv, json, sys
ops = list(csv.DictReader(open(sys.argv[1])))
samples = [json.loads(line) for line in open(sys.argv[2])][1:-1]
assert len(ops) == sum(len(s["ops"]) for s in samples) == 25 * (5 + 5 + 1), len(ops)
begin = list(ops[0]).index("total_ns") + 1
phases = [name for name in list(ops[0])[begin:] if name.endswith("_ns")][:12]
assert phases[0] == "other_ns" and "request_ns" in phases and "call_ns" in phases, phases
for op in ops:
    assert sum(int(op[p]) for p in phases) == int(op["total_ns"]) > 0, op
totals = {(s["row"], s["number"], o["slot"]): o["total_ns"] for s in samples for o in s["ops"]}
assert totals == {(int(o["row"]), int(o["sample"]), o["slot"]): int(o["total_ns"]) for o in ops}
bad = [o for o in ops if o["status"] != "ok"]
assert len(bad) == 25 and all("3011" in o["error"] and o["label"] == "gone" for o in bad)
P
"$XRDOPEN" report --csv "$one" >"$work/a" && "$XRDOPEN" report --format csv "$one" >"$work/b"
check '--csv is --format csv' cmp -s "$work/a" "$work/b"
"$XRDOPEN" report --json "$one" >"$work/a" && "$XRDOPEN" report --format json "$one" >"$work/b"
check '--json is --format json' cmp -s "$work/a" "$work/b"
expect '--trim' 0 report --json --trim 20% "$one"
check 'is another share than the run had' [ "$(grep -c '"kept": 20' "$out")" -ge 6 ]
expect '--percentiles' 0 report --percentiles "$one"
check 'has the closes' line '^ +1st close +25 '
expect '-o' 0 report -o "$work/a" "$one"
"$XRDOPEN" report "$one" >"$work/b"
check '-o: the same, in a file' cmp -s "$work/a" "$work/b"
check '-o: and nothing on standard output' [ ! -s "$out" ]
cp "$one" "$work/copy"
refuses '-o onto an input is refused' 2 '^xrdopen: report: .*one of the files to read' report -o "$one" "$one"
check 'which is still whole' cmp -s "$one" "$work/copy"
last='report -'
code=0
"$XRDOPEN" report - <"$one" >"$work/a" 2>"$err" || code=$?
check '- is standard input' [ "$code:$(grep -c '^wire  ' "$work/a")" = 0:1 ]

# --- several files ---
take "$two" "other=$data/data/small"
expect 'two files: one table' 0 report "$one" "$two"
check 'with the rows of both' [ "$(grep -cE '^(wire|local|gone|other)  ' "$out")" -eq 4 ]
expect 'two files, CSV' 0 report --format table-csv "$two" "$one"
check 'in the order given' [ "$(cut -d , -f 1 "$out" | tr '\n' ' ')" = 'row other wire local gone ' ]
check 'each with the figures it has alone' \
    [ "$(grep '^other,' "$out")" = "$("$XRDOPEN" report --format table-csv "$two" | grep '^other,')" ]
expect 'two files, JSON' 0 report --json "$one" "$two"
check 'both sources are named' [ "$(grep -c '"command": ' "$out")" -eq 2 ]
expect 'two files, a line per op' 0 report --csv "$one" "$two"
check 'each with its file' [ "$(grep -c ",$two\$" "$out")" -eq 125 ]
sed 's/"host":"[^"]*"/"host":"farhost"/; s/"client_host":"[^"]*"/"client_host":"farhost"/g' "$two" >"$work/far"
expect 'files of two machines' 0 report "$two" "$work/far"
check 'their rows can be told apart' [ "$(grep -E '^other' "$out" | cut -c 1-30 | sed 's/  .*//' | sort -u | wc -l)" -eq 2 ]
check 'and the other machine is named' line '^machine: +farhost:'

# --- files that are not as they should be ---
say='^xrdopen: report: '
size=$(wc -c <"$one")
head -c $((size - 700)) "$one" >"$work/cut"
expect 'a cut file' 0 report "$work/cut"
check 'with a warning' grep -qE 'warning|cut|end line' "$out"
expect 'a cut file, a line per op' 0 report --csv "$work/cut"
check 'its warning is on standard error' said "$say$work/cut: warning: "
head -n 1 "$one" >"$work/header"
expect 'a header alone' 0 report "$work/header"
check 'has rows without figures' line '^wire( +-){6}$'
refuses 'a missing file' 1 "$say$work/no: .*No such file" report --format table-csv "$work/no"
x report "$one" "$work/no" "$two"
check 'one missing among others: exit 1' [ "$code" -eq 1 ]
check 'and named' said "$say$work/no: "
check 'and it costs no other' [ "$(grep -cE '^(wire|local|gone|other)  ' "$out")" -eq 4 ]
head -c 4000 /dev/urandom >"$work/rubbish"
refuses 'rubbish' 1 "$say$work/rubbish: " report --format table-csv "$work/rubbish"
: >"$work/nothing"
refuses 'an empty file' 1 "$say$work/nothing: " report --format table-csv "$work/nothing"
refuses 'a folder' 1 "$say$work: " report --format table-csv "$work"
echo '{"type":"header","schema":"somebody-elses","version":1}' >"$work/foreign"
refuses 'JSON of somebody else' 1 "$say$work/foreign: " report --format table-csv "$work/foreign"
sed '1s/"version":1,/"version":99,/' "$one" >"$work/later"
refuses 'a file of a later version' 1 "$say$work/later: .*(version|99)" report --format table-csv "$work/later"
{ head -n 3 "$one"; echo 'not JSON'; echo '{"type":"sample","row":999,"number":0}'; sed -n '4,$p' "$one"; } >"$work/dirty"
expect 'bad lines among good ones' 0 report --json "$work/dirty"
check 'are passed over' [ "$(grep -c '"taken": 25' "$out")" -eq 3 ]
check 'with a warning that counts them' line '2 lines|lines? [45]'
cat "$one" "$two" >"$work/both"
x report "$work/both"
check 'two files in one: said' said "$say$work/both: .*second header"
printf '%s\n' "$(head -n 1 "$one" | sed 's/"label":"wire"/"label":"\\u001b[31mred\\u0007"/')" >"$work/evil"
sed -n '2,$p' "$one" >>"$work/evil"
for format in table table-csv markdown json csv; do
    "$XRDOPEN" report --format "$format" "$work/evil" >"$out" 2>"$err"
    check "control characters in a label: none in $format" not grep -q "$(printf '[\033\007]')" "$out"
done
refuses 'no file' 2 "$say" report
refuses 'a format that is none' 2 "$say--format: 'xml' " report --format xml "$one"
refuses 'two formats' 2 "$say" report --csv --json "$one"
refuses '-o to a folder that is not there' 1 "$say$work/no/file: .*No such file" report -o "$work/no/file" "$one"
refuses '-o to a full disk' 1 "$say/dev/full: .*No space left" report -o /dev/full "$one"

finish
