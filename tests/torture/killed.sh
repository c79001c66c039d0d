#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# killed.sh - a server that dies, by a FIN and by a RST, in each state of the connection and of the file's life, and at each
# byte of its answers. Without a manager: a clear error, at once. Behind one: back to it, with tried= and triedrc=, and to
# another server, every hop recorded. What was open stays lost.   (TAP)
#
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"

# --- a script: D kills by the file's path, S-... before it knows one; G is good; M sends to D, and to G who has tried ---

cat >"$work/length.imp" <<'I'
file /data/* size 1M
server D
I
imposter "$work/length.imp" --trace
x "root://$(at D)//data/o00"
kill -TERM "$imposter_pid"
within 10 grep -q 'event=read' "$imposter_said"
length=$(sed -n 's/.* event=open .* bytes=\([0-9]*\).*/\1/p' "$imposter_said" | head -n 1)
wait "$imposter_pid" 2>/dev/null
imposter_pid=''
check "an answer to kXR_open has some length ($length)" [ "${length:-0}" -gt 20 ]

kinds='close reset'
steps='accept handshake protocol login'

rules() { # PATH-PREFIX EVENT FROM TO, of D
    for kind in $kinds; do
        offset=$3
        while [ "$offset" -le "$4" ]; do
            if [ "$offset" -eq 0 ]; then answer=''; else answer="answer first $offset, "; fi
            printf '    on %s path /data/%s-%s-%d: %s%s\n' "$2" "$1" "$kind" "$offset" "$answer" "$kind"
            offset=$((offset + 1))
        done
    done
}

{
    echo 'file /data/* size 1M'
    echo 'server G'
    echo '    listen 127.0.0.2'
    echo 'server M manager'
    echo '    on open cgi "*tried=127.0.0.1*triedrc=srverr*": redirect G'
    echo '    on open cgi "*tried=*": error 3000 "tried= is not as it should be"'
    for kind in $kinds; do
        for step in $steps; do
            printf '    on open path /data/S-%s-%s: redirect S-%s-%s\n' "$step" "$kind" "$step" "$kind"
            printf '    on open path /data/A-%s-%s: redirect A-%s-%s\n' "$step" "$kind" "$step" "$kind"
        done
    done
    echo '    on open: redirect D'
    echo 'server D'
    rules open open 0 $((length - 1))
    rules read read 0 8
    rules shut 'close count 1 per connection' 0 7
    for kind in $kinds; do
        # between two ops, behind a whole answer
        printf '    on open path /data/opened-%s: answer, %s\n' "$kind" "$kind"
        printf '    on close count 1 per connection path /data/closed-%s: answer, %s\n' "$kind" "$kind"
        printf '    on read path /data/done-%s: answer, %s\n' "$kind" "$kind"
    done
    for kind in $kinds; do
        for step in $steps; do
            # in place of the answer, and behind it
            printf 'server S-%s-%s\n    on %s: %s\n' "$step" "$kind" "$step" "$kind"
            if [ "$step" = accept ]; then continue; fi
            printf 'server A-%s-%s\n    on %s: answer, %s\n' "$step" "$kind" "$step" "$kind"
        done
    done
} | grep -v 'A-accept' >"$work/killed.imp"
imposter "$work/killed.imp"

# The paths that D knows of, and those of the servers that die before.
paths_of_d() { sed -n 's/^    on .*path \/data\/\([a-z]*-[a-z]*-*[0-9]*\):.*/\1/p' "$work/killed.imp" | grep -v '^[AS]-'; }
servers_of_s() { sed -n 's/^server \([AS]-[a-z]*-[a-z]*\)$/\1/p' "$work/killed.imp"; }

cat >"$work/told.py" <<'P'
def told(label):
    """(kind of op, FIN or RST, bytes of the answer or None)"""
    parts = label.split("-")
    return parts[0], parts[1], int(parts[2]) if len(parts) > 2 else None

def lost(one, slot, phase, offset, where):
    """what is wrong with ONE, whose op SLOT has to have lost its connection"""
    op = one.failed
    if op is None or op.slot != slot:
        return "%s did not fail" % slot
    wrong = []
    if op.error["status"] != "closed":
        wrong.append("status %s" % op.error["status"])
    if not re.fullmatch(phase, op.error.get("phase", "other")):
        wrong.append("phase %s" % op.error.get("phase"))
    if op.error.get("errno", 0) not in ((0, 104, 32) if "reset" in one.label else (0,)):
        wrong.append("errno %s" % op.error.get("errno"))
    if name_of(op.hops[-1]) != where or op.hops[-1].get("ending") != "broken":
        wrong.append("hops %s" % way(op))
    if "closed the connection" not in one.message:
        wrong.append("message")
    if offset and "in the middle of an answer" not in one.message:
        wrong.append("the message does not say that an answer had begun")
    if one.total >= 2:
        wrong.append("%.3f s" % one.total)
    return "; ".join(wrong)

def tell(what, faults, count):
    faults = ["%s: %s" % (label, fault) for label, fault in faults.items() if fault]
    check("%s (%d servers)" % (what, count), count > 0 and not faults, "\n".join(faults[:20]))
P

# --- without a manager ---
paths_of_d | while read -r path; do
    printf '%s=root://%s//data/%s\n' "$path" "$(at D)" "$path"
done >"$work/targets"
servers_of_s | while read -r server; do
    printf '%s=root://%s//data/file\n' "$server" "$(at "$server")"
done >>"$work/targets"
measure -t 20s
cat "$work/told.py" - <<'P' >"$work/direct.py"
for prefix, slot in (("open", "first_open"), ("read", "read"), ("shut", "first_close")):
    for kind in ("close", "reset"):
        group = {label: one for label, one in samples.items() if re.match("%s-%s-" % (prefix, kind), label)}
        faults = {}
        for label, one in group.items():
            offset = told(label)[2]
            faults[label] = lost(one, slot, "request" if offset < 8 else "transfer", offset, "D")
        tell("%s: %s at each byte of the answer" % (slot, kind), faults, len(group))
for label, slot in (("opened", "first_close"), ("done", "second_close")):
    for kind in ("close", "reset"):
        name = "%s-%s" % (label, kind)
        tell("%s: %s before it" % (slot, kind), {name: lost(samples[name], slot, "request|other", 0, "D")}, 1)
for kind in ("close", "reset"):         # a kept connection that has ended meanwhile: an error, or connected again
    one = samples["closed-" + kind]
    fault = lost(one, "second_open", "request|other", 0, "D")
    if one.error is None:
        fault = "" if way(one["second_open"]) == "D retried, D answered" else way(one["second_open"])
    tell("second_open: %s before it" % kind, {one.label: fault}, 1)
for label, one in samples.items():
    if label[:2] not in ("S-", "A-"):
        continue
    step = label.split("-")[1]
    phases = {"S-accept": "connect|handshake", "S-handshake": "handshake", "S-protocol": "handshake", "S-login": "login",
              "A-handshake": "handshake", "A-protocol": "handshake|login", "A-login": "login|request"}
    if label == "S-accept-reset" and one.error and one.error["status"] == "connect":
        check(label + ": reset before the connect is over", one.error.get("errno") == 104, one.error)
        continue
    tell("%s: a clear error" % label, {label: lost(one, "first_open", phases[label.rsplit("-", 1)[0]], 0, label)}, 1)
P
judge <"$work/direct.py"
check 'without a manager: exit 1' [ "$code" -eq 1 ]

# --- behind one ---
{ paths_of_d; servers_of_s; } | while read -r path; do
    printf '%s=root://%s//data/%s\n' "$path" "$(at M)" "$path"
done >"$work/targets"
measure -t 20s
cat "$work/told.py" - <<'P' >"$work/managed.py"
def recovered(one, slot, where):
    if slot not in one.ops:
        return "%s was not begun: %s" % (slot, one.message)
    want = "M redirected, %s broken, M redirected, G answered" % where
    op = one.ops[slot]
    return "" if way(op) == want and not op.error else "%s; %s" % (way(op), one.message)

for kind in ("close", "reset"):
    group = {label: one for label, one in samples.items() if re.match("open-%s-" % kind, label)}
    tell("the open that dies by %s goes on elsewhere, both times" % kind,
         {label: recovered(one, "first_open", "D") or recovered(one, "second_open", "D") or one.message
          for label, one in group.items()}, len(group))
    group = {label: one for label, one in samples.items() if re.match("[AS]-[a-z]*-%s" % kind, label)}
    tell("a connection that dies by %s at its start, both times" % kind,
         {label: recovered(one, "first_open", label) or recovered(one, "second_open", label) or one.message
          for label, one in group.items()}, len(group))
    for prefix, slot in (("read", "read"), ("shut", "first_close")):
        group = {label: one for label, one in samples.items() if re.match("%s-%s-" % (prefix, kind), label)}
        tell("%s: what was open at the server that dies by %s is lost" % (slot, kind),
             {label: lost(one, slot, "request" if told(label)[2] < 8 else "transfer", told(label)[2], "D")
              for label, one in group.items()}, len(group))
    one = samples["closed-" + kind]
    tell("the second open on a connection that %s has ended goes on elsewhere" % kind,
         {one.label: recovered(one, "second_open", "D") or one.message}, 1)
    for label, slot in (("opened", "first_close"), ("done", "second_close")):
        one = samples["%s-%s" % (label, kind)]
        tell("%s: %s before it" % (slot, kind), {one.label: lost(one, slot, "request|other", 0, "D")}, 1)
op = samples["open-close-20"]["first_open"]
equal("servers met again are known, connections kept", [(hop.get("same_as"), hop.get("reused", False)) for hop in op.hops],
      [(None, False), (None, False), (0, True), (None, False)])
P
judge <"$work/managed.py"

# --- the manager dies ---
cat >"$work/manager.imp" <<'I'
file /data/*
server D
    on open: close
server G
    listen 127.0.0.2
server N manager
    on open cgi "*tried=*": redirect G
    on open: redirect D, close
server R manager
    on open: redirect D, reset
    on accept count 2-: reset
server Q manager
    on open: redirect D, close
    on login count 2: close
server O manager
    on open: answer first 11, close
I
imposter "$work/manager.imp"
take -t 20s -- N R Q O
judge <<'P'
op = samples["N"]["first_open"]
hops(op, "N redirected, D broken, N retried, N redirected, G answered")
equal("the manager was connected anew", [hop.get("reused", False) for hop in op.hops], [False, False, True, False, False])
check("N: and all is well", samples["N"].error is None, samples["N"].message)
for label in ("R", "Q"):
    op = samples[label]["first_open"]
    hops(op, "%s redirected, D broken, %s retried, %s broken" % (label, label, label))
    check(label + ": it says so", op.error["status"] in ("closed", "connect") and op.error["hop"] == 3, samples[label].message)
op = samples["O"]["first_open"]
hops(op, "O broken")
error(op, status="closed", hop=0)
P

finish
