#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# security.sh - the client at real servers of every kind of security: it gets in and says how, in phases, attempts and facts
# of TLS; it reads the same bytes as the official client; what must be refused is, for the reason that is so; no secret is
# in anything that it writes; and a process of many connections does not grow.   XRDOPEN=... sh tests/interop/security.sh
# (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2317,SC2154  # functions are called by check; variables are the library's
. "$(dirname "$0")/../cases/lib.sh"

command -v xrootd >/dev/null || skip_all 'no xrootd here: apt-get install xrootd-server'
HOME=$work/home
XRDOPEN_MODULE_DIR=${XRDOPEN_MODULE_DIR:-${XRDOPEN%/*}}     # for the programs that lie elsewhere
export HOME XRDOPEN_MODULE_DIR
variables='XrdSecPROTOCOL XrdSecDEBUG XrdSecSSSKT XrdSecsssKT XrdSecGSICREATEPROXY XrdSecCREDS X509_USER_PROXY X509_USER_CERT
    X509_USER_KEY X509_CERT_DIR X509_CERT_FILE KRB5CCNAME KRB5_CONFIG BEARER_TOKEN BEARER_TOKEN_FILE XDG_RUNTIME_DIR'
# What XRootD's plug-ins and OpenSSL keep until the end is theirs.
printf 'leak:%s\n' libcrypto. libXrd legacy.so >"$work/lsan"
LSAN_OPTIONS=suppressions=$work/lsan:print_suppressions=0
export LSAN_OPTIONS
base=$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)
has_gsi=''
if [ -e "$XRDOPEN_MODULE_DIR/xrdopen-xrdsec.so" ]; then has_gsi=yes; fi

# --- helpers ----------------------------------------------------------------------------------------------------------

# A lab of MODE, and its variables exported. Fails, after a skip, when this machine lacks something.
up() { # MODE
    # shellcheck disable=SC2086  # names
    unset $variables
    x lab up "$1"
    if [ "$code" -eq 4 ]; then
        skip "lab $1" "$(sed -n 's/.*not installed:/not installed:/p' "$err")"
        return 1
    fi
    if [ "$code" -ne 0 ]; then cat "$err"; bail "no lab of $1"; fi
    dir=$(echo "$base"/*)
    "$XRDOPEN" lab urls >"$work/urls"
    set -a
    eval "$("$XRDOPEN" lab env)"
    set +a
}
lab_url() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$work/urls"; }      # NAME
down() { "$XRDOPEN" lab down >/dev/null 2>&1; }

# A sample of each of NAMES, whose names are the labels, with changes to the environment (NAME=VALUE).
sample_of() { # WORDS... -- NAME...
    changes=''
    while [ "$1" != -- ]; do
        changes="$changes $1"
        shift
    done
    shift
    for name; do printf '%s=%s\n' "$name" "$(lab_url "$name")"; done >"$work/targets"
    rm -f "$work/samples.jsonl"
    last="$changes xrdopen run ($*)"
    code=0
    # shellcheck disable=SC2086  # words without blanks
    env $changes timeout -k 5 100 "$XRDOPEN" run -n 1 -t 20s -e wire -o "$work/samples.jsonl" --targets "$work/targets" \
        >"$out" 2>"$err" </dev/null || code=$?
    sane
    "$XRDOPEN" report --csv "$work/samples.jsonl" >"$work/samples.csv" 2>>"$err"
    cat "$out" "$err" "$work/samples.jsonl" "$work/samples.csv" >>"$work/everything"
}

cat >"$work/security.py" <<'P'
NATIVE = ["host", "unix", "ztn"]

def tried(op, hop=0):
    """'ztn failed, krb5 accepted in 1'"""
    return ", ".join("%s %s%s" % (one["method"], one["outcome"], " in %d" % one["rounds"] if one.get("rounds") else "")
                     for one in op.raw.get("attempts", []) if one.get("hop", 0) == hop)

def adds(op):
    """what the attempts say against what the phases say, "" when it fits"""
    for i, hop in enumerate(op.hops):
        mine = [one for one in op.raw.get("attempts", []) if one.get("hop", 0) == i]
        spent = sum(one.get("making_ns", 0) + one.get("server_ns", 0) for one in mine)
        phases = hop.get("phase_ns", {})
        if spent > phases.get("auth", 0):
            return "attempts of %d ns in a phase of %d ns" % (spent, phases.get("auth", 0))
        if sum(one.get("loading_ns", 0) for one in mine) > phases.get("other", 0):
            return "loading is not in phase other"
        for one in mine:
            if one["outcome"] == "accepted" and not (one.get("making_ns") and one.get("server_ns")):
                return "no times: %s" % one
            if one.get("cpu_ns", 0) > one.get("making_ns", 0):
                return "more processor time than time: %s" % one
    return ""

def secure(name, attempts, tls, hops=1):
    """the sample is good; ATTEMPTS and TLS are at each of its hops in the first open, and at no other op"""
    one, wrong = samples[name], []
    if one.failed or one.error or list(one.ops) != SLOTS:
        check("%s: good" % name, False, one.message or one.error)
        return
    for slot, op in one.ops.items():
        first = slot == "first_open"
        if op.fault() or adds(op):
            wrong.append("%s: %s" % (slot, op.fault() or adds(op)))
        if first and len(op.hops) != hops:
            wrong.append("%d hops" % len(op.hops))
        for i, hop in enumerate(op.hops):
            facts, phases = hop.get("tls", {}), hop["phase_ns"]
            if tried(op, i) != (attempts if first else ""):
                wrong.append("%s, hop %d: %s" % (slot, i, tried(op, i)))
            if bool(phases.get("auth")) != bool(first and attempts) or bool(phases.get("tls")) != bool(first and tls):
                wrong.append("%s, hop %d: %s" % (slot, i, phases))
            if bool(facts) != bool(first and tls):
                wrong.append("%s, hop %d: facts of TLS: %s" % (slot, i, facts))
            if facts and not (re.fullmatch(r"TLSv1\.[23]", facts.get("version", "")) and facts.get("cipher")
                              and facts.get("subject", "").endswith("/CN=localhost") and facts.get("issuer", "").endswith("/CN=CA")):
                wrong.append(str(facts))
    check("%s: %s%s" % (name, "TLS, " if tls else "", attempts or "nobody asks who"), not wrong, "\n".join(wrong))

def refused(name, pattern, attempts=None, phase="auth", status="auth"):
    one = samples[name]
    error = one.failed.error if one.failed else one.error or {"status": "good"}
    wrong = [] if (error["status"], error.get("phase", "other")) == (status, phase) else [str(error)]
    wrong += [] if re.search(pattern, one.message) else ["message: " + one.message]
    wrong += [] if attempts is None or one.failed and re.fullmatch(attempts, tried(one.failed)) else ["tried: " + tried(one.failed)]
    wrong += [slot for slot in one.ops if slot != "first_open"]
    wrong += [adds(one.failed)] if one.failed and adds(one.failed) else []
    check("%s: refused, %s" % (name, pattern), not wrong, "\n".join(wrong))
P
judge_security() {
    cat "$work/security.py" - >"$work/expectations"
    judge <"$work/expectations"
}

# With all of once's ways to show it: exit 1, nothing on standard output, one message with REGEX, and all of it kept for the
# search for secrets.
bad() { # WHAT REGEX NAME WORDS...
    what=$1
    regex=$2
    place=$(lab_url "$3")
    shift 3
    for way in '' -v --json; do
        last="$* xrdopen $way $place"
        code=0
        # shellcheck disable=SC2086  # one word or none
        env "$@" timeout -k 5 60 "$XRDOPEN" $way -t 20s "$place" >"$out" 2>"$err" </dev/null || code=$?
        sane
        cat "$out" "$err" >>"$work/everything"
        if [ "$way" = -v ]; then
            check "$what: -v" verbosely_refused "$regex"
        else
            check "$what${way:+: $way}" refused 1 "$regex"
        fi
    done
}
verbosely_refused() { [ "$code" -eq 1 ] && [ ! -s "$out" ] && said "^xrdopen: once: .*$1" && said '^first_open'; }

same_bytes() { # NAME [FILE]
    place=$(lab_url "$1")
    engines=wire
    if has_engine xrdcl; then engines='wire xrdcl'; fi
    last="interop-bytes $1"
    code=0
    # shellcheck disable=SC2086  # several
    timeout -k 5 60 "$bytes" "$dir/tree/${2-data}/${place#*://*//}" "$place" $engines >"$out" 2>"$err" </dev/null || code=$?
    sane
    [ "$code" -eq 0 ] && [ "$(grep -c '^ok' "$out")" -eq $((13 * $(echo "$engines" | wc -w))) ]
}
bytes=${XRDOPEN_BYTES:-${XRDOPEN%/*}/tests/interop-bytes}

# The words that must be nowhere: tokens whole and their parts, keys of keytabs, lines of private keys.
secrets() {
    for file in "$dir"/client/token "$dir"/bad/token-*; do
        if [ -e "$file" ]; then tr -d '\n' <"$file" | tr . '\n' | sed 1d; echo; fi      # the first part is the same for all
    done
    cat "$dir"/client/sss.keytab "$dir"/bad/sss.keytab 2>/dev/null | sed -n 's/.* k:\([0-9a-f]*\).*/\1/p'
    cat "$dir"/client/*.key "$dir"/client/*.pem "$dir"/bad/*.pem "$dir"/bad/*.key 2>/dev/null |
        sed -n '/BEGIN.*PRIVATE KEY/,/END.*PRIVATE KEY/p' | grep -v -- -----
}

# --- everything at once ------------------------------------------------------------------------------------------------

if up all; then
    # A part of one would do, so all of their parts of 16 characters are looked for.
    secrets | awk '{ for (i = 1; i + 15 <= length($0); i++) print substr($0, i, 16) }' | sort -u >"$work/secrets"
    check 'there are secrets to be looked for' [ "$(wc -l <"$work/secrets")" -gt 4000 ]
    : >"$work/everything"
    names=$(cut -f 1 "$work/urls")
    if [ -z "$has_gsi" ]; then names=$(echo "$names" | grep -vE '^(gsi|sss)'); fi
    # shellcheck disable=SC2086  # names
    sample_of A=B -- $names
    check 'all: exit 0' [ "$code" -eq 0 ]
    judge_security <<'P'
for name in samples:
    method = name.split("-")[0]
    attempts = {"plain": "", "host": "", "tls": "", "gsi": "gsi accepted in 2"}.get(method, method + " accepted in 1")
    secure(name, attempts, tls=name.endswith("-tls") or name.startswith("tls-") and name != "tls-capable")
equal("each of them was tried", len(samples) >= 13, True)
gsi = [samples[name]["first_open"] for name in ("gsi", "gsi-tls") if name in samples]
check("gsi: its own processor time is told apart", all(op.raw["attempts"][0].get("cpu_ns", 0) > 1000000 for op in gsi))
P
    if [ -x "$bytes" ]; then
        for name in $names; do check "$name: equal bytes" same_bytes "$name"; done
    else
        skip 'equal bytes' "no $bytes"
    fi
    x -v "$(lab_url ztn-tls)"
    cat "$out" "$err" >>"$work/everything"
    check '-v shows TLS' said '^ +TLSv1\.[23], [A-Z0-9_-]+, full handshake; our CPU .*; signed by /O=xrdopen lab/CN=CA$'
    check '-v shows the attempt' said '^ +ztn: accepted; credentials .*\(our CPU .*\), server .* in 1 round$'
    x --json "$(lab_url ztn-tls)"
    cat "$out" "$err" >>"$work/everything"

    # A plug-in is run with standard error turned elsewhere: what we say meanwhile must come out all the same, in its order.
    if [ -n "$has_gsi" ]; then
        x -v "$(lab_url gsi)"
        cat "$out" "$err" >>"$work/everything"
        check '-v of gsi: from the first line on' [ "$(head -n 1 "$err")" = first_open ]
        check '-v of gsi: each phase' [ "$(sed '/^first_open is over/,$d; s/^ *[0-9.]*  //' "$err" | awk '
            /is over/ { exit } { print $1 }' | grep -cxE 'resolve|connect|handshake|login|auth|request')" -eq 6 ]
    fi

    # --- a KDC that does not answer: the limit holds, and it is said ---
    cat >"$work/kdc.in" <<'P'
import socket, time
stream = socket.create_server(("127.0.0.1", 0))
packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
packets.bind(stream.getsockname())
print(stream.getsockname()[1], flush=True)
time.sleep(110)
P
    serve <"$work/kdc.in"
    sed "s/kdc = 127\.0\.0\.1:[0-9]*/kdc = 127.0.0.1:$port/" "$KRB5_CONFIG" >"$work/silent.conf"
    # The lab's ticket is one for the server already; what is wanted here is one that must be asked for more.
    if KRB5_KDC_PROFILE=$dir/kdc.cfg kadmin.local -r LAB.TEST -q 'cpw -pw once-only alice' >"$out" 2>&1 &&
        echo once-only | kinit -c "FILE:$work/ticket" alice >"$out" 2>&1; then
        mkdir "$work/plugins"
        if [ -n "$has_gsi" ]; then ln -s "$XRDOPEN_MODULE_DIR/xrdopen-xrdsec.so" "$work/plugins/"; fi
        for modules in "$XRDOPEN_MODULE_DIR" "$work/plugins"; do
            last="a KDC that does not answer (modules in $modules)"
            code=0
            before=$(date +%s%N)
            KRB5_CONFIG=$work/silent.conf KRB5CCNAME=FILE:$work/ticket XRDOPEN_MODULE_DIR=$modules \
                timeout -k 5 60 "$XRDOPEN" -t 700ms "$(lab_url krb5)" >"$out" 2>"$err" </dev/null || code=$?
            took=$((($(date +%s%N) - before) / 1000000))
            sane
            cat "$out" "$err" >>"$work/everything"
            check "$last: said" refused 1 'auth: time limit passed \(--timeout\).*credentials to be made'
            check "$last: in time ($took ms)" [ "$took" -ge 700 -a "$took" -lt 2200 ]
            if [ -z "$has_gsi" ]; then break; fi
        done
    else
        skip 'a KDC that does not answer' "$(tail -n 1 "$out")"
    fi

    # --- --tls against each ---
    tls_of() { # WHEN NAME: exit code
        "$XRDOPEN" --tls "$1" "$(lab_url "$2")" >"$out" 2>"$err" </dev/null
    }
    for name in plain host unix; do
        check "$name: --tls require fails closed" not tls_of require "$name"
        check "$name: and says why" said 'TLS is a must here, and the server has none'
    done
    check 'unix: --tls off' tls_of off unix
    for name in unix-tls ztn-tls tls-login; do
        check "$name: --tls off fails" not tls_of off "$name"
        check "$name: and says why" said 'switched off'
    done
    x "$(lab_url plain | sed 's/^root:/roots:/')"
    check 'roots:// to a server without TLS' refused 1 'TLS is a must here, and the server has none'

    # --- what must be refused ---
    bad 'wrong CA' 'tls: localhost:.*not accepted: .*issuer' unix-tls "X509_CERT_DIR=$dir/bad/ca"
    bad 'an expired token' 'auth: .*ztn \(refused: .*expired' ztn-tls "BEARER_TOKEN_FILE=$dir/bad/token-expired"
    bad 'a token of an unknown issuer' 'auth: .*ztn \(refused: .*issuer' ztn-tls "BEARER_TOKEN_FILE=$dir/bad/token-unknown"
    bad 'a forged token' 'auth: .*ztn \(refused: .+\)' ztn-tls "BEARER_TOKEN_FILE=$dir/bad/token-forged"
    bad 'no token' 'auth: .*ztn \(failed: no token in BEARER_TOKEN, BEARER_TOKEN_FILE' ztn-tls "BEARER_TOKEN_FILE=$work/none"
    bad 'an expired token in the environment' 'auth: .*ztn \(refused: .*expired' ztn-tls -u BEARER_TOKEN_FILE \
        "BEARER_TOKEN=$(cat "$dir/bad/token-expired")"
    for mode in 644 640 606; do
        cp "$dir/client/token" "$work/token"
        chmod $mode "$work/token"
        bad "a token file of mode $mode" 'auth: .*ztn \(failed: .*may be used by others: it should have mode 0600' ztn-tls \
            "BEARER_TOKEN_FILE=$work/token"
    done
    bad 'no ticket' 'auth: .*krb5 \(failed: .*No credentials cache' krb5 "KRB5CCNAME=FILE:$work/none"
    bad 'an expired ticket' 'auth: .*krb5 \((failed|refused): .*[Tt]icket.*expired' krb5 "KRB5CCNAME=FILE:$dir/bad/krb5cc"
    bad 'a method that the user does not want' 'auth: .*unix \([a-z]*: not among XrdSecPROTOCOL\)' unix XrdSecPROTOCOL=krb5,gsi
    if [ -n "$has_gsi" ]; then
        bad 'a wrong key' 'auth: .*sss \(refused: .*decrypt' sss "XrdSecSSSKT=$dir/bad/sss.keytab"
        bad 'no keytab' 'auth: .*sss \(failed: no keytab' sss "XrdSecSSSKT=$work/none"
        cp "$dir/client/sss.keytab" "$work/keytab"
        chmod 644 "$work/keytab"
        bad 'a keytab that others can read' 'auth: .*sss \(failed: .*readable by others' sss "XrdSecSSSKT=$work/keytab"
        bad 'an expired proxy' 'auth: .*gsi \(failed: .*has expired' gsi "X509_USER_PROXY=$dir/bad/proxy-expired.pem"
        bad 'a proxy of another CA' 'auth: .*gsi \(refused: .*unknown CA' gsi "X509_USER_PROXY=$dir/bad/proxy-otherca.pem"
        bad 'no proxy' 'auth: .*gsi \(failed: .*no proxy' gsi "X509_USER_PROXY=$work/none"
        bad 'a server of another CA' 'auth: .*gsi \(failed: .*unknown CA' gsi "X509_CERT_DIR=$dir/bad/ca"
    fi
    sample_of "BEARER_TOKEN_FILE=$dir/bad/token-expired" "KRB5CCNAME=FILE:$work/none" "XrdSecSSSKT=$dir/bad/sss.keytab" \
        "X509_USER_PROXY=$dir/bad/proxy-expired.pem" -- ztn-tls krb5
    check 'run: exit 1' [ "$code" -eq 1 ]
    judge_security <<'P'
refused("ztn-tls", r"ztn \(refused: .*expired", "ztn refused in 1")
refused("krb5", r"krb5 \(failed: .*No credentials cache", "krb5 failed")
equal("ztn: the server's words are the reason", "expired" in samples["ztn-tls"].failed.raw["attempts"][0]["reason"], True)
P

    # --- no secret anywhere ---
    cp "$work/everything" "$out"
    last='what was written'
    check 'there is something to be searched' [ "$(wc -c <"$work/everything")" -gt 20000 ]
    grep -cF -f "$work/secrets" "$work/everything" >"$work/found"
    check 'no secret in any of it' [ "$(cat "$work/found")" -eq 0 ]
    head -n 1 "$work/secrets" >>"$work/everything"
    check '... and one would have been found' grep -qF -f "$work/secrets" "$work/everything"

    # --- many connections in one process ---
    cat >"$work/grow.py" <<'P'
import os, subprocess, sys, time
program, count, url, result = sys.argv[1:5]
# What was freed comes back at once: a sanitizer would keep it.
options = os.environ.get("ASAN_OPTIONS", "") + (":quarantine_size_mb=0:thread_local_quarantine_size_kb=0" \
    ":detect_stack_use_after_return=0")
process = subprocess.Popen([program, "run", "--fresh", "connection", "-n", count, "-e", "wire", "-o", result, url],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           env=dict(os.environ, ASAN_OPTIONS=options.lstrip(":")))

def agent():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == process.pid:
                        return name
            except OSError:
                pass

def resident(pid):
    with open("/proc/%s/statm" % pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

def taken():
    try:
        with open(result, "rb") as file:
            return file.read().count(b'"type":"sample"')
    except FileNotFoundError:
        return 0

pid, figures = None, []
while process.poll() is None:
    pid = pid or agent()
    try:
        if pid:
            size = resident(pid)
            figures.append((taken(), size))
    except (OSError, IndexError):
        pass
    time.sleep(0.02)
talk = process.stderr.read().decode(errors="replace")
early = [size for done, size in figures if int(count) / 8 <= done <= int(count) / 3]
late = [size for done, size in figures if done >= int(count) * 2 / 3 and size]
print("exit %d, %d samples, early %s KiB, late %s KiB" % (process.returncode, taken(), max(early, default=-1), min(late, default=-1)))
print(talk)
# A sanitizer's own tables grow to some 400 KiB, and stay there; it looks for leaks by itself.
with open(program, "rb") as file:
    room = 600 if b"__asan_init" in file.read() else 100
good = process.returncode == 0 and taken() == int(count) and early and late and min(late) - max(early) < room
sys.exit(not (good and "Sanitizer" not in talk))
P
    does_not_grow() { # NAME COUNT
        last="$2 connections to $1"
        code=0
        rm -f "$work/grown"
        timeout -k 5 90 "$python3" "$work/grow.py" "$XRDOPEN" "$2" "$(lab_url "$1")" "$work/grown" >"$out" 2>&1 || code=$?
        : >"$err"
        return "$code"
    }
    check 'unix: 1,000 connections in one process do not grow it' does_not_grow unix 1000
    check 'unix, TLS: 200 connections in one process do not grow it' does_not_grow unix-tls 200
    check 'ztn, TLS: 100 connections in one process do not grow it' does_not_grow ztn-tls 100
    down
fi

# --- several methods ----------------------------------------------------------------------------------------------------

if up many; then
    sample_of A=B -- many
    judge_security <<'P'
secure("many", "krb5 accepted in 1", tls=False)
P
    if [ -n "$has_gsi" ]; then
        check 'many: equal bytes' same_bytes many
        for method in gsi sss unix; do
            sample_of "XrdSecPROTOCOL=$method" -- many
            judge_security <<P
before = ["krb5", "gsi", "sss", "unix"]
before = before[:before.index("$method")]
op = samples["many"]["first_open"]
matches("many: XrdSecPROTOCOL=$method", tried(op), "".join(one + " (failed|skipped), " for one in before) + r"$method accepted in \d")
check("many: and why", all(one["reason"] == "not among XrdSecPROTOCOL" for one in op.raw["attempts"][:-1]))
P
        done
        sample_of "KRB5CCNAME=FILE:$work/none" "X509_USER_PROXY=$dir/bad/proxy-expired.pem" "XrdSecSSSKT=$dir/bad/sss.keytab" \
            -- many
        judge_security <<'P'
secure("many", "krb5 failed, gsi failed, sss refused in 1, unix accepted in 1", tls=False)
reasons = [one.get("reason", "") for one in samples["many"]["first_open"].raw["attempts"]]
check("many: each with its reason", all(re.search(pattern, reason) for pattern, reason in
      zip(("No credentials cache", "has expired", "decrypt", "^$"), reasons)), reasons)
P
    fi
    sample_of XrdSecPROTOCOL=ztn -- many
    judge_security <<'P'
refused("many", "krb5 .*gsi .*sss .*unix .*not among XrdSecPROTOCOL")
P
    down
fi

if up fallback; then
    sample_of A=B -- fallback
    judge_security <<'P'
op = samples["fallback"]["first_open"]
matches("fallback: in the server's order", tried(op), r"^ztn (failed|skipped), krb5 accepted in 1$")
matches("fallback: why the first was not", op.raw["attempts"][0]["reason"], "^no token in BEARER_TOKEN, BEARER_TOKEN_FILE")
check("fallback: TLS, which ztn makes a must", bool(op.hops[0].get("tls")))
equal("fallback: good", samples["fallback"].failed, None)
P
    sample_of "KRB5CCNAME=FILE:$work/none" -- fallback
    judge_security <<'P'
matches("fallback without a ticket", tried(samples["fallback"]["first_open"]), "^ztn (failed|skipped), krb5 failed, unix accepted in 1$")
P
    sample_of "BEARER_TOKEN_FILE=$dir/client/token" -- fallback
    judge_security <<'P'
secure("fallback", "ztn accepted in 1", tls=True)
P
    down
fi

# --- signing: these servers drop who does not sign -------------------------------------------------------------------------

if up signed; then
    names=$(cut -f 1 "$work/urls")
    if [ -z "$has_gsi" ]; then names=unix-signed; fi
    # shellcheck disable=SC2086  # names
    sample_of A=B -- $names
    judge_security <<'P'
secure("unix-signed", "unix accepted in 1", tls=False)
if "gsi-signed" in samples:
    secure("gsi-signed", "gsi accepted in 2", tls=False)
P
    for name in $names; do check "$name: equal bytes" same_bytes "$name"; done
    down
fi

# --- a redirect: each server asks ------------------------------------------------------------------------------------------

if up securecluster; then
    sample_of A=B -- manager data1
    judge_security <<'P'
secure("manager", "unix accepted in 1", tls=False, hops=2) if len(samples["manager"]["second_open"].hops) == 1 else None
op = samples["manager"]["first_open"]
equal("manager: each hop has its own attempt", [tried(op, 0), tried(op, 1)], ["unix accepted in 1"] * 2)
check("manager: each hop has its own time", op.phases.get((0, "auth")) and op.phases.get((1, "auth")))
equal("manager: the hops", [hop.get("ending", "answered") for hop in op.hops], ["redirected", "answered"])
again = samples["manager"]["second_open"]
check("manager: nobody asks again", not again.raw.get("attempts") and not any(phase == "auth" for _, phase in again.phases))
equal("manager: it adds up", (op.fault(), adds(op), again.fault()), ("", "", ""))
secure("data1", "unix accepted in 1", tls=False)
P
    check 'securecluster: equal bytes' same_bytes manager data1
    sample_of XrdSecPROTOCOL=sss -- manager
    judge_security <<'P'
refused("manager", r"unix \([a-z]*: not among XrdSecPROTOCOL")
equal("manager: it is the first hop that refuses", samples["manager"].failed.error["hop"], 0)
P
    down
fi

finish
