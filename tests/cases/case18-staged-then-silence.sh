#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case18-staged-then-silence.sh - the file is "staged", the client asks again as told, and no answer comes: the text,
# when the request was made again, and what happened since.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case18-staged-then-silence.imp" --set wait=1

take -t 1700ms -- S
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "S under way")
waits(op, [(1, False, "staged", 1.0)])
error(op, status="timeout", phase="request", hop=0, limit="--timeout")
again = [(begin, spent) for hop, phase, begin, spent in op.spans() if phase == "request"]
equal("the request was made twice", len(again), 2)
ended = (op.waits[0]["begin_ns"] + op.waits[0]["spent_ns"]) / 1e9
between("the second time at the end of the pause", again[1][0] - ended, -TICK, QUIET)
between("no answer since", again[1][0] + again[1][1], 1.7 - 0.05, 1.7 + LATE)
between("wait is the pause", op.phases[0, "wait"], 1.0, 1.0 + LATE)
ends_by(sample, 1.7)
P

# --- as people see it ---
x -v -t 1500ms "root://$(at S)//data/other"
check '-v shows the text' said 'staged'
check '-v shows both requests' [ "$(grep -cE '^ +[0-9.]+  request ' "$err")" -eq 2 ]

finish
