#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case09-queued-open.sh - the open is queued by the server: kXR_waitresp, and after a while the answer as kXR_attn.
# The time is defer, at the hop that deferred.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case09-queued-open.imp" --set queue=500ms

take -t 20s -- M
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
for slot in ("first_open", "second_open"):      # each open is queued
    op = sample[slot]
    hops(op, "M redirected, D answered")
    waits(op, [(10, True, "queued", 0.5)])
    times(op, {(0, "defer"): 0.5})
    equal(slot + ": deferred by M", op.waits[0].get("hop", 0), 0)
rest_is_quiet(sample, "first_open", "second_open")
P

# --- what the deferred answer can hold; who deferred; two of them ---
cat >"$work/deferred.imp" <<'I'
set queue 400ms
file /data/file
server ok
    on open count 1: waitresp 5 "staging", delay $queue, attn answer
server pause
    on open count 1: waitresp 5, delay $queue, attn wait 0 "again"
server failed
    on open: waitresp 5, delay $queue, attn error NotFound "not on tape either"
server plain
    on open count 1: waitresp 5, delay $queue, answer
server twice
    on open first 2: waitresp 5, delay $queue, attn wait 0
server hop manager
    on open: redirect ok2
server ok2
    on open count 1: waitresp 5, delay $queue, attn answer
server read
    on read: waitresp 5, delay $queue, attn answer
server close
    on close count 1: waitresp 5, delay $queue, attn answer
server half
    on open: waitresp 1, detach, delay 20s
I
imposter "$work/deferred.imp"
take -t 20s -- ok pause failed plain twice hop read close
judge <<'P'
for label, want in (("ok", {(0, "defer"): 0.4}), ("plain", {(0, "defer"): 0.4}), ("hop", {(1, "defer"): 0.4})):
    op = samples[label]["first_open"]
    hops(op, "hop redirected, ok2 answered" if label == "hop" else label + " answered")
    times(op, want)
    rest_is_quiet(samples[label], "first_open")
op = samples["pause"]["first_open"]
waits(op, [(5, True, "", 0.4), (0, False, "again", 0.01)])
times(op, {(0, "defer"): 0.4})
rest_is_quiet(samples["pause"], "first_open")
op = samples["twice"]["first_open"]
waits(op, [(5, True, "", 0.4), (0, False, "", 0.01)] * 2)
times(op, {(0, "defer"): 0.8})
op = samples["failed"]["first_open"]
hops(op, "failed refused")
error(op, status="server", server_code=3011, hop=0, text="not on tape either")
times(op, {(0, "defer"): 0.4})
op = samples["read"]["read"]
times(op, {(0, "defer"): 0.4})
equal("a deferred read brings its byte", op.raw.get("bytes"), 1)
times(samples["close"]["first_close"], {(0, "defer"): 0.4})
rest_is_quiet(samples["read"], "read")
rest_is_quiet(samples["close"], "first_close")
P

# --- the promise is not kept: our own limit ends it ---
take -t 600ms -- half
check 'the answer never comes: exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "half under way")
error(op, status="timeout", phase="defer", hop=0, limit="--timeout")
matches("the message", sample.message, r"^defer: .*\(--timeout\).*deferred its answer and did not give it")
between("all but the start's time is defer", op.total - op.phases[0, "defer"], 0, QUIET)
ends_by(sample, 0.6)
P

finish
