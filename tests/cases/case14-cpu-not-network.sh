#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case14-cpu-not-network.sh - a login by gsi costs processor time, here and at the server: our own stands beside the time
# that passed, and is not taken for the network's. Where it is the server that is slow, that can be told, too.   (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2154  # set by the library
. "$(dirname "$0")/lib.sh"

modules=${XRDOPEN_MODULE_DIR:-${XRDOPEN%/*}}
command -v xrootd >/dev/null || skip_all 'no xrootd here: apt-get install xrootd-server'
[ -e "$modules/xrdopen-xrdsec.so" ] || skip_all 'no module for gsi here: apt-get install libxrootd-dev'
printf 'leak:%s\n' libcrypto. libXrd legacy.so >"$work/lsan"        # what others keep until the end is theirs
LSAN_OPTIONS=suppressions=$work/lsan:print_suppressions=0
HOME=$work/home
export LSAN_OPTIONS HOME
unset XrdSecPROTOCOL XrdSecDEBUG X509_USER_CERT X509_USER_KEY

# --- a server that is slow, without work for anybody ---
printf 'server S\n    file /data/file\n    on login: login token "&P=unix"\n    on auth: delay 500ms\n' >"$work/slow.imp"
imposter "$work/slow.imp"
take -t 20s -- S
judge <<'P'
op = sample["first_open"]
one = op.raw["attempts"][0]
times(op, {(0, "auth"): 0.5})
check("none of it is our processor's", one.get("cpu_ns", 0) < 1e8 and one["server_ns"] >= 5e8, one)
P
imposter_end

# --- gsi ---
x lab up gsi
if [ "$code" -eq 4 ]; then
    skip gsi "$(sed -n 's/.*not installed:/not installed:/p' "$err")"
    finish
fi
[ "$code" -eq 0 ] || { cat "$err"; bail 'no lab'; }
place=$("$XRDOPEN" lab urls | cut -f 2)
set -a
eval "$("$XRDOPEN" lab env)"
set +a
rm -f "$work/servers"
take -t 30s -- "gsi=$place"
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = sample["first_open"]
one = op.raw["attempts"][0]
auth = op.phases[0, "auth"]
equal("the attempt", (one["method"], one["outcome"], one["rounds"]), ("gsi", "accepted", 2))
check("our processor time is a good part of it", 0.005 < one["cpu_ns"] / 1e9 <= one["making_ns"] / 1e9, one)
check("the server's is another part", one["server_ns"] / 1e9 > 0.001, one)
check("together they are the phase, but for a little", 0 <= auth - (one["making_ns"] + one["server_ns"]) / 1e9 < 0.1, (auth, one))
check("the sample's own processor time has it, too", sample.raw["cpu_time_ns"] >= one["cpu_ns"], sample.raw["cpu_time_ns"])
check("the network has no part in it", op.phases[0, "connect"] + op.phases[0, "handshake"] < auth, op.phases)
equal("the time to load the plug-in stands apart, in phase other", one.get("loading_ns", 0) <= op.phases[0, "other"] * 1e9, True)
rest_is_quiet(sample, "first_open")
P
x -v -t 30s "$place"
check '-v says how much was our processor, and how much the server' \
    said '^ +gsi: accepted; credentials [0-9.]+ms \(our CPU [0-9.]+ms\), server [0-9.]+ms in 2 rounds'

finish
