#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case10-no-progress.sh - one wait after the other, for ever: it says so, with their number and sum, at the deadline
# at the latest.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case10-no-progress.imp" --set wait=1

take -t 2500ms -- M
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "M broken")
waits(op, [(1, False, "director busy", 1.0)] * 2 + [(1, False, "director busy", None)])
times(op, {(0, "wait"): 2.0})
error(op, status="stalled", phase="wait", hop=0, limit="--timeout", text="director busy")
between("it ends as soon as the next wait cannot end in time", sample.total, 2.0, 2.5)
matches("the message", sample.message, r"^wait: no progress: 127\.0\.0\.1:\d+ keeps ordering waits \(3 of them, 3 s asked in all\).*director busy")
equal("counted at the hop", (op.hops[0]["wait_count"], op.hops[0]["wait_asked_s"]), (3, 3))
P

# --- one wait, too long: said at once, with its value ---
imposter "$cases/case10-no-progress.imp" --set wait=3
take -t 2s -- M
judge <<'P'
op = sample["first_open"]
error(op, status="timeout", phase="wait", hop=0, limit="--timeout", text="director busy")
waits(op, [(3, False, "director busy", None)])
between("at once", sample.total, 0, QUIET)
matches("the message says what was asked", sample.message, r"^wait: .*asked for 3 s, \"director busy\"")
P

# --- waits of 0 s: not a busy loop, and not for ever; more of them than are kept in detail ---
imposter "$cases/case10-no-progress.imp" --set wait=0
take -t 1s -- M
judge <<'P'
op = sample["first_open"]
error(op, status="stalled", phase="wait", hop=0, limit="--timeout")
between("it ends by the deadline", sample.total, 0.9, 1.0 + LATE)
between("a pause of 10 ms for each", op.raw.get("wait_count", len(op.waits)), 20, 100)
equal("each of them is counted at the hop", op.hops[0]["wait_count"], op.raw.get("wait_count", len(op.waits)))
equal("the first 64 are kept", len(op.waits), min(64, op.hops[0]["wait_count"]))
between("nearly all of it is wait", op.total - op.phases[0, "wait"], 0, QUIET)
P

# --- two servers that each order one wait and send us to the other ---
cat >"$work/pingpong.imp" <<'I'
server M manager
    on open every 2 offset 1: wait 0 "M is busy"
    on open: redirect N
server N manager
    on open every 2 offset 1: wait 0 "N is busy"
    on open: redirect M
I
imposter "$work/pingpong.imp"
take -t 20s -- M
judge <<'P'
op = sample["first_open"]
hops(op, ", ".join(["M redirected, N redirected"] * 8 + ["M redirected"]))
waits(op, [(0, False, "MN"[i % 2] + " is busy", 0.01) for i in range(17)])
error(op, status="redirects", hop=16)
P

finish
