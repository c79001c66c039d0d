#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# bad-input.sh - whatever a user can get wrong, and servers that are wrong: each has its message and its exit code, and
# costs nothing else.   XRDOPEN=... sh tests/cli/bad-input.sh   (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # data1, manager, tree, port: set by the library
. "$(dirname "$0")/../lib.sh"

mounted=''
at_exit() { if [ -n "$mounted" ]; then umount "$mounted"; fi; }

start_lab cluster
once='^xrdopen: once: '
file=$tree/data1/data/file

# --- targets ---
refuses 'an unknown scheme' 2 "$once"'gopher://a/b: .*unknown scheme' gopher://a/b
refuses 'no host' 2 "$once"'root://: ' root://
refuses 'no file' 2 "$once"'root://a/: ' root://a/
refuses 'a port that is none' 2 "$once" root://a:99999//b
refuses 'an empty target' 2 "$once" ''
refuses 'a host that does not resolve' 1 "$once"'root://nosuch\.invalid//f: resolve: nosuch\.invalid: .+' \
    --timeout 5s root://nosuch.invalid//f
refuses 'a refused port' 1 "$once"'root://127\.0\.0\.1:1//f: connect: 127\.0\.0\.1:1 refused: ' root://127.0.0.1:1//f
refuses 'IPv6 only, of an IPv4 address' 1 "$once"'.*: (resolve|connect): ' -6 "$data1/data/file"
for how in data1 manager; do
    eval "server=\$$how"
    refuses "a missing file, $how" 1 "$once$server/data/nothing: request: .* 3011 NotFound: " "$server/data/nothing"
    refuses "no permission, $how" 1 "$once$server/data/unreadable: request: .* 3010 NotAuthorized: " "$server/data/unreadable"
    refuses "a folder, $how" 1 "$once$server/data/dir: request: .* 3016 isDirectory: " "$server/data/dir"
    refuses "an empty file, $how" 1 "$once$server/data/empty: read: .*the file is empty" "$server/data/empty"
done
refuses 'a missing path' 1 "$once$work/no: call: open failed: No such file or directory" "$work/no"
refuses 'a folder as a path' 1 "$once/etc: call: .*: Is a directory" /etc
: >"$work/empty"
refuses 'an empty file as a path' 1 "$once$work/empty: read: .*the file is empty|$once$work/empty: call: .*the file is empty" \
    "$work/empty"
if is_root; then
    skip 'a path without permission' 'root may read all'
else
    : >"$work/locked"
    chmod 000 "$work/locked"
    refuses 'a path without permission' 1 "$once$work/locked: call: open failed: Permission denied" "$work/locked"
fi

# --- options ---
run='^xrdopen: run: '
refuses '-n 0' 2 "$run--count: '0' " run -n 0 "$file"
refuses '-n -1' 2 "$run--count: '-1' " run -n -1 "$file"
refuses '-n many' 2 "$run--count: 'many' " run -n many "$file"
refuses '-n 1e30' 2 "$run--count: " run -n 99999999999999999999999 "$file"
refuses '--trim 100%' 2 "$run--trim: '100%' " run --trim 100% "$file"
refuses '--trim -1' 2 "$run--trim: " run --trim -1 "$file"
refuses '--timeout 0' 2 "$once--timeout: '0' " --timeout 0 "$file"
refuses '--timeout 1fortnight' 2 "$once--timeout: " --timeout 1fortnight "$file"
refuses 'an option without its argument' 2 "$once--timeout " "$file" --timeout
refuses 'an unknown option' 2 "$run.*--sideways" run --sideways "$file"
refuses 'an unknown letter' 2 "$run.*-Z" run -Z "$file"
refuses 'an argument where none goes' 2 "$once--json " --json=yes "$file"
refuses 'a choice that is none' 2 "$run--format: 'xml' " run --format xml "$file"
refuses '-4 and -6' 2 "$once.*-4 and -6" -4 -6 "$data1/data/file"
refuses 'an unknown engine' 2 "$once.*unknown engine 'warp'" --engine warp "$data1/data/file"
refuses 'an unknown engine among others' 2 "$run.*unknown engine 'warp'" run -n 2 --engine wire,warp "$data1/data/file"
refuses 'a path with the engine wire' 2 "$once" --engine wire "$file"
refuses 'a URL with the engine local' 2 "$once" --engine local "$data1/data/file"
refuses '--pin: no list of processors' 2 "$run--pin" run -n 2 --pin much "$file"
refuses '--pin: a processor that is not there' 2 "$run--pin" run -n 2 --pin 1000 "$file"
refuses 'one bad target among good ones' 2 "$run"'gopher://a/b: ' run -n 2 "$file" gopher://a/b

# --- targets file ---
refuses '--targets: no such file' 2 "$run--targets $work/no: .*No such file" run -n 2 --targets "$work/no"
printf '# a comment\n\n  %s  \nred=%s\r\n\tblue one=%s\n   # another' "$file" "$data1/data/file" "$data1/data/small?a=b" \
    >"$work/targets"
expect '--targets: with comments, labels, blanks, CR LF' 0 run -n 2 --format csv --targets "$work/targets"
cut -d , -f 1 "$out" | tail -n 3 | sort | tr '\n' ';' >"$work/labels"
check 'its rows, with their labels' grep -qx "Linux local filesystem ($file);blue one;red;" "$work/labels"
printf '%s\nsideways://x/y\n' "$file" >"$work/targets"
refuses '--targets: with a bad line' 2 "$run"'.*sideways://x/y: .*unknown scheme' run -n 2 --targets "$work/targets"
printf '# nothing\n' >"$work/targets"
refuses '--targets: nothing in it' 2 "$run" run -n 2 --targets "$work/targets"
refuses '--targets: a folder' 2 "$run--targets" run -n 2 --targets "$work"

# --- engines that are not there ---
mkdir "$work/alone" "$work/modules"
cp "$XRDOPEN" "$work/alone/xrdopen"
built=$XRDOPEN
XRDOPEN=$work/alone/xrdopen
XRDOPEN_MODULE_DIR=$work/modules
export XRDOPEN_MODULE_DIR
for engine in xrdcl xrdposix; do
    refuses "$engine: no module" 4 "$once$data1/data/file: .*libxrootd-client-dev" --engine "$engine" "$data1/data/file"
done
x run -n 2 --engine wire,xrdcl --format csv "$data1/data/file"
check 'run: no module: exit 4' [ "$code" -eq 4 ]
check 'run: and its package named' said "$run.*xrdcl.*libxrootd-client-dev"
check 'run: the other row is there' line ',wire,2,0,'
echo 'no library' >"$work/modules/xrdopen-xrdcl.so"
refuses 'xrdcl: a module that is none' 4 "$once.*libxrdcl3" --engine xrdcl "$data1/data/file"
XRDOPEN=$built
unset XRDOPEN_MODULE_DIR

# --- standard output ---
talks_to() { # NAME REDIRECTION COMMAND ARGUMENTS...
    name=$1
    to=$2
    shift 2
    last="$* $to"
    code=0
    (eval 'exec "$@"' "$to") >"$out" 2>"$err" </dev/null || code=$?
    sane
    check "$name: exit 1" [ "$code" -eq 1 ]
    check "$name: and its message" said '^xrdopen: [a-z]+: standard output: cannot write: '
    check "$name: and nothing of it elsewhere" not grep -qE '[0-9]+\.[0-9] +[0-9]+\.[0-9]|usage:' "$err"
}

"$XRDOPEN" run -n 5 -o "$work/five" "$file" >/dev/null 2>&1
for to in '>&-' '>/dev/full'; do
    talks_to "once $to" "$to" "$XRDOPEN" "$data1/data/file"
    talks_to "once --json $to" "$to" "$XRDOPEN" --json "$data1/data/file"
    if has_engine xrdcl; then talks_to "once --engine xrdcl $to" "$to" "$XRDOPEN" -e xrdcl "$data1/data/file"; fi
    talks_to "once, a path, $to" "$to" "$XRDOPEN" "$file"
    talks_to "run $to" "$to" "$XRDOPEN" run -n 2 -o "$work/kept" "$data1/data/file"
    expect "run $to: what -o wrote can be read" 0 report --csv "$work/kept"
    check "run $to: and is whole" silent
    talks_to "report $to" "$to" "$XRDOPEN" report "$work/five"
    talks_to "report --csv $to" "$to" "$XRDOPEN" report --csv "$work/five"
    talks_to "--help $to" "$to" "$XRDOPEN" run --help
    talks_to "completion $to" "$to" "$XRDOPEN" completion
    talks_to "version $to" "$to" "$XRDOPEN" version
done
last='run, all closed'
code=0
"$XRDOPEN" run -n 2 -o "$work/kept" "$data1/data/file" <&- >&- 2>&- || code=$?
check 'run, all three closed: exit 1' [ "$code" -eq 1 ]
expect 'and what -o wrote can be read' 0 report --csv "$work/kept"
check 'and is whole' silent

# --- a full disk ---
refuses '-o in a folder that is not there' 1 "$run--output: $work/no/file: .*No such file" run -n 2 -o "$work/no/file" "$file"
refuses '-o /dev/full' 1 "$run--output: /dev/full: .*No space left" run -n 2 -o /dev/full "$file"
mkdir "$work/small"
if is_root && mount -t tmpfs -o size=32k tmpfs "$work/small" 2>/dev/null; then
    mounted=$work/small
    x run -n 60 --format csv -o "$work/small/full" "$data1/data/file"
    check 'a disk that gets full under -o: exit 1' [ "$code" -eq 1 ]
    check 'is said, once' [ "$(grep -cE "$run.*$work/small/full: .*No space left on device" "$err"):$(wc -l <"$err")" = 1:1 ]
    check 'the table has all samples' line ',wire,60,0,'
    kept=$(($(sed -n -e 's/.*the \([0-9]*\) samples before it are kept.*/\1/p' \
        -e 's/.*the \([0-9]*\) lines before it are kept.*/\1 - 1/p' "$err")))
    check 'it says how many are kept' [ "$kept" -gt 3 ]
    check 'the file ends with a whole line' [ "$(tail -c 2 "$work/small/full" | tr '\n' '!')" = '}!' ]
    expect 'what is kept can be read' 0 report --format table-csv "$work/small/full"
    check 'and is as many as it said' line ",wire,$kept,0,"
    umount "$mounted" && mounted=''
else
    skip 'a disk that gets full under -o' 'it takes root to make a small file system'
fi

# --- a server that dies in the middle of a run ---
sample_count() { if [ -e "$1" ]; then grep -c '"type":"sample"' "$1"; else echo 0; fi; }        # FILE
has_samples() { [ "$(sample_count "$1")" -ge "$2" ]; }                                          # FILE COUNT
"$XRDOPEN" run -n 400 --timeout 5s --format json -o "$work/died" "alive=$data2/data/file" "dies=$data1/data/file" \
    >"$out" 2>"$err" </dev/null &
last='run, whose server dies'
process=$!
pids="$pids $process"
check 'there are samples' within 30 has_samples "$work/died" 40
kill -9 "$("$XRDOPEN" lab status | sed -n 's/^ *server *data1 *xrootd *up, pid //p')"
code=0
wait "$process" || code=$?
sane
check 'a server dies in the middle: exit 1' [ "$code" -eq 1 ]
cp "$out" "$work/died.json"
check 'the table counts: all of the one, failures of the other, none lost' python "$work/died.json" "$work/died" <<'P'
import json, sys
table = json.load(open(sys.argv[1]))
lines = [json.loads(line) for line in open(sys.argv[2])]
taken = {"alive": [0, 0], "dies": [0, 0]}
labels = [row["label"] for row in lines[0]["rows"]]
for sample in lines[1:-1]:
    bad = "error" in sample or any("error" in op for op in sample["ops"])
    taken[labels[sample["row"]]][bad] += 1
assert taken["alive"] == [400, 0], taken
assert taken["dies"][0] >= 15 and taken["dies"][1] >= 100 and sum(taken["dies"]) == 400, taken
assert lines[-1]["type"] == "end" and lines[-1]["failed"] == taken["dies"][1], lines[-1]
text = json.dumps(table)
for label, (good, bad) in taken.items():
    row = [r for r in table["rows"] if r["label"] == label][0]
    assert (row["taken"], row["failed"]) == (good + bad, bad), (row, good, bad)
assert "refused" in text, "the reason is not there"
P
expect 'as a table' 1 run -n 20 --timeout 5s "alive=$data2/data/file" "dead=$data1/data/file"
check 'the failures are below it, by phase and reason' line '^ +20 +first_open, connect: Connection refused$'
check 'the row without samples shows no figure' line '^dead( +-){6} *$'
refuses 'the file that only the dead one has, by the manager' 1 "$once$manager/data/one: " --timeout 3s "$manager/data/one"

# --- ports where something else speaks ---
serve <<'P'
import socket, threading
# The path of the URL says what to do; a server has no other way to know.
listeners = []
def talk(answer, after, keep):
    def serve(s):
        kept = []
        while True:
            c = s.accept()[0]
            if after:
                c.recv(after)
            if answer:
                c.sendall(answer)
            if keep:
                kept.append(c)
            else:
                c.close()
    return serve
def hello(c):
    sid = c.recv(1000)[20:22]
    c.sendall(bytes.fromhex("0000000000000008" "00000511" "00000001"))
    c.sendall(sid + bytes.fromhex("000000000008" "00000511" "00000001"))
    sid = c.recv(1000)[:2]
    c.sendall(sid + bytes.fromhex("000000000010") + b"0123456789abcdef")
    return c.recv(1000)
def evil(s):
    while True:
        c = s.accept()[0]
        request = hello(c)
        body = (3011).to_bytes(4, "big") + b"\x1b[31mred\x07\nxrdopen: forged\xff\xfe\0"
        c.sendall(request[:2] + (4003).to_bytes(2, "big") + len(body).to_bytes(4, "big") + body)
        c.recv(1000)
        c.close()
def leaves(s):
    while True:
        c = s.accept()[0]
        hello(c)
        c.close()
http = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>Bad Request</html>\r\n"
serves = [talk(http, 1000, False), talk(b"", 0, True), talk(b"", 0, False), talk(b"\0" * 11, 1000, False), evil, leaves,
          talk(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", 0, True)]
for serve in serves:
    listeners.append(socket.create_server(("127.0.0.1", 0)))
    threading.Thread(target=serve, args=(listeners[-1],)).start()
print(" ".join(str(s.getsockname()[1]) for s in listeners), flush=True)
P
set -f
# shellcheck disable=SC2086  # seven ports
set -- $port
set +f
refuses 'HTTP speaks' 1 "$once.*: handshake: 127\.0\.0\.1:$1 broke the protocol" --timeout 5s "root://127.0.0.1:$1//f"
refuses 'SSH speaks' 1 "$once.*: handshake: 127\.0\.0\.1:$7 broke the protocol" --timeout 5s "root://127.0.0.1:$7//f"
refuses 'nothing speaks' 1 "$once.*: handshake: time limit passed \(--timeout\) .*127\.0\.0\.1:$2" --timeout 500ms \
    "root://127.0.0.1:$2//f"
refuses 'it hangs up at once' 1 "$once.*: handshake: 127\.0\.0\.1:$3 closed the connection" --timeout 5s "root://127.0.0.1:$3//f"
refuses 'it hangs up after 11 bytes' 1 "$once.*: handshake: 127\.0\.0\.1:$4 " --timeout 5s "root://127.0.0.1:$4//f"
refuses 'it hangs up instead of opening' 1 "$once.*: request: 127\.0\.0\.1:$6 closed the connection" --timeout 5s \
    "root://127.0.0.1:$6//f"
refuses 'an error text with control characters' 1 "$once.*3011 NotFound: .*red.*forged" --timeout 5s "root://127.0.0.1:$5//f"
check 'they are escaped' not grep -q "$(printf '[\033\007\377]')" "$err"
x run -n 2 --timeout 5s -o "$work/evil" "root://127.0.0.1:$5//f"
check 'in the table too' not grep -q "$(printf '[\033\007\377]')" "$out"
check 'and in the results file' not grep -q "$(printf '[\033\007\377]')" "$work/evil"
if has_engine xrdcl; then
    refuses 'nothing speaks, with xrdcl' 1 "$once.*: call: time limit passed \(--timeout\)" --timeout 500ms -e xrdcl \
        "root://127.0.0.1:$2//f"
fi

# --- a server that demands security ---
port=$("$XRDOPEN" lab free-ports 1)
mkdir "$work/secure"
printf '%s\n' "xrd.port $port" 'all.export /data readonly' "oss.localroot $tree/data1" "all.adminpath $work/secure" \
    "all.pidpath $work/secure" 'xrd.allow host 127.0.0.1' 'xrd.network nodnr' 'xrootd.seclib libXrdSec.so' \
    'sec.protocol unix' >"$work/secure/cfg"
as_user=''
if is_root; then
    user=xrootd
    id xrootd >/dev/null 2>&1 || user=nobody
    chown "$user" "$work/secure"
    as_user="setpriv --reuid $user --regid $(id -gn $user) --init-groups"
fi
# shellcheck disable=SC2086  # several words
(cd "$work/secure" && exec $as_user xrootd -c cfg -n secure -l "$work/secure/log" -s "$work/secure/pid" >/dev/null 2>&1) &
pids="$pids $!"
answers() { "$XRDOPEN" --timeout 1s "root://127.0.0.1:$port//data/file" 2>&1 | grep -qv refused; }
if within 20 answers; then
    XrdSecPROTOCOL=host         # so that what the server offers will not do
    export XrdSecPROTOCOL
    refuses 'security demanded: says so, and what it offers' 1 "$once.*: (login|auth|request): .*unix" "root://127.0.0.1:$port//data/file"
    refuses 'security demanded, in one flight' 1 "$once.*unix" --pipeline "root://127.0.0.1:$port//data/file"
else
    skip 'security demanded' 'that server did not start'
fi

finish
