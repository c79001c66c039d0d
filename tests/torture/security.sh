#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# security.sh - servers that are broken, or worse, where TLS and authentication are: what is reported of each, that it ends in
# time, that nothing crashes, and that no token goes out where it can be read. The rows are those of the list of hostile
# behaviour: 33 and 49 to 59; letters are answers to kXR_auth that the list does not have.   (TAP)
#
# shellcheck source=tests/cases/lib.sh disable=SC2317,SC2154  # functions are called by check; variables are the library's
. "$(dirname "$0")/../cases/lib.sh"

HOME=$work/home
KRB5CCNAME=FILE:$work/none
export HOME KRB5CCNAME
for name in XrdSecPROTOCOL XrdSecDEBUG X509_CERT_DIR X509_CERT_FILE X509_USER_PROXY X509_USER_CERT X509_USER_KEY \
    BEARER_TOKEN BEARER_TOKEN_FILE XDG_RUNTIME_DIR KRB5_CONFIG; do
    unset "$name"
done
printf 'leak:%s\n' libcrypto. libXrd legacy.so >"$work/lsan"        # what others keep until the end is theirs
LSAN_OPTIONS=suppressions=$work/lsan:print_suppressions=0
export LSAN_OPTIONS
mkdir "$work/ca"
X509_CERT_DIR=$work/ca          # or each TLS context reads all of the system's authorities
export X509_CERT_DIR
secret=eyJhbGciOiJSUzI1NiJ9.dGhlLXRva2Vu.c2VjcmV0LXNpZ25hdHVyZQ
BEARER_TOKEN=$secret
export BEARER_TOKEN

# Take a sample of each server of the table on standard input, and hold it to what stands there. Columns, apart by two
# blanks: server, limit (quick: it has to end long before; slow: its own limit), status and phase of the error (regular
# expressions; "good -": no error), what was tried at the last hop ("-": nothing), pattern of the message, and what else has
# to be true of the sample (Python).
hostile() { # [OPTION...]
    cat >"$work/table"
    for limit in quick slow; do
        awk -v limit=$limit '$2 == limit { print $1 }' "$work/table" | while read -r server; do
            case $server in
            *-s) printf '%s=roots://%s//data/file\n' "$server" "$(at "$server")" ;;
            *) printf '%s=%s\n' "$server" "$(url "$server")" ;;
            esac
        done >"$work/targets"
        if [ ! -s "$work/targets" ]; then continue; fi
        if [ $limit = quick ]; then seconds=10; else seconds=0.5; fi
        measure -t "${seconds}s" "$@"
        cat "$out" "$err" "$work/samples.jsonl" "$work/samples.csv" >>"$work/everything"
        judge_with $limit $seconds <"$work/judgement.py"
    done
}

cat >"$work/judgement.py" <<'P'
limit = float(arguments[1])

def tried(op):
    mine = [one for one in op.raw.get("attempts", []) if one.get("hop", 0) == len(op.hops) - 1]
    return ", ".join("%s %s%s" % (one.get("method", ""), one["outcome"], " %d" % one["rounds"] if one.get("rounds") else "")
                     for one in mine) or "-"

def reasons(op):
    return [one.get("reason", "") for one in op.raw.get("attempts", [])]

def judged(one, status, phase, attempts, pattern, facts):
    if one is None:
        return ["there is no sample of it"]
    wrong = []
    op = one["first_open"]
    got = op.error or {"status": "good", "phase": "-"}
    if one.error and not op.error:
        got = one.error
    if not re.fullmatch(status, got["status"]):
        wrong.append("status %s" % got["status"])
    if not re.fullmatch(phase, got.get("phase", "other")):
        wrong.append("phase %s" % got.get("phase", "other"))
    if not re.fullmatch(attempts, tried(op)):
        wrong.append("tried: " + tried(op))
    if pattern and not re.search(pattern, one.message):
        wrong.append("the message does not match %s" % pattern)
    if one.message != one.message.encode("ascii", "replace").decode() or re.search(r"[\x00-\x1f\x7f]", one.message):
        wrong.append("the message is not escaped")
    if one.total > limit + LATE or arguments[0] == "quick" and one.total > limit - 1:
        wrong.append("it took %.3f s" % one.total)
    if arguments[0] == "slow" and one.total < limit - TICK:
        wrong.append("it took %.3f s only" % one.total)
    if facts and not eval(facts):       # pylint: disable=eval-used
        wrong.append("not true: %s" % facts)
    return wrong and wrong + ["message: " + one.message]

for line in lines(work + "/table"):
    fields = re.split(r"\s{2,}", line.strip()) + [""] * 3
    if len(fields) < 6:
        continue
    server, wanted, status, phase, attempts, pattern, facts = fields[:7]
    if wanted != arguments[0]:
        continue
    wrong = judged(samples.get(server), status, phase, attempts, pattern, facts)
    check("%s: %s" % (server, status), not wrong, "\n".join(wrong))
P

{
    cat "$XRDOPEN_SOURCE/tests/torture/security.imp"
    for bytes in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        printf 'server r54-%s\n    on login: ok zero %s\n' $bytes $bytes
    done
} >"$work/security.imp"
imposter "$work/security.imp"

# --- TLS ---------------------------------------------------------------------------------------------------------------

hostile <<'T'
good     quick  good      -          -  ^$
managed  quick  good      -          -  ^$
r33a     quick  tls       handshake  -  TLS is a must here, and the server has none  way(op) == "r33a redirected, r33-without broken"
r33b     quick  tls       handshake  -  does not begin TLS although it was asked to  way(op) == "r33b redirected, r33-refuses broken"
r50a-s   quick  tls       handshake  -  does not begin TLS although it was asked to
r50b-s   quick  tls       handshake  -  does not begin TLS although it was asked to
r50c-s   quick  tls       handshake  -  TLS is a must here, and the server has none
r50d-s   quick  server    handshake  -  no TLS today
r51a     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51b     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51c     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51d     quick  tls       tls        -  TLS failed: the TLS handshake failed: .*alert
r51e     quick  tls       tls        -  TLS failed: .*(eof|closed)
r51f     quick  tls       tls        -  TLS failed: the TLS handshake failed: .*(length|too (long|large)|overflow)
r51g     quick  tls       tls        -  TLS failed: .*(eof|closed)
r51h     quick  tls       tls        -  TLS failed: .+
r51i     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51j     slow   timeout   tls        -  no answer from .*: the TLS handshake
r51k     slow   timeout   tls        -  no answer from .*: the TLS handshake
r51l     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51m     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r51n     quick  tls|protocol  tls|handshake|other  -  TLS
r51o-s   quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r53a     quick  tls       handshake  -  does not begin TLS although it was asked to
r53b     quick  tls       handshake  -  does not begin TLS although it was asked to
r53c     quick  tls       tls        -  TLS failed: the TLS handshake failed: .+
r53d     quick  good      -          -  ^$
r53e     slow   timeout   handshake  -  no answer from .*: the answer to kXR_protocol
r53f     quick  tls       handshake  -  does not begin TLS although it was asked to
T
hostile --tls off <<'T'
r49a     quick  tls       handshake  -  goes on in TLS, which was not asked for
r49b     quick  tls       handshake  -  goes on in TLS, which was not asked for
r53a     quick  tls       handshake  -  switched off
r53b     quick  tls       handshake  -  switched off
r50a-s   quick  tls       handshake  -  switched off
T

# --- logins, and lists of methods ----------------------------------------------------------------------------------------

for bytes in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    echo "r54-$bytes  quick  protocol  login  -  kXR_login is too short for a session id"
done >"$work/r54"
hostile <"$work/r54"
hostile <<'T'
r55a     quick  auth      auth       -  none of the server's methods led to a login: P=unix$
r55b     quick  auth      auth       -  none of the server's methods led to a login: no list at all\\x1b\[5m\\x0a
r55c     quick  auth      auth       (- |\s*skipped|-).*  none of the server's methods led to a login
r55d     quick  auth      auth       .*  none of the server's methods led to a login
r55e     quick  auth      auth       foo (failed|skipped), verylon (failed|skipped), UNIX skipped, \.\./x skipped, b%sr skipped  foo \(.*UNIX \(skipped: no method is called that
r55f     quick  protocol  login      -  longer than any of its kind
r55g     quick  auth      auth       foo (failed|skipped)(, foo (failed|skipped)){15}  none of the server's methods led to a login: foo \(
r55h     quick  good|auth  -|auth     (foo.*, unix accepted 1|foo[^,]*)  ^$|led to a login: foo
r55i     quick  good      -          unix accepted 1  ^$
r55j     quick  auth      auth       foo.* (failed|skipped)(, unix refused 1){15}  foo
r55k     quick  good      -          unix accepted 1  ^$
r56a     quick  auth      auth       krb5 failed  krb5 \(failed: .+\)
r56b     quick  auth      auth       ztn (failed|skipped)  ztn \([a-z]*: needs TLS: a token is not sent where it can be read\)
r56c     quick  good      -          ztn (failed|skipped), unix accepted 1  ^$  "needs TLS" in reasons(op)[0]
r57a     quick  auth      auth       unix failed 1  unix \(failed: .*asks for more, and unix has but one message\)
r57b     quick  auth      auth       unix failed 1, host failed 1, unix failed 1, host failed 1, unix failed 1  asks for more
r58a     quick  auth      auth       unix failed 1  unix \(failed: .*asks for more, and unix has but one message\)
r58b     quick  auth      auth       host failed 1  host \(failed: .*asks for more, and host has but one message\)
r58c     quick  good      -          host failed 1, unix accepted 1  ^$
r59a     quick  server|auth  request|auth  unix accepted 1  (3006|InvalidRequest).*user not authenticated
r59b     quick  closed    request    unix accepted 1  closed the connection
T

# --- answers to kXR_auth --------------------------------------------------------------------------------------------------

hostile <<'T'
ra1      quick  auth      auth       unix refused 1  led to a login: unix \(refused\)$
ra2      quick  protocol  auth       .*  error answer is too short
ra3      quick  auth      auth       unix refused 1  unix \(refused: red \\x1b\[31m\\x0a%n%s\)$
ra4      quick  auth      auth       unix refused 1  unix \(refused: long long  len(reasons(op)[0]) < 160
ra5      quick  protocol  auth       unix no answer 1  a status that it cannot have  len(op.hops) == 1
ra6      quick  protocol  auth       unix no answer 1  a status that it cannot have  not op.waits
ra7      quick  protocol  auth       unix no answer 1  a status that it cannot have  not op.waits
ra8      quick  protocol  auth       unix no answer 1  a status that it cannot have
ra9      quick  protocol  auth       unix no answer 1  a status that it cannot have
rb1      quick  closed    auth       unix no answer  closed the connection
rb2      quick  closed    auth       unix no answer  closed the connection
rb3      quick  closed    auth       unix no answer  closed the connection.*in the middle of an answer
rb4      quick  protocol  auth       unix no answer  longer than any of its kind
rb5      slow   timeout   auth       unix no answer  no answer from .*: the answer to kXR_auth
rb6      slow   timeout   auth       unix no answer  .+: the answer to kXR_auth
rb7      quick  protocol  auth       unix no answer  too many answers that nobody waits for
rb8      quick  good      -          unix accepted 1  ^$  op.raw.get("message_count") == 1 and op.phases[0, "auth"] >= 0.02
rb9      quick  auth      auth       unix refused 1  unix \(refused: not you\)
rc1      slow   timeout   auth       unix no answer  the answer to kXR_auth
rc2      quick  good      -          unix accepted 1  ^$  op.phases[0, "auth"] >= 0.7 and op.raw["attempts"][0]["server_ns"] >= 7e8
rd1      quick  auth      auth       unix refused 1  user not logged in
rd2      quick  auth      auth       .*  none of the server's methods led to a login  way(op) == "rd2 redirected, rd3 redirected, rd4 broken" and op.raw["attempt_count"] == 33 and len(op.raw["attempts"]) == 32
re1      quick  good      -          unix accepted 1  ^$
re2      quick  good      -          unix accepted 1  ^$
re3      quick  good      -          -  ^$
T
imposter_end

# --- no token in the clear: what the server got -----------------------------------------------------------------------------

serve <<P
WORK = "$work"
$(cat <<'Q'
import socket, struct, threading, time

# What each offers, and what its protocol flags promise.
OFFERS = [(b"&P=ztn,0:4096:", 0x00300001), (b"&P=ztn,0:4096:&P=unix", 0x00300001), (b"&P=unix&P=ztn,0:4096:", 0x00300001),
          (b"&P=ztn,0:4096:", 0x80300001)]


def exactly(connection, n, kept):
    data = b""
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            raise EOFError
        data += part
    kept.append(data)
    return data


def serve(connection, number):
    kept = []
    try:
        exactly(connection, 20, kept)
        connection.sendall(bytes(7) + b"\x08" + struct.pack(">II", 0x511, 1))
        auths = 0
        while True:
            head = exactly(connection, 24, kept)
            stream, code, length = head[:2], struct.unpack(">H", head[2:4])[0], struct.unpack(">I", head[20:])[0]
            exactly(connection, length, kept)
            body, status = b"", 0
            if code == 3006:
                body = struct.pack(">II", 0x511, OFFERS[number][1])
            elif code == 3007:
                body = bytes(range(16)) + OFFERS[number][0] + b"\0"
            elif code == 3000:
                auths += 1
                if number == 2 and auths == 1:
                    body, status = struct.pack(">I", 3030) + b"not so\0", 4003
            elif code == 3010:
                body = b"HNDL" + bytes(8) + b"1 1048576 48 1700000000\0"
            elif code == 3013:
                body = b"x"
            connection.sendall(stream + struct.pack(">HI", status, len(body)) + body)
    except (EOFError, OSError):
        pass
    with open("%s/got-%d" % (WORK, number), "ab") as file:
        file.write(b"".join(kept))


def listen(listener, number):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, number), daemon=True).start()


ports = []
for number in range(len(OFFERS)):
    listener = socket.create_server(("127.0.0.1", 0))
    ports.append(str(listener.getsockname()[1]))
    threading.Thread(target=listen, args=(listener, number), daemon=True).start()
print(" ".join(ports), flush=True)
time.sleep(110)
Q
)
P
got() { [ "$(wc -c <"$work/got-$1" 2>/dev/null || echo 0)" -ge 80 ]; }      # handshake, protocol, login
number=0
for port in $port; do
    for how in '' --pipeline '--tls off' --json -v; do
        rm -f "$work/got-$number"
        # shellcheck disable=SC2086  # words
        x $how -t 10s "root://127.0.0.1:$port//data/file"
        cat "$out" "$err" >>"$work/everything"
        check "offer $number${how:+, $how}: the server was talked to" within 5 got "$number"
        check "offer $number${how:+, $how}: and got no token" not grep -qF -e "$secret" -e dGhlLXRva2Vu -e c2VjcmV0 "$work/got-$number"
        case $number in
        1) check "offer $number${how:+, $how}: unix will do" [ "$code" -eq 0 ] ;;
        *) check "offer $number${how:+, $how}: it says why" said 'ztn \([a-z]*: needs TLS: a token is not sent' ;;
        esac
    done
    number=$((number + 1))
done
check 'the token is in nothing that was written' not grep -qF -e "$secret" -e dGhlLXRva2Vu -e c2VjcmV0 "$work/everything"

finish
