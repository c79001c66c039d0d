#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case17-read-unanswered.sh - which limit, in which step, at which server: connect, handshake, login, open, read.
# (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case17-read-unanswered.imp"

take -t 500ms -- C H L O S
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
for label, slot, phase, words in (("C", "first_open", "connect", "the TCP connection"),
                                  ("H", "first_open", "handshake", "the answer to the handshake"),
                                  ("L", "first_open", "login", "the answer to kXR_login"),
                                  ("O", "first_open", "request", "the first byte of the answer"),
                                  ("S", "read", "request", "the first byte of the answer")):
    one = samples[label]
    op = one[slot]
    hops(op, label + " under way")
    error(op, status="timeout", phase=phase, hop=0, limit="--timeout")
    kind = "read" if slot == "read" else "open"
    matches(label + ": the message", one.message,
            r"^%s: time limit passed \(--timeout\) [\d.]+m?s into the %s: no answer from 127\.0\.0\.1:%d: %s$"
            % (phase, kind, op.hops[0]["port"], words))
    between(label + ": the rest of the op is quick", op.total - op.phases[0, phase], 0, QUIET)
    between(label + " ends at the limit", one.total, 0.5 - 0.05, 0.5 + LATE)
equal("S: what was done before is there", [op.slot for op in samples["S"].ops.values()],
      ["first_open", "first_close", "second_open", "read"])
P

# --- the limit for each hop covers what comes before the login's end, and no more ---
take -t 900ms --connect-timeout 400ms -- C H L O S
judge <<'P'
for label, phase in (("C", "connect"), ("H", "handshake"), ("L", "login")):
    error(samples[label]["first_open"], status="timeout", phase=phase, limit="--connect-timeout")
    matches(label + ": the message names it", samples[label].message, r"\(--connect-timeout\)")
    ends_by(samples[label], 0.4)
for label, slot in (("O", "first_open"), ("S", "read")):
    error(samples[label][slot], status="timeout", phase="request", limit="--timeout")
    between(label + " ends at the other limit", samples[label].total, 0.9 - 0.05, 0.9 + LATE)
P

finish
