#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case16-stat-unanswered.sh - a request that is never answered: our deadline holds to the millisecond. (The five
# operations of a sample hold no stat; each of the others stands in for it.)   (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2317  # what check calls
. "$(dirname "$0")/lib.sh"

cat >"$work/unanswered.imp" <<'I'
file /data/file
server open
    on open: ignore
server close
    on close count 1 per connection: ignore
server reopen
    on open count 2 per connection: ignore
server read
    on read: ignore
server reclose
    on close count 2 per connection: ignore
I
imposter "$work/unanswered.imp"

for limit in 250ms 731ms; do
    take -t "$limit" -- open close reopen read reclose
    check "$limit: exit 1" [ "$code" -eq 1 ]
    judge_with "$limit" <<'P'
limit = float(arguments[0].rstrip("ms")) / (1000 if arguments[0].endswith("ms") else 1)
late = []
for label, slot in (("open", "first_open"), ("close", "first_close"), ("reopen", "second_open"), ("read", "read"),
                    ("reclose", "second_close")):
    one = samples[label]
    op = one[slot]
    check("%s is the op that fails" % slot, one.failed is op and list(one.ops)[-1] == slot, one.message)
    error(op, status="timeout", phase="request", hop=0, limit="--timeout")
    # the limit counts from the first op's begin, and what passes between two ops counts
    elapsed = (op.raw["begin_ns"] - one["first_open"].raw["begin_ns"]) / 1e9 + op.total
    late.append(elapsed - limit)
    between("%s: all but the ops before is request" % slot, elapsed - op.phases[0, "request"], 0, QUIET)
check("%s: never before the limit" % arguments[0], min(late) >= -TICK, late)
between("%s: the best of five ends within some milliseconds of it" % arguments[0], min(late), -TICK, 0.010)
between("%s: none is late" % arguments[0], max(late), -TICK, LATE)
P
done

# --- of the whole process, as a user sees it ---
"$python3" - "$XRDOPEN" "$(url open)" >"$out" <<'P'
import subprocess, sys, time
begin = time.monotonic()
done = subprocess.run([sys.argv[1], "-t", "400ms", sys.argv[2]], capture_output=True)
print(done.returncode, time.monotonic() - begin, done.stderr.decode())
P
last='once -t 400ms'
: >"$err"
punctual() { awk 'NR == 1 { exit !($1 == 1 && $2 >= 0.4 && $2 < 1.4) }' "$out"; }
check 'once ends within a second of its limit' punctual

finish
