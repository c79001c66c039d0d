#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# limits.sh - --timeout and --connect-timeout each fire in each phase: the right one is named, it ends when it has to, and the
# record holds what was under way. A name look-up that is never answered needs a private network and root.   (TAP)
#
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"

cat >"$work/limits.imp" <<'I'
file /data/file
server connect swallow
server handshake
    on handshake: silence
server protocol
    on protocol: silence
server login
    on login: silence
server request
    on open: silence
server transfer
    on open: answer first 30, silence
server wait
    on open: wait 1 "hold"
server defer
    on open: waitresp 60 "later", detach, delay 60s
server login-wait
    on login: wait 1 "full"
server slow-login
    on login: delay 600ms
server slow-hops manager
    on login: delay 250ms
    on open: redirect slow-pool
server slow-pool
    on login: delay 250ms
    on open: delay 500ms
server M manager
    on open cgi "*tried=*": redirect good
    on open path /data/*-connect: redirect connect
    on open path /data/*-handshake: redirect handshake
    on open path /data/*-login: redirect login
server good
    listen 127.0.0.2
    file /data/*
server M2 manager
    on open: redirect request
I
imposter "$work/limits.imp"

# --- --timeout, in each phase -----------------------------------------------------------------------------------------

take -t 600ms -- connect handshake protocol login request transfer defer
check '--timeout: exit 1' [ "$code" -eq 1 ]
judge <<'P'
for label, phase, words in (("connect", "connect", "no answer from"), ("handshake", "handshake", "no answer from .*handshake"),
                            ("protocol", "handshake", "no answer from .*kXR_protocol"), ("login", "login", "no answer from .*kXR_login"),
                            ("request", "request", "no answer from"), ("transfer", "transfer", "half an answer from"),
                            ("defer", "defer", "deferred its answer and did not give it")):
    one = samples[label]
    op = one["first_open"]
    error(op, status="timeout", phase=phase, hop=0, limit="--timeout")
    hops(op, label + " under way")
    matches(label + ": the message", one.message, r"^%s: time limit passed \(--timeout\) [\d.]+m?s into the open: .*%s" % (phase, words))
    ends_by(one, 0.6)
    between(label + ": the rest of the op is quick", op.total - op.phases[0, phase], 0, QUIET)
P
take -t 600ms -- wait login-wait
judge <<'P'
for label in ("wait", "login-wait"):
    one = samples[label]
    op = one["first_open"]
    error(op, status="timeout", phase="wait", hop=0, limit="--timeout", text='.')
    matches(label + ": the message", one.message, r"^wait: 127\.0\.0\.1:\d+ ordered a pause .*\(--timeout\) \(asked for 1 s, \"%s\"\)"
            % ("hold" if label == "wait" else "full"))
    between(label + ": a wait that cannot end in time is not waited for", one.total, 0, QUIET)
P

# --- --connect-timeout: from look-up to login, of each hop ------------------------------------------------------------

take -t 20s --connect-timeout 500ms -- connect handshake protocol login login-wait slow-login
check '--connect-timeout: exit 1' [ "$code" -eq 1 ]
judge <<'P'
for label, phase in (("connect", "connect"), ("handshake", "handshake"), ("protocol", "handshake"), ("login", "login"),
                     ("slow-login", "login")):
    one = samples[label]
    op = one["first_open"]
    error(op, status="timeout", phase=phase, hop=0, limit="--connect-timeout")
    matches(label + ": the message", one.message, r"^%s: time limit passed \(--connect-timeout\) [\d.]+m?s into the open: no answer from" % phase)
    ends_by(one, 0.5)
    equal(label + ": the hop has timed out", (op.hops[0].get("ending"), op.hops[0].get("errno")), ("broken", 110))
op = samples["login-wait"]["first_open"]
error(op, status="timeout", phase="wait", hop=0, limit="--connect-timeout")
between("login-wait: a wait that cannot end in time is not waited for", samples["login-wait"].total, 0, QUIET)
P

# --- it ends with the login, and begins anew with the next hop ---
take -t 1s --connect-timeout 450ms -- request transfer slow-hops
judge <<'P'
for label in ("request", "transfer"):
    error(samples[label]["first_open"], status="timeout", phase=label, hop=0, limit="--timeout")
    ends_by(samples[label], 1.0)
op = samples["slow-hops"]["first_open"]
if op.error and op.error.get("limit") == "--timeout":
    # 250 ms + 250 ms + 500 ms and what is between them: no hop alone is too slow, all of it is
    hops(op, "slow-hops redirected, slow-pool under way")
    error(op, status="timeout", phase="request", hop=1, limit="--timeout")
else:
    check("slow-hops: no hop is slower than its limit", False, samples["slow-hops"].message)
P

# --- behind a manager it asks for another server ---
for step in connect handshake login; do
    take -t 20s --connect-timeout 400ms -- "$step=root://$(at M)//data/x-$step"
    check "a hop that is too slow in $step: exit 0" [ "$code" -eq 0 ]
    judge_with "$step" <<'P'
step = arguments[0]
op = sample["first_open"]
hops(op, "M redirected, %s broken, M redirected, good answered" % step)
equal("errno of the hop that was given up", op.hops[1].get("errno"), 110)
times(op, {(1, step): 0.4}, early=EARLY)
P
done

# --- both, whichever is first ---
take -t 400ms --connect-timeout 800ms -- login
judge <<'P'
error(sample["first_open"], status="timeout", phase="login", limit="--timeout")
ends_by(sample, 0.4)
P
take -t 800ms --connect-timeout 400ms -- M2
judge <<'P'
error(sample["first_open"], status="timeout", phase="request", hop=1, limit="--timeout")
ends_by(sample, 0.8)
P

# --- XRootD's own variables ---
export XRD_REQUESTTIMEOUT=1 XRD_CONNECTIONWINDOW=2
take -- login
unset XRD_REQUESTTIMEOUT XRD_CONNECTIONWINDOW
judge <<'P'
error(sample["first_open"], status="timeout", phase="login", limit="--timeout")
ends_by(sample, 1.0)
P
export XRD_REQUESTTIMEOUT=20 XRD_CONNECTIONWINDOW=1
take -- login
unset XRD_REQUESTTIMEOUT XRD_CONNECTIONWINDOW
judge <<'P'
error(sample["first_open"], status="timeout", phase="login", limit="--connect-timeout")
ends_by(sample, 1.0)
P

# --- resolve: a name server that is silent ----------------------------------------------------------------------------

cat >"$work/deaf.sh" <<'S'
# The private network's name server, which hears and says nothing; then the program.
ip link set lo up || exit 77
printf 'nameserver 127.0.0.1\noptions timeout:30 attempts:2\n' >"$WORK/resolv.conf"
printf 'hosts: files dns\n' >"$WORK/nsswitch.conf"
mount --bind "$WORK/resolv.conf" "$(readlink -f /etc/resolv.conf)" || exit 77
mount --bind "$WORK/nsswitch.conf" /etc/nsswitch.conf || exit 77
"$PYTHON" -c '
import socket, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
open("'"$WORK"'/bound", "w").close()
time.sleep(30)' &
deaf=$!
for try in 1 2 3 4 5 6 7 8 9 10; do [ -e "$WORK/bound" ] && break; sleep 0.2; done
unset RES_OPTIONS
"$XRDOPEN" "$@"
code=$?
kill $deaf
exit $code
S
deaf() { # LIMIT OPTION...
    rm -f "$work/samples.jsonl"
    last="xrdopen run $* (behind a deaf name server)"
    code=0
    WORK=$work PYTHON=$python3 unshare -mn sh "$work/deaf.sh" run -n 1 -o "$work/samples.jsonl" "$@" root://slow.name.test:1094//data/file \
        >"$out" 2>"$err" </dev/null || code=$?
    sane
    "$XRDOPEN" report --csv "$work/samples.jsonl" >"$work/samples.csv" 2>>"$err"
}
if ! is_root || ! unshare -mn true 2>/dev/null || ! [ -e /etc/nsswitch.conf ] || ! [ -e /etc/resolv.conf ]; then
    skip 'a limit in resolve' 'this takes root and a private network (unshare -mn)'
    finish
fi
deaf -t 700ms
if [ "$code" -eq 77 ]; then
    skip 'a limit in resolve' 'no private resolv.conf can be made here'
    finish
fi
check 'a silent name server: exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
error(op, status="timeout", phase="resolve", hop=0, limit="--timeout")
matches("the message", sample.message, r"^resolve: time limit passed \(--timeout\) [\d.]+m?s into the open: no answer to the look-up of slow\.name\.test")
ends_by(sample, 0.7)
between("nearly all of it is resolve", op.total - op.phases[0, "resolve"], 0, QUIET)
equal("no address was tried", op.tries, [])
P
deaf -t 20s --connect-timeout 500ms
judge <<'P'
error(sample["first_open"], status="timeout", phase="resolve", hop=0, limit="--connect-timeout")
matches("the message", sample.message, r"^resolve: time limit passed \(--connect-timeout\)")
ends_by(sample, 0.5)
P
deaf -t 5s --resolve slow.name.test=127.0.0.1
judge <<'P'
error(sample["first_open"], status="connect", phase="connect", hop=0, errno=111)
between("with the user's own address there is no look-up", sample["first_open"].phases.get((0, "resolve"), 0), 0, QUIET)
P

finish
