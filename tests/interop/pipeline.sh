#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# pipeline.sh - one flight: fewer sends and a shorter first open at real servers, every answer's stamp apart; and a server
# that refuses it, in each of the ways that servers have, is taken step by step, both attempts recorded.   (TAP)
#
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"

# --- servers that refuse ----------------------------------------------------------------------------------------------
#
# What is refused is the first connection alone: the second comes step by step, and is served.

cat >"$work/refusals.imp" <<'I'
file /data/file
deny /data/secret
server fine
server open-3006-close
    on open count 1: error InvalidRequest "Invalid request; user not authenticated", close
server open-3010
    on open count 1: error NotAuthorized "Login required"
server open-3028
    on open count 1: error TLSRequired "session requires TLS support"
server open-3030
    on open count 1: error AuthFailed "authentication required"
server open-3020
    on open count 1: error inProgress "login in progress"
server login-3006
    on login count 1: error InvalidRequest "one by one, please"
server login-3010
    on login count 1: error NotAuthorized "Authentication required"
server login-3028
    on login count 1: error TLSRequired "login requires TLS support", close
server login-3030
    on login count 1: error AuthFailed "no"
server login-close
    on login count 1: answer, close
server login-reset
    on login count 1: reset
server login-token
    on login count 1: login token "&P=unix"
server handshake-close
    on handshake count 1: answer, close
server protocol-close
    on protocol count 1: close
server protocol-reset
    on protocol count 1: answer, reset
server protocol-3006
    on protocol count 1: error InvalidRequest "what is that?"
server M manager
    on open: redirect closing-pool
server closing-pool
    on login count 1: answer, close
server M2 manager
    on login count 1: reset
    on open: redirect fine
server always-token
    on login: login token "&P=foo,bar"
server always-closes
    on login: answer, close
server missing
    on open: error NotFound "no such file"
I
imposter "$work/refusals.imp"
refusals=$(sed -n 's/^server \([olhp][a-z]*-[a-z0-9-]*\)$/\1/p' "$work/refusals.imp")
# shellcheck disable=SC2086  # names of servers
take -t 20s --pipeline -- fine $refusals M M2
check 'every refusal ends well: exit 0' [ "$code" -eq 0 ]
judge <<'P'
def flights(op):
    return [hop.get("pipelined", False) for hop in op.hops]

op = samples["fine"]["first_open"]
hops(op, "fine answered")
equal("fine: in one flight", flights(op), [True])
check("fine: the later ops are not", not any(any(flights(samples["fine"][slot])) for slot in SLOTS[1:]))
for label, one in samples.items():
    if label in ("fine", "M", "M2"):
        continue
    op = one["first_open"]
    hops(op, "%s retried, %s answered" % (label, label))
    equal("%s: first in one flight, then step by step" % label, flights(op), [True, False])
    equal("%s: the same server" % label, [hop.get("same_as") for hop in op.hops], [None, 0])
    code = re.search(r"-(3\d\d\d)", label)
    equal("%s: the refusal's code" % label, op.hops[0].get("server_code", 0), int(code.group(1)) if code else 0)
    rest_is_quiet(one, "first_open")
op = samples["M"]["first_open"]
hops(op, "M redirected, closing-pool retried, closing-pool answered")
equal("M: one flight at each first try", flights(op), [True, True, False])
op = samples["M2"]["first_open"]
hops(op, "M2 retried, M2 redirected, fine answered")
equal("M2: one flight at each first try", flights(op), [True, False, True])
P

# --- refusals that stay ---
secret="secret=root://$(at fine)//data/secret"
take -t 20s --pipeline -- always-token always-closes missing "$secret" open-3010
judge <<'P'
for label, status in (("always-token", "auth"), ("always-closes", "closed")):
    op = samples[label]["first_open"]
    hops(op, "%s retried, %s broken" % (label, label))
    error(op, status=status, hop=1)
op = samples["secret"]["first_open"]
hops(op, "fine retried, fine refused")
error(op, status="server", server_code=3010, hop=1)
op = samples["missing"]["first_open"]
hops(op, "missing refused")
error(op, status="server", server_code=3011, hop=0)
P

# --- delays in one flight are in the phases of the answers that were late ---
cat >"$work/delays.imp" <<'I'
set late 400ms
file /data/file
server handshake
    on handshake: delay $late
server protocol
    on protocol: delay $late
server login
    on login: delay $late
server open
    on open count 1 per connection: delay $late
server wait manager
    on open first 1 per path: wait 1 "looking"
    on open: redirect pool
server pool
    on login: delay $late
server silent
    on login: silence
I
imposter "$work/delays.imp"
take -t 20s --pipeline -- handshake protocol login open wait
judge <<'P'
for label, phase in (("handshake", "handshake"), ("protocol", "handshake"), ("login", "login"), ("open", "request")):
    op = samples[label]["first_open"]
    hops(op, label + " answered")
    times(op, {(0, phase): 0.4}, early=EARLY)       # in one flight a phase begins when the answer before is received
    rest_is_quiet(samples[label], "first_open")
op = samples["wait"]["first_open"]
hops(op, "wait redirected, pool answered")
times(op, {(0, "wait"): 1.0, (1, "login"): 0.4}, early=EARLY)
equal("one flight at both", [hop.get("pipelined", False) for hop in op.hops], [True, True])
P
take -t 500ms --pipeline -- silent
judge <<'P'
error(sample["first_open"], status="timeout", phase="login", hop=0, limit="--timeout")
hops(sample["first_open"], "silent under way")
P

# --- sends ------------------------------------------------------------------------------------------------------------

sends() { # OPTION...
    ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" strace -f -e trace=sendto,sendmsg,write -o "$work/trace" \
        "$XRDOPEN" "$@" "$(url fine)" >"$out" 2>"$err" </dev/null || return 1
    grep -c 'sendto(.*MSG_NOSIGNAL' "$work/trace"
}
imposter "$work/refusals.imp"
if command -v strace >/dev/null && sends >"$work/plain" 2>/dev/null; then
    sends --pipeline >"$work/flight"
    last=''
    check 'step by step: 7 sends for a sample' [ "$(cat "$work/plain")" = 7 ]
    check 'in one flight: 5' [ "$(cat "$work/flight")" = 5 ]
else
    skip 'sends are counted' 'no strace here, or it may not trace'
fi
imposter_end

# --- real servers -----------------------------------------------------------------------------------------------------

if ! command -v xrootd >/dev/null || ! command -v cmsd >/dev/null; then
    skip 'one flight at real servers' 'no xrootd here: apt-get install xrootd-server'
    finish
fi
start_lab cluster
# One of each in turn, so that whatever else the machine does hits both alike. Quiet moments are what tells them apart: it
# is the lower quartile that has to be lower, or the median.
# shellcheck disable=SC2154  # data1, manager: set by start_lab
"$python3" - "$XRDOPEN" "$data1/data/file" "$manager/data/file" >"$work/verdicts" 2>&1 <<'P'
import json, statistics, subprocess, sys

def first_open(url, *options):
    done = subprocess.run([sys.argv[1], "--json", "-t", "20s", *options, url], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        sys.exit("not ok - %s: %s" % (" ".join(options + (url,)), done.stderr.decode()))
    return json.loads(done.stdout)["ops"][0]

def say(good, what, note):
    print("%sok - %s (%s)" % ("" if good else "not ", what, note))

for url, where, servers in ((sys.argv[2], "a data server", 1), (sys.argv[3], "a manager and its data server", 2)):
    step, flight = [], []
    for turn in range(100):
        step.append(first_open(url))
        flight.append(first_open(url, "--pipeline"))
    figures = [statistics.quantiles([op["total_ns"] / 1000 for op in ops], n=4)[:2] for ops in (step, flight)]
    say(figures[1][0] < figures[0][0] or figures[1][1] < figures[0][1], "%s: one flight is quicker" % where,
        "lower quartile and median of 100: %.0f and %.0f us step by step, %.0f and %.0f us in one flight" % (*figures[0], *figures[1]))
    say(all(len(op["hops"]) == servers and all(hop.get("pipelined") for hop in op["hops"]) for op in flight),
        "%s: no real server refuses it" % where, "%d hops" % servers)
    say(all(not hop.get("pipelined") for op in step for hop in op["hops"]), "%s: step by step is that" % where, "no option")
P
last=''
while IFS= read -r verdict; do
    case $verdict in
    'ok - '*) ok "${verdict#ok - }" ;;
    'not ok - '*) not_ok "${verdict#not ok - }" ;;
    *) printf '# %s\n' "$verdict" ;;
    esac
done <"$work/verdicts"
check 'the real servers were measured' [ "$(grep -c '^ok' "$work/verdicts")" -ge 1 ]

finish
