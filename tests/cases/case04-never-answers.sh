#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case04-never-answers.sh - the connection is accepted, and that is all: step and host are named, at the limit.
# (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case04-never-answers.imp"

take -t 600ms -- S
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "S under way")
error(op, status="timeout", phase="handshake", hop=0, limit="--timeout")
tries(op, [("127.0.0.1 connected", 0)])
done = op.total - op.phases[0, "handshake"]
between("all but the connect's time is handshake", done, 0, QUIET)
ends_by(sample, 0.6)
matches("the message names step and host", sample.message,
        r"^handshake: time limit passed \(--timeout\) [\d.]+m?s into the open: no answer from 127\.0\.0\.1:%d" % op.hops[0]["port"])
P

# --- with the other limit ---
take -t 20s --connect-timeout 400ms -- S
judge <<'P'
error(sample["first_open"], status="timeout", phase="handshake", hop=0, limit="--connect-timeout")
matches("the message names the other limit", sample.message, r"\(--connect-timeout\)")
ends_by(sample, 0.4)
P

# --- and at the end of a chain ---
cat >"$work/chain.imp" <<'I'
server M manager
    on open: redirect N
server N manager
    on open: redirect S
server S silent
I
imposter "$work/chain.imp"
take -t 600ms -- M
judge <<'P'
op = sample["first_open"]
hops(op, "M redirected, N redirected, S under way")
error(op, status="timeout", phase="handshake", hop=2, limit="--timeout")
between("all but the first hops' time is handshake at S", op.total - op.phases[2, "handshake"], 0, QUIET)
P

finish
