#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# auth.sh - src/auth against real servers of every kind of security, with xrdfs beside it.   XRDOPEN=... sh
# tests/interop/auth.sh   (TAP)   The client is tests/interop/auth_client.c: XRDOPEN_AUTH_CLIENT, or beside XRDOPEN.
# shellcheck source=tests/lib.sh disable=SC2154  # work, out, err, python3: set by the library
. "$(dirname "$0")/../lib.sh"

client=${XRDOPEN_AUTH_CLIENT:-${XRDOPEN%/*}/tests/interop-auth_client}
[ -x "$client" ] || bail "no $client: set XRDOPEN_AUTH_CLIENT"
command -v xrootd >/dev/null || skip_all 'no xrootd here: apt-get install xrootd-server'
modules=${XRDOPEN_MODULE_DIR:-${XRDOPEN%/*}}
XRDOPEN_MODULE_DIR=$modules
HOME=$work/home
export XRDOPEN_MODULE_DIR HOME
for name in XrdSecPROTOCOL XrdSecDEBUG XrdSecSSSKT XrdSecsssKT XrdSecGSICREATEPROXY XrdSecCREDS X509_USER_PROXY \
    X509_USER_CERT X509_USER_KEY X509_CERT_DIR KRB5CCNAME KRB5_CONFIG BEARER_TOKEN BEARER_TOKEN_FILE XDG_RUNTIME_DIR; do
    unset "$name"
done
# What XRootD's plug-ins and OpenSSL keep until the end is theirs; what grows is looked for by other means.
printf 'leak:%s\n' libcrypto. libXrd legacy.so >"$work/lsan"
LSAN_OPTIONS=suppressions=$work/lsan:print_suppressions=0
export LSAN_OPTIONS

# --- servers ----------------------------------------------------------------------------------------------------------

user=''
if is_root; then user='-R xrootd'; fi
owned() { if is_root; then chown -R xrootd "$@"; fi; }
free_port() { "$python3" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
listens() { "$python3" -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null; }

# Start a server with these lines of configuration; sets port_NAME.
secure_server() { # NAME LINE...
    port=$(free_port)
    eval "port_$1=\$port"
    mkdir "$work/s/$1"
    cat >"$work/s/$1.cfg" <<CFG
xrd.port $port
xrd.network nodnr
all.export /
oss.localroot $work/tree
all.adminpath $work/s/$1
all.pidpath $work/s/$1
xrootd.seclib libXrdSec.so
CFG
    owned "$work/s/$1"
    name=$1
    shift
    printf '%s\n' "$@" >>"$work/s/$name.cfg"
    # shellcheck disable=SC2086  # an option and its value
    xrootd $user -c "$work/s/$name.cfg" -l "$work/s/$name/log" -n "$name" >"$work/s/$name.out" 2>&1 </dev/null &
    pids="$pids $!"
}

make_pki() {
    pki=$work/pki
    mkdir -p "$pki/ca"
    (cd "$pki" || exit 1
    printf '[proxy]\nproxyCertInfo=critical,language:id-ppl-inheritAll\nkeyUsage=critical,digitalSignature\n' >proxy.cnf
    printf '[host]\nsubjectAltName=DNS:localhost\n' >host.cnf
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj '/O=test/CN=ca' &&
    for who in localhost alice; do
        openssl req -new -newkey rsa:2048 -nodes -keyout "$who.key" -out "$who.csr" -subj "/O=test/CN=$who" &&
        openssl x509 -req -in "$who.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out "$who.pem" \
            -extfile host.cnf -extensions host || exit 1
    done
    openssl req -new -newkey rsa:2048 -nodes -keyout proxy.key -out proxy.csr -subj '/O=test/CN=alice/CN=1234' &&
    openssl x509 -req -in proxy.csr -CA alice.pem -CAkey alice.key -set_serial 1234 -days 1 -extfile proxy.cnf \
        -extensions proxy -out proxy.crt &&
    openssl x509 -req -in proxy.csr -CA alice.pem -CAkey alice.key -set_serial 1234 -days -1 -extfile proxy.cnf \
        -extensions proxy -out old.crt &&
    cat proxy.crt proxy.key alice.pem >proxy.pem && cat old.crt proxy.key alice.pem >old.pem &&
    openssl rsa -aes128 -passout pass:verysecret -in alice.key -out locked.key &&
    cp ca.pem "ca/$(openssl x509 -hash -noout -in ca.pem).0" &&
    chmod 600 ./*.key proxy.pem old.pem) >"$work/pki.log" 2>&1 || return 1
    cp "$pki/localhost.key" "$work/s/host.key"
    owned "$work/s/host.key"
    chmod 400 "$work/s/host.key"
}

make_kdc() {
    krb=$work/krb
    mkdir "$krb"
    kdc_port=$(free_port)
    cat >"$krb/krb5.conf" <<CFG
[libdefaults]
default_realm = LAB.TEST
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
[realms]
LAB.TEST = {
    kdc = 127.0.0.1:$kdc_port
}
CFG
    cat >"$krb/kdc.conf" <<CFG
[realms]
LAB.TEST = {
    kdc_listen = 127.0.0.1:$kdc_port
    kdc_tcp_listen = 127.0.0.1:$kdc_port
    database_name = $krb/principal
    key_stash_file = $krb/stash
    acl_file = $krb/acl
}
CFG
    KRB5_CONFIG=$krb/krb5.conf
    KRB5_KDC_PROFILE=$krb/kdc.conf
    export KRB5_CONFIG KRB5_KDC_PROFILE
    { kdb5_util create -s -r LAB.TEST -P master && kadmin.local -q 'addprinc -randkey xrootd/localhost' &&
        kadmin.local -q 'addprinc -randkey alice' && kadmin.local -q "ktadd -k $krb/server.keytab xrootd/localhost" &&
        kadmin.local -q "ktadd -k $krb/alice.keytab alice"; } >"$work/kdc.log" 2>&1 || return 1
    owned "$krb/server.keytab"
    chmod 711 "$krb"
    krb5kdc -n -r LAB.TEST -P "$krb/pid" >>"$work/kdc.log" 2>&1 &
    pids="$pids $!"
    within 5 listens "$kdc_port"
}

# A keytab of one key: NAME KEY-FILL
keytab() { # FILE DIGIT
    printf '0 u:anybody g:usrgroup n:lab N:7012345678901234567 c:1600000000 e:0 f:0 k:%064d\n' "$2" >"$1"
    chmod 600 "$1"
}

mkdir -p "$work/tree/data" "$work/s" "$HOME"
chmod 711 "$work/s"
printf '%1234s' '' >"$work/tree/data/file"
owned "$work/tree"
keytab "$work/s/server.keytab" 1
keytab "$work/good.keytab" 1
keytab "$work/wrong.keytab" 2
owned "$work/s/server.keytab"

secure_server host 'sec.protocol host'
secure_server unix 'sec.protocol unix'
sss="sec.protocol sss -s $work/s/server.keytab -c /nowhere/keytab"
secure_server sss "$sss"
secure_server list "$sss" 'sec.protocol unix'
secure_server sign 'sec.protocol unix' 'sec.level pedantic force'
gsi=''
if make_pki; then
    gsi="sec.protocol gsi -certdir:$pki/ca -cert:$pki/localhost.pem -key:$work/s/host.key -crl:0 -gmapopt:10 -dlgpxy:0"
    secure_server gsi "$gsi"
    secure_server gsisign "$gsi" 'sec.level pedantic'
    secure_server gsilist "$gsi" 'sec.protocol unix'
fi
krb5=''
if command -v krb5kdc >/dev/null && command -v kinit >/dev/null && make_kdc; then
    krb5="sec.protocol krb5 $krb/server.keytab xrootd/localhost@LAB.TEST"
    secure_server krb5 "$krb5"
fi
# shellcheck disable=SC2154  # set by secure_server
for port in $port_host $port_unix $port_sss $port_list $port_sign ${port_gsi-} ${port_gsisign-} ${port_gsilist-} ${port_krb5-}; do
    within 20 listens "$port" || bail "the server at port $port does not start: see $(tail -n 3 "$work"/s/*/log)"
done

# --- what is asked of them --------------------------------------------------------------------------------------------

c() { # ARGUMENTS of the client
    last="auth_client $*"
    code=0
    timeout -k 5 100 "$client" "$@" >"$out" 2>"$err" </dev/null || code=$?
    cat "$out" "$err" >>"$work/all"
    sane
}
# The same with a terminal, at which nobody sits.
at_terminal() { # ARGUMENTS of the client
    last="auth_client $* (at a terminal)"
    code=0
    : >"$err"
    timeout -k 5 60 "$python3" - "$client" "$@" >"$out" <<'P' || code=$?
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
end, text = time.monotonic() + 20, b''
while time.monotonic() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            part = os.read(fd, 4096)
        except OSError:
            part = b''
        if not part:
            break
        text += part
else:
    os.kill(pid, 9)
    text += b'it waits for somebody'
sys.stdout.write(text.decode(errors='replace').replace('\r', ''))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 127)
P
    cat "$out" >>"$work/all"
}
good() { [ "$code" -eq 0 ] && silent && line '^stat: 1234 bytes$'; }
works() { # WHAT METHOD-LINE PORT [OPTIONS]
    what=$1 regex=$2 port=$3
    shift 3
    c "$@" localhost "$port" /data/file
    check "$what" good
    check "$what: $regex" line "$regex"
}
official() { # WHAT PORT: xrdfs agrees
    if ! command -v xrdfs >/dev/null; then skip "$1: xrdfs" 'no xrdfs here'; return; fi
    # shellcheck disable=SC2034  # for the library
    last="xrdfs $2"
    code=0
    timeout 60 xrdfs "root://localhost:$2" stat /data/file >"$out" 2>"$err" </dev/null || code=$?
    check "$1: xrdfs" [ "$code" -eq "${3:-0}" ]
}
skipped() { # WHAT REGEX: the method is not tried, and the reason is this
    [ "$code" -ne 0 ] && line "$1: skipped: $2"
}

# --- the native methods
works 'host: nothing is asked' '^no authentication$' "$port_host"
official host "$port_host"
works unix '^unix: accepted after 1$' "$port_unix"
official unix "$port_unix"
works 'unix, signed' '^signed: 56 bytes$' "$port_sign"
official 'unix, signed' "$port_sign"
XrdSecPROTOCOL=gsi c localhost "$port_unix" /data/file
check 'XrdSecPROTOCOL leaves unix out' skipped unix 'not among XrdSecPROTOCOL'
XrdSecPROTOCOL=gsi official 'XrdSecPROTOCOL leaves unix out' "$port_unix" 52

grown() { # KIB: after so many connections no more than this
    [ "$code" -eq 0 ] && [ "$(sed -n 's/.*grown_kib \(-*[0-9]*\) .*/\1/p' "$out")" -le "$1" ]
}
figures() { sed -n 's/^load_us/# '"$1"': load_us/p' "$out"; }
# A sanitizer keeps what was freed for a while: then it is the sanitizer itself that looks for leaks.
room=256
if nm "$client" 2>/dev/null | grep -q ' __asan_init$'; then room=300000; fi
c -c 1000 localhost "$port_unix" /data/file
check 'unix: 1,000 connections do not grow' grown "$room"
figures unix

# --- sss
XrdSecSSSKT=$work/good.keytab
export XrdSecSSSKT
if [ -e "$modules/xrdopen-xrdsec.so" ]; then
    works sss '^sss: accepted after 1$' "$port_sss"
    official sss "$port_sss"
    works 'sss, loaded first' '^preloaded in ' "$port_sss" -l sss
    c -c 200 localhost "$port_sss" /data/file
    check 'sss: 200 connections do not grow' grown "$room"
    figures sss
    works 'sss, then unix: the first is enough' '^sss: accepted' "$port_list"
    XrdSecSSSKT=$work/wrong.keytab
    c localhost "$port_sss" /data/file
    refused_sss() { [ "$code" -ne 0 ] && line '^sss: refused: 30[0-9]* .'; }
    check 'a wrong keytab is refused by the server' refused_sss
    works 'refused, then unix on the same connection' '^sss: refused: 30' "$port_list"
    check 'and unix is taken' line '^unix: accepted'
    official 'refused, then unix' "$port_list"
    chmod 644 "$work/wrong.keytab"
    c localhost "$port_sss" /data/file
    check 'a keytab that others can read' skipped sss "keytab $work/wrong.keytab is readable by others"
    works 'then unix' '^unix: accepted' "$port_list"
    XrdSecSSSKT=$work/none.keytab
    c localhost "$port_sss" /data/file
    check 'no keytab' skipped sss 'no keytab: .*/nowhere/keytab'
    echo "no keytab" >"$work/none.keytab" && chmod 600 "$work/none.keytab"
    c localhost "$port_sss" /data/file
    check 'no such thing as a keytab' skipped sss '.*[Kk]eytab'
    check 'nothing was written to the terminal' silent
else
    skip sss 'the module xrdopen-xrdsec.so is not built: apt-get install libxrootd-dev'
fi
XrdSecSSSKT=$work/good.keytab
XRDOPEN_MODULE_DIR=$work c localhost "$port_sss" /data/file
check 'no module: it is said' skipped sss 'the module xrdopen-xrdsec.so is not there'

# --- krb5
if [ -n "$krb5" ]; then
    KRB5CCNAME=FILE:$work/cc
    export KRB5CCNAME
    c localhost "$port_krb5" /data/file
    no_ticket() { [ "$code" -ne 0 ] && line '^krb5: no credentials: .*No credentials cache'; }
    check 'krb5 without a ticket' no_ticket
    kinit -kt "$krb/alice.keytab" alice@LAB.TEST >"$err" 2>&1 || bail "kinit fails: $(cat "$err" "$work/kdc.log")"
    works krb5 '^krb5: accepted after 1$' "$port_krb5"
    official krb5 "$port_krb5"
    c -c 1000 localhost "$port_krb5" /data/file
    check 'krb5: 1,000 connections do not grow' grown "$room"
    figures krb5
    KRB5CCNAME=FILE:$work/old
    kinit -l 1s -kt "$krb/alice.keytab" alice@LAB.TEST
    sleep 2
    c localhost "$port_krb5" /data/file
    expired() { [ "$code" -ne 0 ] && line '^krb5: no credentials: ticket expired$'; }
    check 'krb5: an expired ticket' expired
    check 'nothing was written to the terminal' silent
    KRB5CCNAME=FILE:$work/cc
    mkdir "$work/plugins"
    if ln -s "$modules/xrdopen-xrdsec.so" "$work/plugins/" && [ -e "$work/plugins/xrdopen-xrdsec.so" ]; then
        XRDOPEN_MODULE_DIR=$work/plugins
        works "krb5 through XRootD's plug-in" '^krb5: accepted after 1$' "$port_krb5"
        XRDOPEN_MODULE_DIR=$modules
    fi
else
    skip krb5 'no KDC here: apt-get install krb5-kdc krb5-admin-server krb5-user'
fi

# --- gsi
if [ -n "$gsi" ] && [ -e "$modules/xrdopen-xrdsec.so" ]; then
    X509_CERT_DIR=$pki/ca
    X509_USER_PROXY=$pki/proxy.pem
    export X509_CERT_DIR X509_USER_PROXY
    works gsi '^gsi: accepted after 2$' "$port_gsi"
    official gsi "$port_gsi"
    works 'gsi, signed with its key' '^signed: 88 bytes$' "$port_gsisign"
    official 'gsi, signed' "$port_gsisign"
    c -l gsi -c 20 localhost "$port_gsi" /data/file
    check 'gsi: 20 connections grow by what the plug-in loses' grown "$room"
    figures gsi
    c -h elsewhere.test localhost "$port_gsi" /data/file
    wrong_name() { [ "$code" -ne 0 ] && line '^gsi: .*certificate'; }
    check 'a server that is not who it should be' wrong_name
    X509_USER_PROXY=$pki/old.pem
    c localhost "$port_gsi" /data/file
    check 'an expired proxy' skipped gsi "certificate 1 in $pki/old.pem has expired"
    works 'an expired proxy, then unix' '^unix: accepted' "$port_gsilist"
    X509_USER_PROXY=$pki/ca.pem
    c localhost "$port_gsi" /data/file
    check 'no proxy at all' skipped gsi "$pki/ca.pem is no proxy: 1 certificates, 0 keys"
    X509_USER_PROXY=$pki/none.pem
    X509_USER_CERT=$pki/alice.pem
    X509_USER_KEY=$pki/locked.key
    export X509_USER_CERT X509_USER_KEY
    c localhost "$port_gsi" /data/file
    check 'a key with a pass phrase' skipped gsi "no proxy, and key $pki/locked.key asks for a pass phrase"
    at_terminal localhost "$port_gsi" /data/file
    check 'a key with a pass phrase: nobody is asked' skipped gsi "no proxy, and key $pki/locked.key asks for a pass phrase"
    cat "$pki/proxy.crt" "$pki/proxy.key" "$pki/localhost.pem" >"$pki/odd.pem"
    X509_USER_PROXY=$pki/odd.pem at_terminal localhost "$port_gsi" /data/file
    no_chain() { [ "$code" -ne 0 ] && line '^gsi: .*error getting user proxies' && not line '[Pp]ass ?phrase'; }
    check 'a proxy without its chain, which the plug-in would make anew: nobody is asked' no_chain
    X509_USER_KEY=$pki/alice.key
    works 'a certificate and its key, without a proxy' '^gsi: accepted' "$port_gsi"
    XrdSecGSICREATEPROXY=1 c localhost "$port_gsi" /data/file
    check 'unless that is forbidden' skipped gsi 'no proxy .* certificate alone is not taken'
    at_terminal localhost "$port_gsi" /data/file
    check 'the pair, at a terminal' line '^gsi: accepted'
    check 'no proxy is made of it' not [ -e "$X509_USER_PROXY" ]
    X509_USER_CERT=$pki/none.pem XrdSecGSICREATEPROXY=0 c localhost "$port_gsi" /data/file
    check 'neither: the plug-in, which would crash, is not called' skipped gsi 'no credentials: no proxy .*, no certificate'
    sed '2,5d' "$pki/alice.pem" >"$pki/bad.pem"
    X509_USER_CERT=$pki/bad.pem c localhost "$port_gsi" /data/file
    check 'a certificate that is none: likewise' skipped gsi "0 certificates in $pki/bad.pem can be read, 1 are needed"
    X509_CERT_DIR=$work/none X509_USER_PROXY=$pki/proxy.pem c localhost "$port_gsi" /data/file
    unknown_ca() { [ "$code" -ne 0 ] && line '^gsi: .*CA'; }
    check 'an unknown CA' unknown_ca
    check 'nothing was written to the terminal' silent
else
    skip gsi 'no openssl here, or the module xrdopen-xrdsec.so is not built'
fi

# --- secrets
secrets() { # lines that must be in no output
    sed -n 's/.*k:\([0-9]*\)$/\1/p' "$work/good.keytab" "$work/s/server.keytab"
    for key in "$pki"/*.key; do sed -n 3p "$key"; done
    echo verysecret
}
secrets >"$work/secrets"
check 'there are secrets to look for' [ "$(wc -l <"$work/secrets")" -ge 3 ]
check 'and there is much to look at' [ "$(wc -l <"$work/all")" -ge 50 ]
check 'no secret in any output' not grep -qF -f "$work/secrets" "$work/all"
finish
