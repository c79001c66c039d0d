#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# lab-security.sh - the lab's servers with TLS and authentication, as the official client sees them.
# XRDOPEN=... sh tests/interop/lab-security.sh  (TAP)
#
# Every mode: it comes up; with what `lab env` prints, xrdfs and xrdcp read its files; with what is under bad/ in its
# folder they are refused; and it leaves nothing.
# shellcheck source=tests/lib.sh disable=SC2317  # functions are called by check
. "$(dirname "$0")/../lib.sh"

for tool in xrootd cmsd xrdfs xrdcp; do
    command -v "$tool" >/dev/null || skip_all "no $tool here: apt-get install xrootd-server xrootd-client"
done
unset XrdSecPROTOCOL XrdSecDEBUG BEARER_TOKEN X509_USER_CERT X509_USER_KEY
base=$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)
tls='tls-capable tls-asked tls-login tls-session tls-all tls-login-data'

# --- helpers ----------------------------------------------------------------------------------------------------------

servers() {
    grep -lsF -e "$XRDOPEN_LAB_DIR/" /proc/[0-9]*/cmdline | sed 's,/cmdline,/comm,' | xargs cat 2>/dev/null |
        grep -cE '^(xrootd|cmsd|krb5kdc)$' || :
}
nothing_left() { [ "$(servers)" -eq 0 ] && [ -z "$(ls -A "$XRDOPEN_LAB_DIR")" ]; }
stray() { # what servers, KDC and clients may leave elsewhere
    find /tmp /var/tmp -maxdepth 1 \( -name '*.env' -o -name '.xrd*' -o -name '.olb' -o -name 'krb5*' \
        -o -name 'x509up*' -o -name '*rcache*' \) 2>/dev/null | sort
}

# Start a lab of MODE, whose URLs must have NAMES. Sets dir and variables. Fails, after a skip, when this machine lacks
# something.
up() { # MODE NAMES
    x lab up "$1"
    if [ "$code" -eq 4 ]; then
        skip "up $1" "$(sed -n 's/.*not installed:/not installed:/p' "$err")"
        return 1
    fi
    check "up $1" [ "$code" -eq 0 ]
    if [ "$code" -ne 0 ]; then return 1; fi
    dir=$(echo "$base"/*)
    x lab urls
    check "$1: its URLs have names" [ "$(cut -f 1 "$out" | tr '\n' ' ')" = "$2 " ]
    cp "$out" "$work/urls"
    x lab env
    variables=$(cat "$out")
    check "$1: env prints words that need no quotes" no_odd_line
}

no_odd_line() { ! grep -qvE '^[A-Za-z0-9_]+=[A-Za-z0-9_./@+=,:%-]*$' "$out"; }
url() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$work/urls"; }        # NAME

down() { # MODE
    expect "$1: down" 0 lab down
    check "$1: nothing is left" nothing_left
}

# Run an official program in the lab's environment and WORDS (NAME=VALUE); its output goes to $out and $err.
official() { # WORDS -- COMMAND...
    changes=''
    while [ "$1" != -- ]; do
        changes="$changes $1"
        shift
    done
    shift
    last="$changes $*"
    code=0
    # shellcheck disable=SC2086  # words without blanks
    env $variables $changes timeout -k 5 60 "$@" >"$out" 2>"$err" </dev/null || code=$?
    return "$code"
}

stat_of() { # NAME WORDS...
    place=$(url "$1")
    shift
    official "$@" -- xrdfs "${place%//*}" stat "/${place#*://*//}"
}

# The size and the bytes of the file behind NAME, and those of TREE.
reads() { # NAME TREE
    place=$(url "$1")
    file=$dir/tree/$2/${place#*://*//}
    stat_of "$1" || return 1
    grep -q "^Size: *$(wc -c <"$file")\$" "$out" || return 1
    rm -f "$work/copy"
    official -- xrdcp -f -s "$place" "$work/copy" && cmp "$work/copy" "$file" >"$out"
}

# REGEX is what it must say: not every failure is a refusal.
refused_for() { # REGEX NAME WORDS...
    why=$1
    shift
    if stat_of "$@"; then return 1; fi
    grep -qE -e "$why" "$out" "$err"
}
not_trusted() { refused_for 'Auth failed' "$@"; }
no_tls() { refused_for 'TLS error' "$@"; }

# The methods that the client tries, in order.
methods() { # NAME WORDS...
    stat_of "$@" XrdSecDEBUG=1 || :
    cat "$out" "$err" | sed -n 's/^sec_PM: Using \([a-z0-9]*\) protocol.*/\1/p' | tr '\n' ' '
}

for_all_read() { # MODE TREE NAME...
    mode=$1
    tree=$2
    shift 2
    for name; do check "$mode: $name can be read" reads "$name" "$tree"; done
}

verifies() { # ARGUMENTS...
    last="openssl verify $*"
    code=0
    openssl verify "$@" >"$out" 2>"$err" || code=$?
    return "$code"
}

is_private() { # FILE...
    for file; do
        if [ "$(stat -c '%a %u' "$file")" != "600 $(id -u)" ]; then return 1; fi
    done
}

stray >"$work/before"

# --- TLS --------------------------------------------------------------------------------------------------------------

if up tls "$tls"; then
    # shellcheck disable=SC2086
    for_all_read tls data $tls
    check 'tls: without being asked, one does without TLS' stat_of tls-capable "X509_CERT_DIR=$dir/bad/ca"
    for name in tls-asked tls-login tls-session tls-all tls-login-data; do
        check "tls: $name is refused with another CA" no_tls "$name" "X509_CERT_DIR=$dir/bad/ca"
    done
    down tls
fi

if up badtls 'expired wronghost otherca sha1'; then
    for name in expired otherca sha1; do check "badtls: $name is refused" no_tls "$name"; done
    # The official client does not compare the name when it is localhost, so the certificates themselves are looked at.
    bad=$dir/bad
    check 'badtls: wronghost is of another host' not verifies -CApath "$dir/ca" -verify_hostname localhost \
        "$bad/wronghost.pem"
    check 'badtls: and says so' said 'hostname mismatch'
    check 'badtls: it is good otherwise' verifies -CApath "$dir/ca" "$bad/wronghost.pem"
    check 'badtls: expired is that' not verifies -CApath "$dir/ca" "$bad/expired.pem"
    check 'badtls: and says so' said 'has expired'
    check 'badtls: it is good otherwise' verifies -no_check_time -CApath "$dir/ca" -verify_hostname localhost \
        "$bad/expired.pem"
    check 'badtls: otherca is good for those who trust that CA' verifies -CApath "$bad/ca" -verify_hostname localhost \
        "$bad/otherca.pem"
    check 'badtls: who can read it' stat_of otherca "X509_CERT_DIR=$bad/ca"
    check 'badtls: sha1 is too weak' not verifies -auth_level 2 -CApath "$dir/ca" "$bad/sha1.pem"
    check 'badtls: and says so' said 'too weak'
    check 'badtls: it is good otherwise' verifies -auth_level 0 -CApath "$dir/ca" -verify_hostname localhost \
        "$bad/sha1.pem"
    down badtls
fi

# --- one method each --------------------------------------------------------------------------------------------------

if up host host; then
    for_all_read host data host
    down host
fi
if up unix unix; then
    for_all_read unix data unix
    check 'unix: a client that may only krb5 is refused' not_trusted unix XrdSecPROTOCOL=krb5
    down unix
fi
if up sss sss; then
    for_all_read sss data sss
    check 'sss: the keytab is the client'"'"'s own' is_private "$dir/client/sss.keytab" "$dir/bad/sss.keytab"
    check 'sss: another key is refused' not_trusted sss "XrdSecSSSKT=$dir/bad/sss.keytab"
    down sss
fi
if up krb5 krb5; then
    for_all_read krb5 data krb5
    check 'krb5: the tickets are the client'"'"'s own' is_private "$dir/client/krb5cc" "$dir/bad/krb5cc"
    check 'krb5: no ticket is refused' not_trusted krb5 "KRB5CCNAME=FILE:$dir/client/none"
    x lab status
    check 'krb5: status shows the KDC' line '^  server  *kdc  *krb5kdc up, pid '
    check 'krb5: two servers run' [ "$(servers)" -eq 2 ]
    check 'krb5: a ticket of a second is refused, some seconds later' \
        within 20 not_trusted krb5 "KRB5CCNAME=FILE:$dir/bad/krb5cc"
    down krb5
fi
if up gsi gsi; then
    for_all_read gsi data gsi
    check 'gsi: the proxies are the client'"'"'s own' is_private "$dir/client/proxy.pem" "$dir/bad/proxy-expired.pem" \
        "$dir/bad/proxy-otherca.pem" "$dir/client/user.key"
    check 'gsi: an expired proxy is refused' not_trusted gsi "X509_USER_PROXY=$dir/bad/proxy-expired.pem"
    check 'gsi: ... which is good otherwise' verifies -allow_proxy_certs -no_check_time -CApath "$dir/ca" \
        -untrusted "$dir/client/user.pem" "$dir/bad/proxy-expired.pem"
    check 'gsi: a proxy of an unknown CA is refused' not_trusted gsi "X509_USER_PROXY=$dir/bad/proxy-otherca.pem"
    check 'gsi: a server of an unknown CA is refused' not_trusted gsi "X509_CERT_DIR=$dir/bad/ca"
    down gsi
fi
if up gsitls gsi-tls; then
    for_all_read gsitls data gsi-tls
    check 'gsitls: a server of an unknown CA is refused' no_tls gsi-tls "X509_CERT_DIR=$dir/bad/ca"
    down gsitls
fi
if up ztn ztn-tls; then
    for_all_read ztn data ztn-tls
    check 'ztn: the tokens are the client'"'"'s own' is_private "$dir/client/token" "$dir/bad/token-expired"
    for bad in expired unknown forged; do
        check "ztn: a token is refused: $bad" not_trusted ztn-tls "BEARER_TOKEN_FILE=$dir/bad/token-$bad"
    done
    check 'ztn: no token is refused' not_trusted ztn-tls "BEARER_TOKEN_FILE=$dir/client/none"
    down ztn
fi

# --- several methods, signing, a cluster ------------------------------------------------------------------------------

if up many many; then
    for_all_read many data many
    check 'many: krb5 comes first' [ "$(methods many)" = 'krb5 ' ]
    for method in krb5 gsi sss unix; do
        check "many: $method will do" [ "$(methods many "XrdSecPROTOCOL=$method")" = "$method " ]
    done
    check 'many: another will not' not_trusted many XrdSecPROTOCOL=ztn
    down many
fi
if up fallback fallback; then
    for_all_read fallback data fallback
    check 'fallback: without a token, the second' [ "$(methods fallback)" = 'ztn krb5 ' ]
    check 'fallback: without a ticket, the third' \
        [ "$(methods fallback "KRB5CCNAME=FILE:$dir/client/none")" = 'ztn krb5 unix ' ]
    check 'fallback: with a token, the first' [ "$(methods fallback "BEARER_TOKEN_FILE=$dir/client/token")" = 'ztn ' ]
    down fallback
fi
if up signed 'unix-signed gsi-signed'; then
    for_all_read signed data unix-signed gsi-signed
    check 'signed: both demand it' [ "$(grep -l '^sec.level pedantic' "$dir"/*-signed.cfg | wc -l)" -eq 2 ]
    down signed
fi
if up securecluster 'manager data1 data2'; then
    for_all_read securecluster data1 manager data1
    for_all_read securecluster data2 data2
    for name in manager data1 data2; do
        check "securecluster: $name wants to know who" not_trusted "$name" XrdSecPROTOCOL=krb5
    done
    down securecluster
fi

# --- all of them at once ----------------------------------------------------------------------------------------------

all="plain host unix unix-tls sss sss-tls krb5 krb5-tls gsi gsi-tls ztn-tls $tls"
if up all "$all"; then
    # shellcheck disable=SC2086
    for_all_read all data $all
    for name in unix-tls sss-tls krb5-tls gsi-tls ztn-tls; do
        check "all: $name is refused with another CA" no_tls "$name" "X509_CERT_DIR=$dir/bad/ca"
    done
    check 'all: unix-tls wants to know who' not_trusted unix-tls XrdSecPROTOCOL=krb5
    check 'all: sss-tls refuses another key' not_trusted sss-tls "XrdSecSSSKT=$dir/bad/sss.keytab"
    check 'all: krb5-tls refuses no ticket' not_trusted krb5-tls "KRB5CCNAME=FILE:$dir/client/none"
    variables_of_all=$(sh -c 'set -a; eval "$1"; env' sh "$variables" | grep -c "$dir")
    check 'all: eval takes the variables, too' [ "$variables_of_all" -ge 6 ]
    x lab up sss
    check 'all: another lab beside it' [ "$code" -eq 0 ]
    refuses 'env of one of two wants its id' 2 'several labs' lab env
    expect 'down of both' 0 lab down all
    check 'nothing is left of both' nothing_left
fi

# --- env --------------------------------------------------------------------------------------------------------------

refuses 'env without a lab' 1 'no lab is up' lab env
expect 'up plain' 0 lab up plain
expect 'env of a lab that needs nothing' 0 lab env
check 'is empty' [ ! -s "$out" ]
down plain

# --- interrupted ------------------------------------------------------------------------------------------------------

for after in 0.1 0.3 0.6 1; do
    last="SIGINT after $after s"
    code=0
    timeout --preserve-status -s INT "$after" "$XRDOPEN" lab up all >"$out" 2>"$err" </dev/null || code=$?
    if [ "$code" -eq 4 ]; then
        skip "$last" 'a package is missing'
        break
    fi
    if [ "$code" -eq 0 ]; then                              # it was faster
        skip "$last" 'it was ready'
        "$XRDOPEN" lab down
        continue
    fi
    check "$last: exit 130" [ "$code" -eq 130 ]
    check "$last: nothing is left" nothing_left
done

# --- packages that are missing ----------------------------------------------------------------------------------------

# All programs but one, or with one of our own.
mkdir "$work/bin"
for folder in /usr/local/bin /usr/bin /bin; do
    find "$folder" -maxdepth 1 ! -type d -exec ln -sf -t "$work/bin" {} + 2>/dev/null
done
lacks() { # PROGRAM PACKAGE MODE
    if [ -e "/usr/sbin/$1" ] || [ -e "/sbin/$1" ] || ! command -v "$1" >/dev/null; then
        skip "$3 without $1" 'cannot be hidden here'
        return 0
    fi
    mv "$work/bin/$1" "$work/hidden"
    with_path=$PATH
    PATH=$work/bin
    x lab up "$3"
    PATH=$with_path
    mv "$work/hidden" "$work/bin/$1"
    check "$3 without $1: exit 4" [ "$code" -eq 4 ]
    check "$3 without $1: its package is named" said "$3: not installed:.* $1.*: apt-get install .*$2"
    check "$3 without $1: nothing is left" nothing_left
}
lacks openssl openssl tls
lacks kinit krb5-user krb5
lacks sqlite3 sqlite3 ztn
rm -f "$work/bin/ldd"
printf '#!/bin/sh\necho "libXrdUtils.so.3 => %s/libXrdUtils.so.3"\n' "$work" >"$work/bin/ldd"
chmod 755 "$work/bin/ldd"
with_path=$PATH
PATH=$work/bin:$PATH
x lab up ztn
PATH=$with_path
check 'ztn without plug-ins: exit 4' [ "$code" -eq 4 ]
check 'ztn without plug-ins: their packages are named' \
    said 'XrdSecztn.*: apt-get install xrootd-plugins xrootd-scitokens-plugins'

# --- as an ordinary user ----------------------------------------------------------------------------------------------

as_nobody() { (cd / && exec setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups "$@"); }
if ! is_root; then
    skip 'as nobody' 'this is an ordinary user already'
elif ! as_nobody test -x "$XRDOPEN" 2>/dev/null; then
    skip 'as nobody' "nobody cannot run $XRDOPEN"
else
    mkdir "$work/n"
    chown nobody "$work/n"
    of_root=$XRDOPEN_LAB_DIR
    XRDOPEN_LAB_DIR=$work/n
    last='as nobody: lab up all'
    code=0
    # shellcheck disable=SC2016  # for the inner shell
    as_nobody sh -c '
        "$XRDOPEN" lab up all >/dev/null || exit
        for url in $("$XRDOPEN" lab urls | cut -f 2); do
            timeout 60 env $("$XRDOPEN" lab env) xrdfs "${url%//*}" stat /data/file | grep "^Size: *1048576" ||
                echo "$url"
        done' >"$out" 2>"$err" || code=$?
    if [ "$code" -eq 4 ]; then
        skip 'as nobody' 'a package is missing'
    else
        check 'as nobody: every server can be read' [ "$(grep -c '^Size: ' "$out")" -eq "$(echo "$all" | wc -w)" ]
        last='as nobody: lab down'
        code=0
        as_nobody "$XRDOPEN" lab down >"$out" 2>"$err" || code=$?
        check 'as nobody: down' [ "$code" -eq 0 ]
        check 'as nobody: nothing is left' nothing_left
    fi
    XRDOPEN_LAB_DIR=$of_root
fi

stray >"$work/after"
last='files elsewhere'
diff "$work/before" "$work/after" >"$out"
check 'nothing was left elsewhere' [ ! -s "$out" ]
finish
