# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034  # part of lab.sh; what is used here is set there
#
# credentials.sh - keys, certificates, tickets and tokens, made when a lab starts, thrown away with it. In its folder:
#
#     ca/       the CA's certificate under the name that OpenSSL looks for (X509_CERT_DIR)
#     client/   what a client needs; the private files belong to who started the lab, 0600
#     server/   what the servers need; the private files belong to them, 0600
#     pki/      keys of the CA and of the token issuer
#     bad/      what must be refused: see make_bad_hosts and the ends of make_gsi, make_krb5, make_sss, make_token
#
# Every make_... may run at the same time as the others, and once more when a port was taken: what is there stays. Since
# they run behind ||, where `set -e` is off, every command whose failure matters goes through `quietly`.

realm=LAB.TEST
issuer=https://localhost/lab
audience=https://wlcg.cern.ch/jwt/v1/any
days=10                         # how long certificates, tickets and tokens are good
skew=5                          # seconds by which clocks may differ; with the usual 300 no ticket would expire here

# Run a command; when it fails, show what it said, and end.
quietly() { # COMMAND...
    "$@" >>"$dir/make.out" 2>&1 || {
        warn "up: failed: $*"
        show_log "$dir/make.out"
        exit 1
    }
}

# Make FILE of standard input, for its owner alone.
private() { # FILE
    (umask 077 && cat >"$1") || die 1 "up: cannot write $1"
}

# Files of the servers: root gives them away, since xrootd wants to own its keys.
give() { # FILE...
    if [ "$uid" -eq 0 ]; then quietly chown "$user:$group" "$@"; fi
}

random_hex() { # BYTES
    od -An -v -N "$1" -tx1 /dev/urandom | tr -d ' \n'
}

# --- certificates -----------------------------------------------------------------------------------------------------

make_folders() {
    mkdir -p "$dir/ca" "$dir/server" "$dir/bad/ca"
    (umask 077 && mkdir -p "$dir/client" "$dir/pki")
}

# What certificates say. [old] is for `openssl ca`, the only command of OpenSSL 3.0 that makes one of the past.
pki_config() {
    cat <<EOT
[req]
distinguished_name = none
prompt = no
string_mask = utf8only
[none]
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
[host]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
[elsewhere]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth
subjectAltName = DNS:elsewhere.example
[user]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = clientAuth
[proxy]
keyUsage = critical, digitalSignature, keyEncipherment
proxyCertInfo = critical, language:id-ppl-inheritAll
[old]
database = $dir/pki/index
new_certs_dir = $dir/pki
rand_serial = yes
unique_subject = no
default_md = sha256
preserve = yes
policy = any
[any]
organizationName = optional
commonName = supplied
EOT
}

# The key FILE.key and the certificate FILE.pem for SUBJECT with the extensions SECTION, signed by SIGNER, or by itself.
certify() { # FILE SECTION SUBJECT SIGNER|'' OPTION...
    file=$1
    section=$2
    subject=$3
    signer=$4
    shift 4
    quietly openssl req -x509 -config "$dir/pki/config" -extensions "$section" -nodes -keyout "$file.key" \
        -out "$file.pem" -subj "$subject" -days "$days" ${signer:+-CA "$signer.pem" -CAkey "$signer.key"} "$@"
}

# The same in the past, from a request for the key FILE.key, which must be there.
certify_expired() { # FILE SECTION SUBJECT SIGNER
    quietly openssl req -new -config "$dir/pki/config" -key "$1.key" -subj "$3" -out "$1.csr"
    quietly openssl ca -batch -notext -config "$dir/pki/config" -name old -extensions "$2" -in "$1.csr" -out "$1.pem" \
        -cert "$4.pem" -keyfile "$4.key" -startdate 20200101000000Z -enddate 20200111000000Z
    rm -f "$1.csr"
}

# The folder that verifiers look into: the CA under the hash of its name.
hash_folder() { # FOLDER CA
    hash=$(openssl x509 -in "$2.pem" -noout -hash 2>>"$dir/make.out") || die 1 "up: cannot read $2.pem"
    cp "$2.pem" "$1/ca.pem"
    cp "$2.pem" "$1/$hash.0"
}

# RSA with 2048 bits, as grid CAs and hosts have it: gsi takes nothing else, and a measured handshake should cost what
# it costs elsewhere.
rsa='-sha256 -newkey rsa:2048'
curve='-sha256 -newkey ec -pkeyopt ec_paramgen_curve:P-256'

# shellcheck disable=SC2086  # options
make_ca() {
    if [ -e "$dir/ca/ca.pem" ]; then return 0; fi
    pki_config | private "$dir/pki/config"
    : >"$dir/pki/index"
    certify "$dir/pki/ca" authority '/O=xrdopen lab/CN=CA' '' $rsa
    hash_folder "$dir/ca" "$dir/pki/ca"
    certify "$dir/pki/other" authority '/O=xrdopen lab/CN=A CA that signed nothing here' '' $curve
    hash_folder "$dir/bad/ca" "$dir/pki/other"
}

# shellcheck disable=SC2086
make_host() {
    if [ -e "$dir/server/host.key" ]; then return 0; fi
    certify "$dir/server/host" host '/O=xrdopen lab/CN=localhost' "$dir/pki/ca" $rsa
    give "$dir/server/host.key"
}

# A user's certificate and a proxy of it (RFC 3820). xrdgsiproxy of 5.5.3 would sign with SHA-1, which TLS refuses.
# Bad: a proxy of 2020, and one whose user a CA has signed that servers do not know.
# shellcheck disable=SC2086
make_gsi() {
    if [ -e "$dir/client/proxy.pem" ]; then return 0; fi
    name='/O=xrdopen lab/CN=Alice'
    client=$dir/client/user
    certify "$client" user "$name" "$dir/pki/ca" $rsa
    certify "$dir/pki/proxy" proxy "$name/CN=1001" "$client" $rsa
    cp "$dir/pki/proxy.key" "$dir/pki/old-proxy.key"
    certify_expired "$dir/pki/old-proxy" proxy "$name/CN=1002" "$client"
    certify "$dir/pki/stranger" user "$name" "$dir/pki/other" -sha256 -key "$client.key"
    certify "$dir/pki/strange-proxy" proxy "$name/CN=1003" "$dir/pki/stranger" -sha256 -key "$dir/pki/proxy.key"
    cat "$dir/pki/old-proxy.pem" "$dir/pki/proxy.key" "$client.pem" | private "$dir/bad/proxy-expired.pem"
    cat "$dir/pki/strange-proxy.pem" "$dir/pki/proxy.key" "$dir/pki/stranger.pem" | private "$dir/bad/proxy-otherca.pem"
    cat "$dir/pki/proxy.pem" "$dir/pki/proxy.key" "$client.pem" | private "$dir/client/proxy.pem"
}

# Certificates of servers that a client must not accept. OpenSSL would not even offer the one signed with SHA-1: its
# server gets a configuration of its own.
# shellcheck disable=SC2086
make_bad_hosts() {
    if [ -e "$dir/bad/weak.cnf" ]; then return 0; fi
    bad=$dir/bad
    name='/O=xrdopen lab/CN=localhost'
    certify "$bad/expired" host "$name" "$dir/pki/ca" $curve
    certify_expired "$bad/expired" host "$name" "$dir/pki/ca"
    certify "$bad/wronghost" elsewhere '/O=xrdopen lab/CN=elsewhere.example' "$dir/pki/ca" $curve
    certify "$bad/otherca" host "$name" "$dir/pki/other" $curve
    certify "$bad/sha1" host "$name" "$dir/pki/ca" -newkey rsa:2048 -sha1
    give "$bad/expired.key" "$bad/wronghost.key" "$bad/otherca.key" "$bad/sha1.key"
    printf '%s\n' 'openssl_conf = all' '[all]' 'ssl_conf = ssl' '[ssl]' 'system_default = weak' '[weak]' \
        'CipherString = DEFAULT:@SECLEVEL=0' >"$bad/weak.cnf"
}

# --- sss --------------------------------------------------------------------------------------------------------------

# A keytab has no newline at its end, and is refused unless 0600. Bad: another key under the same name and number.
make_sss() {
    if [ -e "$dir/server/sss.keytab" ]; then return 0; fi
    number=$(date +%s)
    for file in bad client; do
        printf '0 u:alice g:users n:lab N:%s c:%s e:0 f:0 k:%s' "${number}0000000" "$number" "$(random_hex 32)" |
            private "$dir/$file/sss.keytab"
    done
    private "$dir/server/sss.keytab" <"$dir/client/sss.keytab"
    give "$dir/server/sss.keytab"
}

# --- krb5 -------------------------------------------------------------------------------------------------------------

krb5_config() { # PORT
    cat <<EOT
[libdefaults]
    default_realm = $realm
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    ticket_lifetime = ${days}d
    clockskew = $skew
[realms]
    $realm = {
        kdc = 127.0.0.1:$1
    }
[domain_realm]
    localhost = $realm
[logging]
    kdc = FILE:$dir/log/kdc/krb5kdc.log
    admin_server = FILE:$dir/log/kdc/kadmin.log
    default = FILE:$dir/log/kdc/krb5kdc.log
EOT
}

kdc_config() { # PORT
    cat <<EOT
[kdcdefaults]
    kdc_listen = 127.0.0.1:$1
    kdc_tcp_listen = 127.0.0.1:$1
[realms]
    $realm = {
        database_name = $kdc/principal
        key_stash_file = $kdc/stash
        acl_file = $kdc/acl
        max_life = ${days}d
        supported_enctypes = aes256-cts-hmac-sha1-96:normal
    }
EOT
}

# A KDC with a user and the servers' service, and a ticket for the user. Bad: a ticket that is good for a second, and
# that nothing takes any more when the clocks' difference is over, too.
make_krb5() { # PORT
    kdc=$dir/adm/kdc
    krb5_config "$1" >"$dir/krb5.conf"
    kdc_config "$1" >"$dir/kdc.cfg"
    secret=$(random_hex 16)
    quietly as_server mkdir -m 700 "$kdc"
    quietly as_server mkdir "$dir/log/kdc"
    quietly as_server kdb5_util create -s -r "$realm" -P "$(random_hex 16)"
    # shellcheck disable=SC2016  # for the inner shell
    quietly as_server sh -c 'printf "%s\n" "$@" | kadmin.local' kadmin "addprinc -pw $secret alice" \
        'addprinc -randkey xrootd/localhost' "ktadd -k $kdc/xrootd.keytab xrootd/localhost"
    quietly as_server test -s "$kdc/xrootd.keytab"
    start_kdc || return 1
    printf '%s\n' "$secret" | quietly kinit -c "FILE:$dir/bad/krb5cc" -l 1s alice
    printf '%s\n' "$secret" | quietly kinit -c "FILE:$dir/client/krb5cc" alice
}

# It has its sockets before it goes to the background. Fails, with taken set, when the port has been taken meanwhile.
start_kdc() {
    say 'start krb5kdc of kdc'
    if as_server krb5kdc -r "$realm" -P "$dir/adm/krb5kdc.kdc.pid" >>"$dir/kdc.out" 2>&1; then return 0; fi
    if grep -qis 'address already in use' "$dir/log/kdc/krb5kdc.log" "$dir/kdc.out"; then
        taken=yes
        return 1
    fi
    warn 'up: krb5kdc did not start'
    show_log "$dir/kdc.out"
    show_log "$dir/log/kdc/krb5kdc.log"
    exit 1
}

# --- tokens -----------------------------------------------------------------------------------------------------------

base64url() {
    openssl base64 -A | tr '+/' '-_' | tr -d '='
}

# Bytes from hexadecimal digits: printf(1) of every shell knows octal ones only.
from_hex() {
    # shellcheck disable=SC2059  # it is a format of nothing but \ooo
    printf "$(awk '{ for (i = 1; i < length($0); i += 2) {
        high = index("0123456789ABCDEF", toupper(substr($0, i, 1))) - 1
        low = index("0123456789ABCDEF", toupper(substr($0, i + 1, 1))) - 1
        printf "\\%03o", high * 16 + low
    } }')"
}

# A WLCG token (JSON Web Token, RS256) by which alice may read everything.
jwt() { # KEY ISSUER FROM UNTIL
    head=$(printf '{"typ":"JWT","alg":"RS256","kid":"lab"}' | base64url)
    body=$(printf '{"iss":"%s","sub":"alice","aud":"%s","wlcg.ver":"1.0","scope":"storage.read:/",%s}' \
        "$2" "$audience" "\"iat\":$3,\"nbf\":$3,\"exp\":$4,\"jti\":\"$(random_hex 8)\"" | base64url)
    signature=$(printf '%s.%s' "$head" "$body" | openssl dgst -sha256 -sign "$1" -binary 2>>"$dir/make.out" | base64url)
    if [ -z "$signature" ]; then die 1 "up: openssl cannot sign with $1"; fi
    printf '%s.%s.%s\n' "$head" "$body" "$signature"
}

# The issuer's public key as JSON.
jwks() {
    modulus=$(openssl rsa -in "$dir/pki/issuer.key" -noout -modulus 2>>"$dir/make.out" | sed 's/^Modulus=//' |
        from_hex | base64url)
    if [ -z "$modulus" ]; then die 1 "up: cannot read the key of the token issuer"; fi
    printf '{"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"lab","n":"%s","e":"AQAB"}]}' "$modulus"
}

# The issuer is a key only: its servers find it where their library keeps the keys that it has fetched, and never fetch.
make_issuer() {
    if [ ! -e "$dir/pki/issuer.key" ]; then
        quietly openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$dir/pki/issuer.key"
    fi
    folder=$dir/adm/cache/scitokens
    keys=$(jwks) || exit 1
    far=$(($(date +%s) + days * 86400))
    quietly as_server mkdir "${folder%/*}" "$folder"
    quietly as_server sqlite3 "$folder/scitokens_cpp.sqllite" \
        'CREATE TABLE keycache (issuer text UNIQUE PRIMARY KEY NOT NULL, keys text NOT NULL)' \
        "INSERT INTO keycache VALUES ('$issuer', '{\"jwks\":$keys,\"expires\":$far,\"next_update\":$far}')"
    make_tokens
}

# Bad: a token of last year, one of an issuer that nobody knows, and one that names the issuer but has another's
# signature.
make_tokens() {
    if [ -e "$dir/client/token" ]; then return 0; fi
    from=$(date +%s)
    until=$((from + days * 86400))
    key=$dir/pki/issuer.key
    quietly openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$dir/pki/forger.key"
    jwt "$key" "$issuer" $((from - 31536000)) $((from - 31449600)) | private "$dir/bad/token-expired"
    jwt "$key" https://localhost/elsewhere "$from" "$until" | private "$dir/bad/token-unknown"
    jwt "$dir/pki/forger.key" "$issuer" "$from" "$until" | private "$dir/bad/token-forged"
    jwt "$key" "$issuer" "$from" "$until" | private "$dir/client/token"
}

# The servers' side: which issuers they believe. A server that also takes clients without a token lets them in.
token_config() { # FILE onmissing
    printf '%s\n' '[Global]' "audience = $audience" "onmissing = $2" '[Issuer lab]' "issuer = $issuer" \
        'base_path = /' 'default_user = alice' >"$1"
}
