#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case15-first-method.sh - a server offers ztn, krb5 and unix, and the first cannot be used: the list in the server's order,
# what became of each of them, why, and in what time; and the next one is tried, on the same connection.   (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2154  # set by the library
. "$(dirname "$0")/lib.sh"

command -v xrootd >/dev/null || skip_all 'no xrootd here: apt-get install xrootd-server'
HOME=$work/home
export HOME
unset XrdSecPROTOCOL XrdSecDEBUG BEARER_TOKEN BEARER_TOKEN_FILE XDG_RUNTIME_DIR X509_USER_PROXY X509_USER_CERT X509_USER_KEY
x lab up fallback
if [ "$code" -eq 4 ]; then skip_all "$(sed -n 's/.*not installed:/not installed:/p' "$err")"; fi
[ "$code" -eq 0 ] || { cat "$err"; bail 'no lab'; }
dir=$(echo "$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)"/*)
place=$("$XRDOPEN" lab urls | cut -f 2)
set -a
eval "$("$XRDOPEN" lab env)"
set +a

cat >"$work/tried.py" <<'P'
def tried(op):
    return [(one["method"], one["outcome"]) for one in op.raw.get("attempts", [])]

def reasons(op):
    return [one.get("reason", "") for one in op.raw["attempts"]]

def in_one_connection(op):
    equal("on one connection", (len(op.hops), [one["outcome"] for one in op.tries].count("connected")), (1, 1))
P
judge_case() {
    cat "$work/tried.py" - >"$work/expectations"
    judge <"$work/expectations"
}

# --- no token: the second ---
take -t 20s -- "fallback=$place"
check 'exit 0' [ "$code" -eq 0 ]
judge_case <<'P'
op = sample["first_open"]
equal("in the server's order", tried(op), [("ztn", "failed"), ("krb5", "accepted")])
matches("why the first was not", reasons(op)[0], r"^no token in BEARER_TOKEN, BEARER_TOKEN_FILE, ")
in_one_connection(op)
first, second = op.raw["attempts"]
check("the first cost no request", not first.get("rounds") and not first.get("server_ns"), first)
check("each has its time", second["making_ns"] > 0 and second["server_ns"] > 0 and second["rounds"] == 1, second)
check("it is in the phase", second["making_ns"] + second["server_ns"] <= op.phases[0, "auth"] * 1e9)
rest_is_quiet(sample, "first_open")
P
x -v "$place"
check '-v: the list in its order' [ "$(sed -n 's/^ *\(ztn\|krb5\|unix\): .*/\1/p' "$err" | tr '\n' ' ')" = 'ztn krb5 ' ]
check '-v: why the first was not' said '^ +ztn: failed.*no token in BEARER_TOKEN'

# --- no ticket either: the third ---
good=$KRB5CCNAME
KRB5CCNAME=FILE:$work/none
take -t 20s -- "fallback=$place"
judge_case <<'P'
op = sample["first_open"]
equal("in the server's order", tried(op), [("ztn", "failed"), ("krb5", "failed"), ("unix", "accepted")])
matches("why the second was not", reasons(op)[1], r"No credentials cache")
in_one_connection(op)
P

# --- a token that the server refuses: the next on the same connection ---
KRB5CCNAME=$good
forged=$dir/bad/token-forged
BEARER_TOKEN_FILE=$forged
export BEARER_TOKEN_FILE
take -t 20s -- "fallback=$place"
judge_case <<'P'
op = sample["first_open"]
if tried(op)[:1] == [("ztn", "accepted")]:       # this server may leave the verdict to whoever authorizes
    check("a forged token", True)
else:
    equal("in the server's order", tried(op), [("ztn", "refused"), ("krb5", "accepted")])
    check("with the server's words", reasons(op)[0] != "")
in_one_connection(op)
P
unset BEARER_TOKEN_FILE

# --- none of those that the user lets it try ---
XrdSecPROTOCOL=ztn,krb5
KRB5CCNAME=FILE:$work/none
export XrdSecPROTOCOL
x "$place"
check 'when none is left, all are listed with their reasons' \
    refused 1 'auth: .*: ztn \(failed: no token in .*\), krb5 \(failed: .*No credentials cache.*\), unix \([a-z]*: not among XrdSecPROTOCOL\)$'
unset XrdSecPROTOCOL
KRB5CCNAME=$good

# --- no CA: it is TLS that fails, which the first method makes a must ---
mkdir "$work/empty"
X509_CERT_DIR=$work/empty
export X509_CERT_DIR
take -t 20s -- "fallback=$place"
judge_case <<'P'
op = sample["first_open"]
error(op, status="tls", phase="tls", hop=0)
equal("no method is to blame", tried(op), [])
matches("the message says what is not trusted", sample.message, r"^tls: localhost:\d+: TLS failed: .*not accepted: .*issuer")
P

finish
