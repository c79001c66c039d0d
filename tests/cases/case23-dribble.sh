#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case23-dribble.sh - an answer in 16 parts with pauses between them: first byte and last byte apart, all of it
# transfer.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$work/parts.imp" <<'I'
set gap 40ms
file /data/file
server parts
    on read: piece 0, delay $gap, repeat 15, answer
server bytes
    on read: answer dribble 1 every $gap
server open
    on open count 1: piece 4, delay $gap, piece 8, delay $gap, piece 1, delay $gap, repeat 5, answer
server late
    on read: delay 400ms, piece 0, delay $gap, repeat 2, answer
server start
    on handshake protocol login: answer dribble 1 every 15ms
I
imposter "$work/parts.imp"
take -t 20s -- parts bytes late start
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
for label, seconds in (("parts", 0.6), ("bytes", 0.32)):
    op = samples[label]["read"]
    times(op, {(0, "transfer"): seconds})
    equal(label + ": the byte is there", op.raw.get("bytes"), 1)
    rest_is_quiet(samples[label], "read")
op = samples["late"]["read"]
check("late: 400 ms of request, then transfer", op.phases[0, "request"] >= 0.4 - TICK and op.phases[0, "transfer"] > 0
      and op.phases[0, "request"] < 0.4 + LATE, op.phases)
op = samples["start"]["first_open"]
times(op, {(0, "handshake"): 15 * 0.015 + 15 * 0.015, (0, "login"): 23 * 0.015})
rest_is_quiet(samples["start"], "first_open")
P

finish
