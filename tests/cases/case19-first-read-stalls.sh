#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case19-first-read-stalls.sh - the open is fast; the first read begins at once and is over much later: request and
# transfer are told apart.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case19-first-read-stalls.imp" --set stall=600ms

take -t 20s -- S
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = sample["read"]
hops(op, "S answered")
times(op, {(0, "transfer"): 0.6})
equal("it has its byte", op.raw.get("bytes"), 1)
rest_is_quiet(sample, "read")
P

# --- the stall before the first byte, in the middle of the head, between head and byte, of an open's answer ---
cat >"$work/stalls.imp" <<'I'
set stall 500ms
file /data/file
server before
    on read: delay $stall
server head
    on read: answer first 3, delay $stall, rest
server body
    on read: answer first 8, delay $stall, rest
server open
    on open count 1: answer first 40, delay $stall, rest
server login
    on login: answer first 12, delay $stall, rest
server handshake
    on handshake: answer first 10, delay $stall, rest
server protocol
    on protocol: answer first 10, delay $stall, rest
I
imposter "$work/stalls.imp"
take -t 20s -- before head body open login handshake protocol
check 'wherever the stall is: exit 0' [ "$code" -eq 0 ]
judge <<'P'
for label, slot, phase in (("before", "read", "request"), ("head", "read", "transfer"), ("body", "read", "transfer"),
                           ("open", "first_open", "transfer"), ("login", "first_open", "login"),
                           ("handshake", "first_open", "handshake"), ("protocol", "first_open", "handshake")):
    times(samples[label][slot], {(0, phase): 0.5})
    rest_is_quiet(samples[label], slot)
P

# --- it never goes on ---
imposter "$cases/case19-first-read-stalls.imp" --set stall=30s
take -t 500ms -- S
judge <<'P'
op = sample["read"]
error(op, status="timeout", phase="transfer", hop=0, limit="--timeout")
matches("the message: half an answer", sample.message, r"^transfer: .*half an answer from 127\.0\.0\.1:\d+")
between("it ends at the limit", sample.total, 0.45, 0.5 + LATE)
P

finish
