#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# deadline.sh - --timeout holds, whatever a server does: not a moment too early, and not noticeably later; and the error
# says in which phase.   XRDOPEN=... sh tests/interop/deadline.sh   (TAP)
# shellcheck source=tests/lib.sh disable=SC2154  # port: set by the library
. "$(dirname "$0")/../lib.sh"

margin_ms=${XRDOPEN_TEST_MARGIN_MS:-500}        # for a loaded machine, process start and a sanitizer included

# xrdopen ARGUMENTS with a --timeout of 1 s ends after 1 s, exit 1, and its one message matches. The time is taken
# around the whole process: that of the op alone is in the message.
holds() { # WHAT REGEX ARGUMENTS...
    held=$1
    regex=$2
    shift 2
    last="xrdopen --timeout 1s $*"
    begin=$(date +%s%N)
    code=0
    timeout --foreground -k 1 20 "$XRDOPEN" --timeout 1s "$@" >"$out" 2>"$err" </dev/null || code=$?
    spent_ms=$((($(date +%s%N) - begin) / 1000000))
    sane
    check "$held: exit 1 and its message" refused 1 "$regex"
    check "$held: not before 1 s" [ "$spent_ms" -ge 1000 ]
    check "$held: soon after it ($spent_ms ms)" [ "$spent_ms" -le $((1000 + margin_ms)) ]
}

# A run's record of the same says in which phase, and how long it took: at least 1 s, to the nanosecond, and no more
# than a little more.
recorded() { # PHASE ARGUMENTS...
    phase=$1
    shift
    "$XRDOPEN" run -n 1 --timeout 1s -o "$work/record" "$@" >"$out" 2>"$err"
    python "$work/record" "$phase" <<'P'
import json, sys
sample = json.loads(open(sys.argv[1]).read().split("\n")[1])
op = sample["ops"][-1]
error = op["error"]
assert error["status"] == "timeout" and error["phase"] == sys.argv[2] and error["limit"] == "--timeout", error
first = sample["ops"][0]["begin_ns"]
spent = op["begin_ns"] + op["total_ns"] - first
assert 1000000000 <= spent <= 1300000000, spent
assert sum(ns for hop in op["hops"] for ns in hop["phase_ns"].values()) == op["total_ns"]
P
}

serve <<'P'
import socket, threading, time
def answer(request, status, body):
    return request[:2] + status.to_bytes(2, "big") + len(body).to_bytes(4, "big") + body
def take(c, size):
    got = b""
    while len(got) < size:
        part = c.recv(size - len(got))
        if not part:
            raise OSError("closed")
        got += part
    return got
def request(c):
    head = take(c, 24)
    take(c, int.from_bytes(head[20:24], "big"))
    return head
def welcome(c):
    take(c, 20)
    c.sendall(bytes.fromhex("0000000000000008" "00000511" "00000001"))
    c.sendall(answer(request(c), 0, bytes.fromhex("00000511" "00000001")))
    c.sendall(answer(request(c), 0, b"0123456789abcdef"))
    return request(c)
def silent(c):
    time.sleep(60)
def no_open(c):
    welcome(c)
    time.sleep(60)
def half_answer(c):
    c.sendall(answer(welcome(c), 0, b"\0" * 4)[:10])
    time.sleep(60)
def wait_100(c):
    c.sendall(answer(welcome(c), 4005, (100).to_bytes(4, "big") + b"tape is far\0"))
    time.sleep(60)
def waits_1(c):
    r = welcome(c)
    while True:
        c.sendall(answer(r, 4005, (0).to_bytes(4, "big")))
        r = request(c)
def deferred(c):
    c.sendall(answer(welcome(c), 4006, (100).to_bytes(4, "big")))
    time.sleep(60)
def dribble(c):                 # the answer to the handshake, a byte each 100 ms
    take(c, 20)
    for byte in bytes.fromhex("0000000000000008" "00000511" "00000001") + bytes(60):
        c.sendall(bytes([byte]))
        time.sleep(0.1)
def dribbled_open(c):           # an answer to the open that never gets whole
    for byte in answer(welcome(c), 0, bytes(200)):
        c.sendall(bytes([byte]))
        time.sleep(0.1)
def no_read(c):
    r = welcome(c)
    for size in (4, 0, 4):      # open, close, open
        c.sendall(answer(r, 0, bytes(size)))
        r = request(c)
    time.sleep(60)
def serve(s, talk):
    while True:
        c = s.accept()[0]
        def run(c=c):
            try:
                talk(c)
            except OSError:
                pass
            c.close()
        threading.Thread(target=run, daemon=True).start()
listeners = []
for talk in silent, no_open, half_answer, wait_100, waits_1, deferred, dribble, dribbled_open, no_read:
    listeners.append(socket.create_server(("127.0.0.1", 0)))
    threading.Thread(target=serve, args=(listeners[-1], talk), daemon=True).start()
full = socket.socket()          # nobody accepts here, and its queue is full: the next SYN is not answered
full.bind(("127.0.0.1", 0))
full.listen(0)
queued = []
for i in range(4):
    queued.append(socket.socket())
    queued[-1].setblocking(False)
    queued[-1].connect_ex(full.getsockname())
listeners.append(full)
print(" ".join(str(s.getsockname()[1]) for s in listeners), flush=True)
time.sleep(600)
P
# shellcheck disable=SC2086  # ten ports
set -- $port
at="root://127.0.0.1"
once='^xrdopen: once: .*: '
passed='time limit passed \(--timeout\) 1\.0[0-9]*s into the'

holds 'a server that accepts and is silent' "${once}handshake: $passed open: no answer from 127\.0\.0\.1:$1" "$at:$1//f"
holds 'in one flight, too' "${once}[a-z]+: $passed open: no answer from 127\.0\.0\.1:$1" --pipeline "$at:$1//f"
holds 'a full accept queue' "${once}connect: $passed open: no answer from 127\.0\.0\.1:${10}" "$at:${10}//f"
holds 'an open that is not answered' "${once}request: $passed open: " "$at:$2//f"
holds 'half an answer' "${once}transfer: $passed open: half an answer" "$at:$3//f"
holds 'waits of 0 s without end' "${once}[a-z]+: (no progress|time limit passed)" "$at:$5//f"
holds 'an answer that is deferred for ever' "${once}defer: $passed open: " "$at:$6//f"
holds 'a byte each 100 ms' "${once}handshake: $passed open: " "$at:$7//f"
holds 'a byte of the answer to the open each 100 ms' "${once}transfer: $passed open: " "$at:$8//f"
holds 'a read that is not answered, after three good answers' "${once}request: time limit passed \(--timeout\) .* into the read: " \
    "$at:$9//f"
for phase in "handshake $1" "connect ${10}" "request $2" "transfer $3" "defer $6" "transfer $8" "request $9"; do
    check "the record: ${phase% *}, 1 s" recorded "${phase% *}" "$at:${phase#* }//f"
done

# A wait that ends after the limit is not worth waiting for.
begin=$(date +%s%N)
refuses 'a wait of 100 s' 1 "${once}wait: .*100 s, \"tape is far\"" --timeout 5s "$at:$4//f"
check 'a wait of 100 s: fails at once' [ $((($(date +%s%N) - begin) / 1000000)) -lt 2500 ]

begin=$(date +%s%N)
refuses '--connect-timeout' 1 "${once}handshake: time limit passed \(--connect-timeout\)" --timeout 20s --connect-timeout 1s "$at:$1//f"
spent_ms=$((($(date +%s%N) - begin) / 1000000))
check "--connect-timeout holds ($spent_ms ms)" [ "$spent_ms" -ge 1000 ]
check '--connect-timeout: not the other limit' [ "$spent_ms" -lt 5000 ]

# --- the official library ---
for engine in xrdcl xrdposix; do
    if has_engine "$engine"; then
        holds "$engine: a server that is silent" "${once}call: $passed open: " -e "$engine" "$at:$1//f"
        holds "$engine: an open that is not answered" "${once}call: $passed open: " -e "$engine" "$at:$2//f"
    else
        skip "$engine" 'it is not built'
    fi
done

# --- a name server that does not answer ---
cat >"$work/dark.sh" <<'D'
mount --bind "$1/resolv.conf" /etc/resolv.conf && mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf || exit 77
ip link set lo up || exit 77
"$2" - "$1/bound" <<'P' &
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 53))
open(sys.argv[1], "w").close()
time.sleep(60)
P
server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$1/bound" ] || sleep 0.2; done
begin=$(date +%s%N)
code=0
env -u RES_OPTIONS "$XRDOPEN" --timeout 1s root://storage.example.org//f >"$1/out" 2>"$1/err" </dev/null || code=$?
echo "$code $((($(date +%s%N) - begin) / 1000000))" >"$1/dark"
kill "$server"
D
echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
echo 'hosts: dns' >"$work/nsswitch.conf"
last='xrdopen root://storage.example.org//f, with a dark name server'
if is_root && [ -e /etc/resolv.conf ] && unshare -m -n --propagation private sh "$work/dark.sh" "$work" "$python3" 2>"$work/dark.err" &&
    [ -s "$work/dark" ]; then
    read -r code spent_ms <"$work/dark"
    check 'a dark name server: exit 1 and its message' refused 1 \
        "${once}resolve: $passed open: no answer to the look-up of storage\.example\.org"
    check 'a dark name server: not before 1 s' [ "$spent_ms" -ge 1000 ]
    check "a dark name server: soon after it ($spent_ms ms)" [ "$spent_ms" -le $((1000 + margin_ms)) ]
else
    skip 'a dark name server' 'it takes root to put one in'
fi

finish
