#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case01-dead-ipv6.sh - names with two, three and five addresses of which all but the last are dead: each address
# with its outcome and time, 250 ms of connect for each dead one, and nothing anywhere else.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

if ! has_ipv6; then skip_all 'no IPv6 here'; fi
imposter "$cases/case01-dead-ipv6.imp"

named() { printf '%s=root://data.test:%s//data/file\n' "$1" "$(port_of "$1")"; }     # SERVER

# --- two addresses ---
take -t 20s --resolve data.test=::1,127.0.0.1 -- "$(named D2)"
check 'two addresses, one dead: exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = sample["first_open"]
hops(op, "D2 answered")
times(op, {(0, "connect"): 0.25})
tries(op, [("[::1] abandoned", 0), ("127.0.0.1 connected", 0.25)])
equal("it is the live address that is used", op.hops[0]["address"].rsplit(":", 1)[0], "127.0.0.1")
between("the live address answers at once: its own time", op.tries[1]["spent_ns"] / 1e9, 0, QUIET)
between("the dead one is given up when the other answers", op.tries[0]["spent_ns"] / 1e9, 0.25, 0.25 + LATE)
rest_is_quiet(sample, "first_open")
P

# --- three: the families take turns, whatever the order ---
take -t 20s --resolve data.test=::1,127.0.0.2,127.0.0.1 -- "$(named D3)"
judge <<'P'
op = sample["first_open"]
times(op, {(0, "connect"): 0.5})
tries(op, [("[::1] abandoned", 0), ("127.0.0.2 abandoned", 0.25), ("127.0.0.1 connected", 0.5)])
P
take -t 20s --resolve data.test=127.0.0.2,127.0.0.1,::1 -- "$(named D3)"
judge <<'P'
tries(sample["first_open"], [("127.0.0.2 abandoned", 0), ("[::1] abandoned", 0.25), ("127.0.0.1 connected", 0.5)])
P

# --- five ---
take -t 20s --resolve data.test=::1,127.0.0.2,127.0.0.3,127.0.0.4,127.0.0.1 -- "$(named D5)"
judge <<'P'
op = sample["first_open"]
times(op, {(0, "connect"): 1.0})
tries(op, [("[::1] abandoned", 0), ("127.0.0.2 abandoned", 0.25), ("127.0.0.3 abandoned", 0.5),
           ("127.0.0.4 abandoned", 0.75), ("127.0.0.1 connected", 1.0)])
rest_is_quiet(sample, "first_open")
P

# --- redirector and target so ---
take -t 20s --resolve data.test=::1,127.0.0.1 -- "$(named M)"
judge <<'P'
op = sample["first_open"]
hops(op, "M redirected, D2 answered")
times(op, {(0, "connect"): 0.25, (1, "connect"): 0.25})
tries(op, [("[::1] abandoned", 0), ("127.0.0.1 connected", 0.25)], hop=0)
tries(op, [("[::1] abandoned", 0), ("127.0.0.1 connected", 0.25)], hop=1)
equal("the target is another server", op.hops[1].get("same_as"), None)
rest_is_quiet(sample, "first_open")
P

# --- all dead: the deadline, and which addresses came to their turn ---
take -t 600ms --resolve data.test=::1,127.0.0.2,127.0.0.3,127.0.0.4 -- "$(named D5)"
check 'all dead: exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "D5 under way")
error(op, status="timeout", phase="connect", hop=0, limit="--timeout")
tries(op, [("[::1] timed out", 0), ("127.0.0.2 timed out", 0.25), ("127.0.0.3 timed out", 0.5), ("127.0.0.4 not tried", None)])
times(op, {(0, "connect"): 0.6}, early=EARLY + TICK)
ends_by(sample, 0.6)
matches("the message", sample.message, r"^connect: time limit passed \(--timeout\) [\d.]+m?s into the open: no answer from data\.test:\d+")
P

# --- one family, the other first ---
take -t 20s -4 --resolve data.test=::1,127.0.0.1 -- "$(named D2)"
judge <<'P'
op = sample["first_open"]
times(op, {})
tries(op, [("127.0.0.1 connected", 0)])
P
export XRD_PREFERIPV4=1
take -t 20s --resolve data.test=::1,127.0.0.1 -- "$(named D2)"
unset XRD_PREFERIPV4
judge <<'P'
op = sample["first_open"]
times(op, {})
tries(op, [("127.0.0.1 connected", 0), ("[::1] not tried", None)])
P

# --- refused is quicker than dead: the next address is tried at once ---
cat >"$work/refuse.imp" <<'I'
file /data/file
server R
    listen ::1 refuse
    listen 127.0.0.2 refuse
    listen 127.0.0.1
I
imposter "$work/refuse.imp"
take -t 20s --resolve data.test=::1,127.0.0.2,127.0.0.1 -- "$(named R)"
judge <<'P'
op = sample["first_open"]
times(op, {})
tries(op, [("[::1] failed", 0), ("127.0.0.2 failed", 0), ("127.0.0.1 connected", 0)], late=QUIET)
equal("errno of those that refused", [one.get("errno") for one in op.tries], [111, 111, None])
P
take -t 20s --resolve data.test=::1,127.0.0.2 -- "$(named R)"
judge <<'P'
error(sample["first_open"], status="connect", phase="connect", hop=0, errno=111)
matches("the message", sample.message, r"^connect: data\.test:\d+ refused \(2 addresses tried\): Connection refused$")
between("it is said in the first second", sample.total, 0, 0.9)
P

# --- and people see it ---
x -v --resolve data.test=::1,127.0.0.2,127.0.0.1 "$(named R | sed 's/.*=//')"
check '-v shows each address and its outcome' said '^ +127\.0\.0\.2:[0-9]+: .*refused'
check '-v shows the one that connected' said '^ +127\.0\.0\.1:[0-9]+: connected, [0-9]'

finish
