#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case03-nobody-there.sh - A sends us to B, B to C, and C swallows every SYN: it ends at the deadline, with the hops
# done and the one in progress.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case03-nobody-there.imp"

take -t 800ms -- A
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "A redirected, B redirected, C under way")
error(op, status="timeout", phase="connect", hop=2, limit="--timeout")
tries(op, [("127.0.0.1 connected", 0)], hop=0)
tries(op, [("127.0.0.1 connected", 0)], hop=1)
tries(op, [("127.0.0.1 timed out", 0)], hop=2)
done = op.total - op.phases[2, "connect"]
between("all but the first two hops' time is connect at C", done, 0, QUIET)
ends_by(sample, 0.8)
matches("the message names C", sample.message, r"connect: .*\(--timeout\).*no answer from 127\.0\.0\.1:%s" % op.hops[2]["port"])
P

# --- the target itself, and the redirector itself ---
take -t 400ms -- C
judge <<'P'
op = sample["first_open"]
hops(op, "C under way")
error(op, status="timeout", phase="connect", hop=0, limit="--timeout")
ends_by(sample, 0.4)
P

# --- with a limit for each hop, the manager is asked for another server; it knows none ---
take -t 20s --connect-timeout 300ms -- B
check 'a limit for each hop: exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, ", ".join(["B redirected, C broken"] * 8 + ["B redirected"]))
times(op, {(hop, "connect"): 0.3 for hop in range(1, 16, 2)}, early=EARLY)
equal("each attempt of C has timed out", [one["outcome"] for one in op.tries], ["connected"] + ["timed out"] * 8)
error(op, status="redirects")
matches("the message says what has failed on the way", sample.message, r"127\.0\.0\.1:%d did not answer" % op.hops[1]["port"])
P

# --- as it happens ---
x -v -t 500ms "$(url A)"
check '-v shows the hops done and the one in progress' [ "$(grep -c '^  hop ' "$err")" -eq 3 ]
check '-v ends with the message' said '^xrdopen: once: .*: connect: time limit passed'

finish
