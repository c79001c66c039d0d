#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# tls.sh - TLS as the client does it: where it begins, what it trusts, what the record says of it, that nothing goes out in
# the clear where it is a must, that no server holds it up past the limit. With real servers of the lab, and with one in
# Python that breaks off where it is told to.   XRDOPEN=... sh tests/interop/tls.sh   (TAP)
# shellcheck source=tests/cases/lib.sh disable=SC2317,SC2154  # functions are called by check; variables are the library's
. "$(dirname "$0")/../cases/lib.sh"

command -v xrootd >/dev/null || skip_all 'no xrootd here: apt-get install xrootd-server'
command -v openssl >/dev/null || skip_all 'no openssl here: apt-get install openssl'
HOME=$work/home
export HOME
for name in X509_CERT_DIR X509_CERT_FILE X509_USER_PROXY X509_USER_CERT X509_USER_KEY XrdSecPROTOCOL BEARER_TOKEN \
    BEARER_TOKEN_FILE XRDOPEN_MODULE_DIR; do
    unset "$name"
done
base=$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)
mkdir "$work/empty"

# --- helpers ----------------------------------------------------------------------------------------------------------

up() { # MODE
    x lab up "$1"
    if [ "$code" -eq 4 ]; then skip_all "$(sed -n 's/.*not installed:/not installed:/p' "$err")"; fi
    if [ "$code" -ne 0 ]; then cat "$err"; bail "no lab of $1"; fi
    dir=$(echo "$base"/*)
    "$XRDOPEN" lab urls >"$work/urls"
    X509_CERT_DIR=$dir/ca
    export X509_CERT_DIR
}
lab_url() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$work/urls"; }      # NAME
down() { "$XRDOPEN" lab down >/dev/null 2>&1; }

# Refused for REGEX, with nothing on standard output, and in one line. WORDS: NAME=VALUE
refuses_with() { # WHAT CODE REGEX WORDS... -- ARGUMENTS...
    what=$1
    wanted=$2
    regex=$3
    shift 3
    changes=''
    while [ "$1" != -- ]; do
        changes="$changes $1"
        shift
    done
    shift
    last="$changes xrdopen $*"
    code=0
    # shellcheck disable=SC2086  # words without blanks
    env $changes timeout -k 5 60 "$XRDOPEN" "$@" >"$out" 2>"$err" </dev/null || code=$?
    sane
    check "$what" refused "$wanted" "$regex"
}

# A sample of each of NAMES, with OPTIONS; the judge gets the names as labels.
sample_of() { # [OPTION...] -- NAME...
    options=''
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    for name; do printf '%s=%s\n' "$name" "$(lab_url "$name")"; done >"$work/targets"
    # shellcheck disable=SC2086  # words without blanks
    measure -t 20s $options
}

cat >"$work/tls.py" <<'P'
def good(name, resumed=False):
    """the sample is good, with TLS at its first hop, in phase and facts, and nowhere else"""
    one, wrong = samples[name], []
    if one.error:
        check("%s: it is good" % name, False, one.error)
        return
    for slot, op in one.ops.items():
        facts = op.hops[0].get("tls")
        if slot == "first_open":
            if not facts:
                wrong.append("no facts")
            else:
                wrong += ["%s: %s" % item for item in facts.items() if item[0] == "version" and item[1] not in ("TLSv1.2", "TLSv1.3")]
                wrong += [key for key in ("version", "cipher", "cpu_ns") if not facts.get(key)]
                if "CN=localhost" not in facts.get("subject", "") or "CN=CA" not in facts.get("issuer", ""):
                    wrong.append(str(facts))
                if facts.get("resumed", False) != resumed:
                    wrong.append("resumed: %s" % facts.get("resumed"))
                if facts.get("cpu_ns", 0) > op.phases.get((0, "tls"), 0) * 1e9:
                    wrong.append("more processor time than time")
            if not op.phases.get((0, "tls")):
                wrong.append("no time in phase tls")
        elif facts or op.phases.get((0, "tls")):
            wrong.append("%s: TLS again" % slot)
        if len(op.hops) != 1 or op.fault():
            wrong.append("%s: %s" % (slot, op.fault() or op.hops))
    missing = [slot for slot in SLOTS if slot not in one.ops]
    check("%s: TLS, its version, cipher and who signed%s" % (name, ", resumed" if resumed else ""), not wrong and not missing,
          "\n".join(wrong + missing))

def plain(name):
    one = samples[name]
    wrong = [slot for slot, op in one.ops.items() for hop in op.hops if "tls" in hop or hop["phase_ns"].get("tls")]
    check("%s: no TLS" % name, not one.error and not wrong and len(one.ops) == 5, one.error or wrong)

def failed(name, pattern, phase):
    one = samples[name]
    if not one.error:
        check("%s: it fails" % name, False)
        return
    wrong = [] if one.error["status"] == "tls" and one.error.get("phase", "other") == phase else [str(one.error)]
    wrong += [] if re.search(pattern, one.message) else [one.message]
    wrong += [slot for slot in one.ops if slot != "first_open"]
    wrong += ["it logged in" for hop in one.failed.hops if hop["phase_ns"].get("login")] if one.failed else []
    check("%s: TLS fails, %s, in phase %s" % (name, pattern, phase), not wrong, "\n".join(wrong))
P
judge_tls() { cat "$work/tls.py" - >"$work/expectations"; judge <"$work/expectations"; }

# --- servers that have it, ask for it, demand it -----------------------------------------------------------------------

up tls
demanding='tls-asked tls-login tls-session tls-all tls-login-data'
# shellcheck disable=SC2086  # names
sample_of -- tls-capable $demanding
judge_tls <<'P'
plain("tls-capable")
for name in "tls-asked", "tls-login", "tls-session", "tls-all", "tls-login-data":
    good(name)
P
# shellcheck disable=SC2086
sample_of --tls require -- tls-capable $demanding
judge_tls <<'P'
for name in samples:
    good(name)
P
# shellcheck disable=SC2086
sample_of --tls off -- tls-capable $demanding
judge_tls <<'P'
plain("tls-capable")
for name in "tls-asked", "tls-login", "tls-session", "tls-all", "tls-login-data":
    failed(name, "switched off", "handshake")
P
# What an earlier sample of the row needed is loaded before the clock; the record is a good one all the same.
sample_of -- tls-asked
judge <<'P'
equal("a good sample has no error", sample.raw.get("error"), None)
P
sample_of --tls-resume -- tls-asked tls-login
judge_tls <<'P'
good("tls-asked", resumed=True)
good("tls-login", resumed=True)
P
x run --count 3 --fresh connection --tls-resume -o "$work/resumed" "$(lab_url tls-asked)"
check 'resumed in a process of several connections' [ "$(grep -c '"resumed":true' "$work/resumed")" -eq 3 ]
x run --count 3 --fresh connection -o "$work/full" "$(lab_url tls-asked)"
check 'not resumed unless asked' [ "$(grep -c '"tls":' "$work/full")" -eq 3 -a "$(grep -c '"resumed"' "$work/full")" -eq 0 ]
x -v --tls-resume "$(lab_url tls-asked)"
check 'resumed: -v says so' said 'TLSv1.*resumed'

asked=$(lab_url tls-asked)
x "$(printf '%s\n' "$asked" | sed 's/localhost/127.0.0.1/')"
check 'an address in digits is looked for in the certificate' [ "$code" -eq 0 ]
x --resolve "other.test=127.0.0.1" "$(printf '%s\n' "$asked" | sed 's/localhost/other.test/')"
check 'another name of the same server is refused' refused 1 '^.*tls: other\.test:.*[Hh]ostname mismatch.*CN=localhost'
x "$(lab_url tls-capable | sed 's/^root:/xroots:/')"
check 'xroots:// is the same as roots://' [ "$code" -eq 0 ]

# --- what is trusted ---------------------------------------------------------------------------------------------------

no_ca='^xrdopen: once: .*: tls: localhost:[0-9]*: TLS failed: .*(unable to get local issuer|self-signed|unable to verify)'
refuses_with 'no CA at all' 1 "$no_ca" "X509_CERT_DIR=$work/empty" -- "$asked"
check 'no CA at all: whose certificate it is' said '/O=xrdopen lab/CN=localhost'
refuses_with 'another CA' 1 "$no_ca" "X509_CERT_DIR=$dir/bad/ca" -- "$asked"
refuses_with 'another CA, where TLS is the server'"'"'s wish' 1 "$no_ca" "X509_CERT_DIR=$dir/bad/ca" -- "$(lab_url tls-login)"
refuses_with 'another CA by --ca, the right one in the environment' 1 "$no_ca" A=B -- --ca "$dir/bad/ca" "$asked"
refuses_with 'a CA folder that is not there' 1 "authorities in $work/none cannot be read" "X509_CERT_DIR=$work/none" -- "$asked"
refuses_with 'a CA file that is none' 1 "authorities in $work/urls cannot be read" A=B -- --ca "$work/urls" "$asked"
X509_CERT_DIR=$work/empty
expect 'the CA by --ca, a file' 0 --ca "$dir/ca/ca.pem" "$asked"
expect 'the CA by --ca, a folder' 0 --ca "$dir/ca" "$asked"
X509_CERT_FILE=$dir/ca/ca.pem
export X509_CERT_FILE
expect 'the CA by X509_CERT_FILE' 0 "$asked"
unset X509_CERT_FILE
X509_CERT_DIR=$dir/ca

# --- without the module --------------------------------------------------------------------------------------------------

without="XRDOPEN_MODULE_DIR=$work/empty"
if "$XRDOPEN" version | grep -q 'TLS.*built in'; then
    skip 'without the module' 'TLS is built in'
else
    refuses_with 'no module: roots://' 4 'built without TLS' "$without" -- "$asked"
    refuses_with 'no module: the server demands it' 1 'TLS is needed here.*built without' "$without" -- "$(lab_url tls-login)"
    refuses_with 'no module: --tls require' 4 'built without TLS' "$without" -- --tls require "$(lab_url tls-capable)"
    last='no module, no TLS needed'
    XRDOPEN_MODULE_DIR=$work/empty "$XRDOPEN" "$(lab_url tls-capable)" >"$out" 2>"$err" </dev/null
    check 'no module: and none needed' line '^[0-9.]+ [0-9.]+ [0-9.]+$'
fi
down

# --- certificates that must be refused -----------------------------------------------------------------------------------

up badtls
sample_of -- expired wronghost otherca sha1
judge_tls <<'P'
failed("expired", r"not accepted: certificate has expired.*\(/O=xrdopen lab/CN=localhost\)", "tls")
failed("wronghost", r"not accepted: [Hh]ostname mismatch.*\(/O=xrdopen lab/CN=.*\)", "tls")
failed("otherca", r"not accepted: unable to get local issuer certificate.*\(/O=xrdopen lab/CN=localhost\)", "tls")
failed("sha1", r"not accepted: .*too weak.*\(/O=xrdopen lab/CN=localhost\)", "tls")
for one in samples.values():
    equal("%s: the hop is broken, and the only one" % one.label, way(one.failed).split(" ", 1)[1], "broken")
P
for name in expired wronghost otherca sha1; do
    refuses_with "$name: nor where the server alone wants TLS" 1 'tls: localhost:.*not accepted' A=B -- \
        "$(lab_url "$name" | sed 's/^roots:/root:/')"
done
expect 'otherca: who trusts it is let in' 0 --ca "$dir/bad/ca" "$(lab_url otherca)"
for name in expired wronghost sha1; do
    refuses_with "$name: by that CA it is no better" 1 'not accepted' A=B -- --ca "$dir/bad/ca" "$(lab_url "$name")"
done
down

# --- a server without TLS -------------------------------------------------------------------------------------------------

X509_CERT_DIR=$work/empty
printf 'server P\n    file /data/file\n' >"$work/plain.imp"
imposter "$work/plain.imp"
none='P'
place=$(at P)
refuses_with 'roots:// to a server without TLS' 1 'handshake: 127.*TLS is a must here, and the server has none' A=B -- \
    "roots://$place//data/file"
refuses_with '--tls require at a server without TLS' 1 'TLS is a must here, and the server has none' A=B -- \
    --tls require "$(url $none)"
refuses_with '--pipeline makes no difference' 1 'TLS is a must here, and the server has none' A=B -- \
    --pipeline "roots://$place//data/file"
expect '--tls off at a server without TLS' 0 --tls off "$(url $none)"
expect '--tls allow at a server without TLS' 0 --tls allow "$(url $none)"
imposter_end

# --- a server that breaks off ---------------------------------------------------------------------------------------------

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 \
    -subj '/O=test/CN=127.0.0.1' -addext subjectAltName=IP:127.0.0.1 >"$work/openssl" 2>&1 || bail "$(cat "$work/openssl")"

# One port per way to fail, in the order of `ways`; what each port has received in the clear and in TLS is kept in files.
serve <<P
WORK = "$work"
$(cat <<'Q'
import os, socket, ssl, struct, threading, time

WAYS = ["good", "silent", "half_flight", "half_record", "dribble", "redirect", "plain", "closed", "tls11", "tls12", "slow",
        "clear", "record_storm"]
GO = 0x80000000 | 0x40000000
ports = {}


def keep(way, kind, data):
    with open("%s/received-%s-%s" % (WORK, way, kind), "ab") as file:
        file.write(data)


def exactly(read, n):
    data = b""
    while len(data) < n:
        part = read(n - len(data))
        if not part:
            raise EOFError
        data += part
    return data


class Tls:
    """TLS whose records can be taken and sent bit by bit"""

    def __init__(self, connection, way):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(WORK + "/cert.pem", WORK + "/key.pem")
        if way == "tls11":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        if way == "tls12":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.way, self.connection = way, connection
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise EOFError
        keep(self.way, "raw", data)
        self.incoming.write(data)

    def shake(self):
        while True:
            try:
                self.tls.do_handshake()
                self.connection.sendall(self.outgoing.read())
                return
            except ssl.SSLWantReadError:
                flight = self.outgoing.read()
                if self.way == "half_flight" and flight:
                    self.connection.sendall(flight[:len(flight) // 2])
                    time.sleep(100)
                self.connection.sendall(flight)
                self.more()
            except ssl.SSLError:
                self.connection.sendall(self.outgoing.read())      # why
                raise

    def read(self, n):
        while True:
            try:
                data = self.tls.read(n)
                keep(self.way, "tls", data)
                return data
            except ssl.SSLWantReadError:
                self.more()

    def record(self, data):
        self.tls.write(data)
        return self.outgoing.read()


def request(read):
    head = exactly(read, 24)
    stream, code, length = head[:2], struct.unpack(">H", head[2:4])[0], struct.unpack(">I", head[20:])[0]
    return stream, code, exactly(read, length)


def answer(stream, body, status=0):
    return stream + struct.pack(">HI", status, len(body)) + body


def opened(tls, stream, way):
    stat = b"1 1048576 48 1700000000\0"
    whole = answer(stream, b"HNDL" + bytes(8) + stat)
    if way == "half_record":                # the head in a record of its own, and half of the next
        tls.connection.sendall(tls.record(whole[:8]))
        rest = tls.record(whole[8:])
        tls.connection.sendall(rest[:len(rest) // 2])
        time.sleep(100)
    elif way == "dribble":                  # one record that never ends
        for byte in tls.record(answer(stream, b"HNDL" + bytes(8) + stat + bytes(8000))):
            tls.connection.sendall(bytes([byte]))
            time.sleep(0.02)
    elif way == "record_storm":             # records without an end, none of which is an answer
        message = struct.pack(">HHI", 0, 4001, 9) + struct.pack(">I", 5002) + b"hello"
        while True:
            tls.connection.sendall(tls.record(message))
    elif way == "slow":
        record = tls.record(whole)
        for at in range(0, len(record), 10):
            tls.connection.sendall(record[at:at + 10])
            time.sleep(0.02)
    elif way == "redirect":
        tls.connection.sendall(tls.record(answer(stream, struct.pack(">I", ports["plain"]) + b"127.0.0.1", 4004)))
    elif way == "closed":
        try:
            tls.tls.unwrap()
        except ssl.SSLError:
            pass
        tls.connection.sendall(tls.outgoing.read())
        tls.connection.close()
    elif way == "clear":                    # the answer is not encrypted
        tls.connection.sendall(whole)
        time.sleep(100)
    else:
        tls.connection.sendall(tls.record(whole))


def serve(connection, way):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(n):
        data = connection.recv(n)
        keep(way, "clear", data)
        return data

    exactly(read, 20)
    stream, code, _ = request(read)
    assert code == 3006, code
    kind = 2 if way == "redirect" else 1
    flags = 0x00300000 | kind | (0 if way == "plain" else GO)
    connection.sendall(bytes(7) + b"\x08" + struct.pack(">II", 0x511, 1) + answer(stream, struct.pack(">II", 0x511, flags)))
    if way == "silent":
        time.sleep(100)
    if way == "plain":
        while read(4096):
            pass
        return
    tls = Tls(connection, way)
    tls.shake()
    while True:
        stream, code, _ = request(tls.read)
        if code == 3007:
            connection.sendall(tls.record(answer(stream, bytes(range(16)))))
        elif code == 3010:
            opened(tls, stream, way)
        elif code == 3013:
            connection.sendall(tls.record(answer(stream, b"x")))
        else:
            connection.sendall(tls.record(answer(stream, b"")))


def guarded(connection, way):
    try:
        serve(connection, way)
    except (EOFError, OSError, ssl.SSLError):
        pass
    connection.close()


def listen(listener, way):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=guarded, args=(connection, way), daemon=True).start()


for way in WAYS:
    listener = socket.create_server(("127.0.0.1", 0))
    ports[way] = listener.getsockname()[1]
    threading.Thread(target=listen, args=(listener, way), daemon=True).start()
print(" ".join(str(ports[way]) for way in WAYS), flush=True)
time.sleep(110)
Q
)
P
ways='good silent half_flight half_record dribble redirect plain closed tls11 tls12 slow clear record_storm'
# shellcheck disable=SC2086  # one each
set -- $port
for way in $ways; do
    printf '%s=roots://127.0.0.1:%s//data/file\n' "$way" "$1" >>"$work/all-targets"
    shift
done
only() { # NAME...
    : >"$work/targets"
    for name; do grep "^$name=" "$work/all-targets" >>"$work/targets"; done
}

only good closed tls11 tls12 slow redirect clear
measure -t 20s --ca "$work/cert.pem"
judge <<'P'
def ended(name, status, phase, pattern, ending="broken"):
    one = samples[name]
    wrong = []
    if not one.error or (one.error["status"], one.error.get("phase", "other")) != (status, phase):
        wrong.append(str(one.error))
    if not re.search(pattern, one.message):
        wrong.append(one.message)
    if one.failed and one.failed.hops[-1].get("ending") != ending:
        wrong.append(str(one.failed.hops[-1]))
    if one.total > 10:
        wrong.append("it took %.3f s" % one.total)
    check("%s: %s in phase %s" % (name, status, phase), not wrong, "\n".join(wrong))

for name in "good", "tls12", "slow":
    check("%s: good" % name, not samples[name].error and len(samples[name].ops) == 5, samples[name].message)
equal("the version is that of the connection", [samples[name]["first_open"].hops[0]["tls"]["version"] for name in ("good", "tls12")],
      ["TLSv1.3", "TLSv1.2"])
ended("tls11", "tls", "tls", r"TLS failed: .*(version|protocol)")
ended("closed", "closed", "request", r"closed the connection")
ended("clear", "closed", "request", r"closed the connection|TLS")
ended("redirect", "tls", "handshake", r"TLS is a must here, and the server has none")
equal("the redirect was followed to a server without TLS, and no further",
      [hop.get("ending", "answered") for hop in samples["redirect"]["first_open"].hops], ["redirected", "broken"])
equal("the error is the second hop's", samples["redirect"].error["hop"], 1)
between("slow: time of the answer is found", samples["slow"]["first_open"].total, 0.1, 5)
P

received() { { wc -c <"$work/received-$1-clear"; } 2>/dev/null || echo 0; }       # WAY: bytes in the clear
check 'to the server without TLS nothing went but handshake and kXR_protocol' [ "$(received plain)" -eq 44 ]
check 'to the one with TLS nothing went in the clear but these' [ "$(received good)" -eq 44 ]
# shellcheck disable=SC2016
check 'the login went out within TLS' grep -q 'xrdopen' "$work/received-good-tls"
check 'and not in the clear' not grep -q 'xrdopen' "$work/received-good-raw"

# --- its limit holds -------------------------------------------------------------------------------------------------------

only silent half_flight half_record dribble record_storm
measure -t 1s --ca "$work/cert.pem"
judge <<'P'
for name, phase in (("silent", "tls"), ("half_flight", "tls"), ("half_record", "transfer"), ("dribble", "request|transfer"),
                    ("record_storm", "request")):
    one = samples[name]
    good = one.error and one.error["status"] == "timeout" and re.fullmatch(phase, one.error.get("phase", "other"))
    check("%s: a timeout in phase %s" % (name, phase), good, one.message)
    equal("%s: by --timeout" % name, (one.error or {}).get("limit"), "--timeout")
    ends_by(one, 1)
P
silent_url=$(sed -n 's/^silent=//p' "$work/all-targets")
refuses_with 'silence after gotoTLS, said in words' 1 'tls: .*no answer from 127\.0\.0\.1:[0-9]*.*the TLS handshake' A=B -- \
    -t 300ms --ca "$work/cert.pem" "$silent_url"
refuses_with 'the limit of connecting holds, too' 1 '.*tls: .*--connect-timeout' A=B -- \
    -t 20s --connect-timeout 300ms --ca "$work/cert.pem" "$silent_url"

# --- a certificate that is not trusted: nothing follows ------------------------------------------------------------------------

rm -f "$work"/received-good-*
refuses_with 'self-signed, and not trusted' 1 'self-signed certificate.*\(/O=test/CN=127\.0\.0\.1\)' A=B -- \
    -t 20s "$(sed -n 's/^good=//p' "$work/all-targets")"
check 'nothing went in the clear, on no second connection' [ "$(received good)" -eq 44 ]
check 'nor within TLS' [ ! -s "$work/received-good-tls" ]

finish
