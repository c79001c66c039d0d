#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case06-cold-lookup.sh - a manager that does not know the file yet: waits, each with what was asked and what was
# spent, then the redirect; the second open is redirected at once.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case06-cold-lookup.imp" --set wait=1

take -t 30s -- M
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = sample["first_open"]
hops(op, "M redirected, D answered")
waits(op, [(1, False, "looking for the file", 1.0)] * 2)
times(op, {(0, "wait"): 2.0})
equal("counted at the hop that ordered them", [(hop.get("wait_count", 0), hop.get("wait_asked_s", 0)) for hop in op.hops], [(2, 2), (0, 0)])
hops(sample["second_open"], "M redirected, D answered")
equal("warm: connections kept", [hop.get("reused", False) for hop in sample["second_open"].hops], [True, True])
rest_is_quiet(sample, "first_open")
P

# --- one wait, and six; at the second hop, at both ---
cat >"$work/waits.imp" <<'I'
set ones 1
file /data/* size 1M
server one manager
    on open first 1 per path: wait 1 "one"
    on open: redirect D
server six manager
    on open first 6 per path: wait 0 "six"
    on open: redirect D
server second manager
    on open: redirect slow
server slow
    on open first 1 per path: wait 1 "queue of the pool"
server both manager
    on open first 3 per path: wait 0 "manager"
    on open: redirect pool
server pool
    on open first 2 per path: wait 0
server D
I
imposter "$work/waits.imp"
take -t 30s -- one six second both
check 'one, six, at the second hop, at both: exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = samples["one"]["first_open"]
waits(op, [(1, False, "one", 1.0)])
times(op, {(0, "wait"): 1.0})
op = samples["six"]["first_open"]
waits(op, [(0, False, "six", 0.01)] * 6)
between("six waits of 0 s: six short pauses", op.phases[0, "wait"], 0.06, 0.06 + LATE)
op = samples["second"]["first_open"]
hops(op, "second redirected, slow answered")
waits(op, [(1, False, "queue of the pool", 1.0)])
times(op, {(1, "wait"): 1.0})
equal("the wait is the second hop's", op.waits[0].get("hop", 0), 1)
op = samples["both"]["first_open"]
waits(op, [(0, False, "manager", 0.01)] * 3 + [(0, False, "", 0.01)] * 2)
equal("each wait's hop", [one.get("hop", 0) for one in op.waits], [0, 0, 0, 1, 1])
for one in all_samples:
    rest_is_quiet(one, "first_open")
P

finish
