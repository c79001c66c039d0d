#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case13-slow-logins.sh - logins that are authenticated one at a time: the time of each round is in phase auth and in the
# attempt, as the server's, not as ours; and it grows with the number of those who come at once.   (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2154  # set by the library
. "$(dirname "$0")/lib.sh"

# --- one ---
imposter "$cases/case13-slow-logins.imp" --set auth=2s
take -t 20s -- S
judge <<'P'
op = sample["first_open"]
times(op, {(0, "auth"): 2.0})
one = op.raw["attempts"][0]
equal("the attempt", (one["method"], one["outcome"], one["rounds"]), ("unix", "accepted", 1))
between("it is the server that was waited for", one["server_ns"] / 1e9, 2.0 - TICK, 2.0 + LATE)
between("not we who worked", one["making_ns"] / 1e9, 0, QUIET)
rest_is_quiet(sample, "first_open")
P
x -v "$(url S)"
check '-v says whose time it was' said '^ +unix: accepted; credentials .*us \(our CPU .*us\), server 2(\.[0-9]*)?s in 1 round'

# --- the limit falls into it ---
take -t 600ms -- S
judge <<'P'
op = sample["first_open"]
error(op, status="timeout", phase="auth", hop=0, limit="--timeout")
equal("the attempt has no answer", (op.raw["attempts"][0]["method"], op.raw["attempts"][0]["outcome"]), ("unix", "no answer"))
matches("the message", sample.message, r"^auth: .*no answer from 127\.0\.0\.1:\d+: the answer to kXR_auth")
ends_by(sample, 0.6)
P

# --- several at once: COUNT processes, each with a record of its own ---
at_once() { # COUNT
    rm -rf "$work/records"
    mkdir "$work/records"
    place=$(url S)
    started=''
    for number in $(seq "$1"); do
        "$XRDOPEN" --json -t 60s "$place" >"$work/records/$number" 2>"$work/records/$number.err" </dev/null &
        started="$started $!"
    done
    # shellcheck disable=SC2086  # several
    wait $started
    cat "$work"/records/*.err >"$err"
    cat "$work"/records/*[0-9] >"$work/samples.jsonl"
    : >"$work/samples.csv"
}

cat >"$work/growth.py" <<'P'
count, step = int(arguments[0]), float(arguments[1])
spent = sorted(one["first_open"].phases.get((0, "auth"), 0) for one in all_samples if not one.failed)
equal("%d at once: all come in" % count, len(spent), count)
between("%d at once: the quickest waits for itself alone, or for few" % count, spent[0], step - TICK, count * step)
between("%d at once: the slowest waits for most of the others" % count, spent[-1], count * step * 0.6, count * step + LATE)
check("%d at once: it grows from one to the next" % count, spent[count // 2] > spent[0] + step, spent)
elsewhere = max(ns for one in all_samples for key, ns in one["first_open"].phases.items() if key[1] in ("login", "handshake"))
check("%d at once: and nowhere else" % count, elsewhere < spent[-1] / 2, elsewhere)
P
imposter "$cases/case13-slow-logins.imp" --set auth=250ms
at_once 8
judge_with 8 0.25 <"$work/growth.py"
imposter "$cases/case13-slow-logins.imp" --set auth=150ms
at_once 64
judge_with 64 0.15 <"$work/growth.py"

finish
