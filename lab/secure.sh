# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034  # part of lab.sh
#
# secure.sh - servers with TLS and authentication: what each demands and needs for that, and the modes made of them.
# Clients find what they need in the environment (`xrdopen lab env`). All servers of such a lab serve the same tree.

# Sets what makes the server NAME: lines (of its configuration), needs (among: pki gsi sss krb5 token), scheme (of its
# URL), pair (its certificate and key), and for tokens: token_file, and what becomes of clients without_token.
design() { # NAME
    scheme=root
    lines=''
    needs=''
    pair=$dir/server/host
    token_file=$dir/server/$1.ini
    without_token=passthrough
    case $1 in
        plain) ;;
        tls-capable) with_tls ;;
        tls-login) with_tls login ;;
        tls-session) with_tls session ;;
        tls-all) with_tls all ;;
        tls-login-data) with_tls login data ;;
        host|unix|sss|krb5|gsi) demand "$1" ;;
        unix-tls|sss-tls|krb5-tls|gsi-tls|ztn-tls)
            scheme=roots
            with_tls all
            demand "${1%-tls}" ;;
        unix-signed)
            demand unix
            line 'sec.level pedantic force' ;;
        gsi-signed)
            demand gsi
            line 'sec.level pedantic' ;;
        many) demand krb5 gsi sss unix ;;
        fallback)
            with_tls
            without_token=allow
            demand ztn krb5 unix ;;
        expired|wronghost|otherca|sha1)
            scheme=roots
            pair=$dir/bad/$1
            with_tls all ;;
    esac
}

line() { # TEXT
    lines="$lines$1
"
}

need() { # WORD
    one_of "$1" "$needs" || needs="$needs $1"
}

# TLS as soon as a client asks for it; WHAT must be TLS.
with_tls() { # WHAT...
    need pki
    line "xrd.tls $pair.pem $pair.key"
    line "xrd.tlsca certfile $dir/ca/ca.pem"
    if [ $# -gt 0 ]; then line "xrootd.tls $*"; fi
}

# Authentication by one of METHOD, offered in this order.
demand() { # METHOD...
    line 'xrootd.seclib libXrdSec.so'
    for method; do
        case $method in
            host|unix) line "sec.protocol $method" ;;
            sss)
                need sss
                line "sec.protocol sss -s $dir/server/sss.keytab" ;;
            krb5)
                need krb5
                line "sec.protocol krb5 $dir/adm/kdc/xrootd.keytab xrootd/localhost@$realm" ;;
            gsi)
                need pki
                need gsi
                line "sec.protocol gsi -certdir:$dir/ca -cert:$pair.pem -key:$pair.key -crl:0 -gmapopt:10 -dlgpxy:0" ;;
            ztn)
                need token
                line 'ofs.authorize'
                line "ofs.authlib libXrdAccSciTokens.so config=$token_file"
                line 'sec.protocol ztn' ;;
        esac
    done
}

# --- what must be installed -------------------------------------------------------------------------------------------

# Remember PACKAGE when there is no TOOL.
want_tool() { # TOOL PACKAGE
    command -v "$1" >/dev/null || lack "$1" "$2"
}

# The same for a plug-in of xrootd's; plugins is the folder where its libraries are.
want_plugin() { # NAME PACKAGE
    for file in "$plugins/lib$1"-*.so "$plugins/lib$1.so"; do
        if [ -e "$file" ]; then return 0; fi
    done
    lack "lib$1" "$2"
}

lack() { # WHAT PACKAGE
    one_of "$1" "$lacking" || lacking="$lacking $1"
    one_of "$2" "$packages" || packages="$packages $2"
}

# Is there what these servers need? Sets all_needs, and who reads from them to try: xrdcl, too, as long as it takes gsi.
# Ends with 4 and the packages' names when something is missing.
check_packages() { # SERVER...
    engines='wire xrdcl'
    answer_time=5s
    lacking=''
    packages=''
    plugins=$(ldd "$(command -v xrootd)" 2>/dev/null | sed -n 's,.*=> \(/.*\)/libXrdUtils\.so.*,\1,p')
    if [ -z "$plugins" ]; then plugins=/usr/lib; fi
    all_needs=''
    for server; do
        design "$server"
        all_needs="$all_needs $needs"
        case $lines in
            *xrootd.seclib*) want_plugin XrdSec xrootd-plugins ;;
        esac
        for method in unix sss krb5 gsi ztn; do
            case $lines in
                *"sec.protocol $method"*) want_plugin "XrdSec$method" xrootd-plugins ;;
            esac
        done
    done
    if one_of pki "$all_needs" || one_of token "$all_needs"; then want_tool openssl openssl; fi
    if one_of token "$all_needs"; then
        want_plugin XrdAccSciTokens xrootd-scitokens-plugins
        want_tool sqlite3 sqlite3
    fi
    if one_of krb5 "$all_needs"; then
        want_tool krb5kdc krb5-kdc
        want_tool kdb5_util krb5-kdc
        want_tool kadmin.local krb5-admin-server
        want_tool kinit krb5-user
    fi
    if [ -n "$packages" ]; then die 4 "up: $mode: not installed:$lacking: apt-get install$packages"; fi
}

# --- the environment of servers and clients ---------------------------------------------------------------------------

# What the servers must find in theirs. Without the last, services keep what they have seen in /var/tmp.
export_for_servers() {
    KRB5_CONFIG=$dir/krb5.conf
    KRB5_KDC_PROFILE=$dir/kdc.cfg
    KRB5RCACHENAME=file2:$dir/adm/krb5.rcache
    XDG_CACHE_HOME=$dir/adm/cache
    export KRB5_CONFIG KRB5_KDC_PROFILE KRB5RCACHENAME XDG_CACHE_HOME
}

# For clients: NAME=VALUE, for `env $(...)` and for sh; find_base sees to it that no path needs a quote. The lab of
# fallback is for clients without a token, wherever they may have one.
client_environment() {
    if one_of pki "$all_needs"; then echo "X509_CERT_DIR=$dir/ca"; fi
    if one_of gsi "$all_needs"; then
        echo "X509_USER_PROXY=$dir/client/proxy.pem"
        echo 'XrdSecGSICREATEPROXY=0'
    fi
    if one_of sss "$all_needs"; then echo "XrdSecSSSKT=$dir/client/sss.keytab"; fi
    if one_of krb5 "$all_needs"; then
        echo "KRB5_CONFIG=$dir/krb5.conf"
        echo "KRB5CCNAME=FILE:$dir/client/krb5cc"
    fi
    if one_of token "$all_needs"; then
        if [ "$mode" = fallback ]; then echo "BEARER_TOKEN_FILE=$dir/client/none"
        else echo "BEARER_TOKEN_FILE=$dir/client/token"; fi
    fi
}

# --- making it --------------------------------------------------------------------------------------------------------

# Run each JOB (a function and its words) in a process of its own, all at once. Fails, with taken set, when one of them
# does; ends with what another failure ended with, which has been said.
together() { # JOB...
    jobs=''
    failed=''
    for job; do
        # shellcheck disable=SC2086  # words
        { $job || { if [ -n "$taken" ]; then exit 75; fi; exit 1; }; } &
        jobs="$jobs $!"
    done
    for pid in $jobs; do
        code=0
        wait "$pid" || code=$?
        case $code in
            0) ;;
            75) taken=yes ;;
            *) failed=$code ;;
        esac
    done
    if [ -n "$failed" ]; then exit "$failed"; fi
    [ -z "$taken" ]
}

# The same with one function for several words.
each() { # FUNCTION WORD...
    function=$1
    shift
    for word; do
        shift
        set -- "$@" "$function $word"
    done
    together "$@"
}

# In two steps: what signs, and what is signed.
make_credentials() { # KDC-PORT
    make_folders
    set -- make_krb5 "$1"
    if one_of krb5 "$all_needs"; then set -- "make_krb5 $2"; else set --; fi
    if one_of sss "$all_needs"; then set -- "$@" make_sss; fi
    if one_of token "$all_needs"; then set -- "$@" make_issuer; fi
    if one_of pki "$all_needs"; then set -- "$@" make_ca; fi
    together "$@" || return 1
    set --
    if [ "$mode" = badtls ]; then set -- make_bad_hosts
    elif one_of pki "$all_needs"; then set -- make_host; fi
    if one_of gsi "$all_needs"; then set -- "$@" make_gsi; fi
    together "$@"
}

# The one whose certificate OpenSSL thinks too weak may offer it all the same.
start_server() { # NAME
    if [ "$1" = sha1 ]; then
        OPENSSL_CONF=$dir/bad/weak.cnf
        export OPENSSL_CONF
    fi
    start xrootd "$1"
}

# Read a file from server NAME, so that it is warm, and so that the lab is known to work.
warm() { # NAME
    told=$dir/$1.probe
    await "$1" "$(sed -n "s,^$1	,,p" "$dir/urls.new")"
}

# Servers with security, each with a port of its own.
secure() { # SERVER...
    check_packages "$@"
    export_for_servers
    ports $(($# + 1))
    make_credentials "${ports%% *}" || return 1
    client_environment >"$dir/env"
    tree data
    rest=${ports#* }
    for server; do
        port=${rest%% *}
        rest=${rest#* }
        design "$server"
        if one_of token "$needs"; then token_config "$token_file" "$without_token"; fi
        config "$server" "xrd.port $port" "oss.localroot $dir/tree/data" "$lines"
        url "$server" "$scheme://localhost:$port//data/file"
        if [ "$server" = tls-capable ]; then url tls-asked "roots://localhost:$port//data/file"; fi
    done
    each start_server "$@" || return 1
    if [ "$mode" != badtls ]; then each warm "$@"; fi
}

# --- the modes --------------------------------------------------------------------------------------------------------

tls_servers='tls-capable tls-login tls-session tls-all tls-login-data'

# shellcheck disable=SC2086  # names of servers
mode_tls() { secure $tls_servers; }
mode_host() { secure host; }
mode_unix() { secure unix; }
mode_sss() { secure sss; }
mode_krb5() { secure krb5; }
mode_gsi() { secure gsi; }
mode_ztn() { secure ztn-tls; }
mode_gsitls() { secure gsi-tls; }
mode_many() { secure many; }
mode_fallback() { secure fallback; }
mode_signed() { secure unix-signed gsi-signed; }
mode_badtls() { secure expired wronghost otherca sha1; }

# shellcheck disable=SC2086
mode_all() {
    secure plain host unix unix-tls sss sss-tls krb5 krb5-tls gsi gsi-tls ztn-tls $tls_servers
}

# A manager and data servers that all want to know who their client is.
mode_securecluster() {
    check_packages unix
    client_environment >"$dir/env"
    design unix
    secured_lines=$lines
    mode_cluster
}
