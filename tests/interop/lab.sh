#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# lab.sh - the lab with this machine's xrootd:  XRDOPEN=/path/to/xrdopen sh tests/interop/lab.sh   (prints TAP)
#
# Everything happens in a folder of its own (XRDOPEN_LAB_DIR), so labs that are up elsewhere are neither seen nor
# touched. As root, a part is done again as nobody.
set -u
: "${XRDOPEN:=xrdopen}"
XRDOPEN=$(command -v "$XRDOPEN") || { echo '1..0 # SKIP no xrdopen: set XRDOPEN'; exit 0; }
PATH=$PATH:/usr/sbin:/sbin
if ! command -v xrootd >/dev/null || ! command -v cmsd >/dev/null; then
    echo '1..0 # SKIP no xrootd here: apt-get install xrootd-server'
    exit 0
fi

tests=0
failures=0
talk=''                         # what the last command said

ok() { tests=$((tests + 1)); printf 'ok %d - %s\n' "$tests" "$1"; }

not_ok() {
    tests=$((tests + 1))
    failures=$((failures + 1))
    printf 'not ok %d - %s\n' "$tests" "$1"
    if [ -n "$talk" ]; then printf '%s\n' "$talk" | sed 's/^/# /'; fi
}

check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then ok "$what"; else not_ok "$what"; fi
}

# Run `xrdopen lab ...`; its output goes to out, its talk to err, both to talk, its exit code to code.
lab() {
    code=0
    "$XRDOPEN" lab "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    talk="lab $*: exit $code
$(cat "$work/out" "$work/err")"
}

# WHAT EXPECTED-CODE ARGUMENTS...
expect() {
    what=$1
    wanted=$2
    shift 2
    lab "$@"
    check "$what" [ "$code" -eq "$wanted" ]
}

said() { grep -qe "$1" "$work/out" "$work/err"; }                    # REGEX
line() { grep -qe "$1" "$work/out"; }
id_of() { "$XRDOPEN" lab list | sed -n "s/^\([0-9a-f]*\)  $1 .*/\1/p" | head -n 1; }       # MODE
url_of() { "$XRDOPEN" lab urls "$1" | awk -F '\t' -v name="$2" '$1 == name { print $2 }'; }      # ID NAME
servers() { grep -lsF -e "$XRDOPEN_LAB_DIR/" /proc/[0-9]*/cmdline | sed 's,/cmdline,/comm,' | xargs cat 2>/dev/null |
    grep -cE '^(xrootd|cmsd|krb5kdc)$' || :; }
measures() { "$XRDOPEN" --timeout 2s "$1" >/dev/null 2>&1; }         # URL
no() { ! "$@"; }
nothing_left() { [ "$(servers)" -eq 0 ] && [ -z "$(ls -A "$XRDOPEN_LAB_DIR")" ]; }
stray() {
    find /tmp /var/tmp -maxdepth 1 \( -name '*.env' -o -name '.xrd*' -o -name '.olb' -o -name 'krb5*' \
        -o -name 'x509up*' \) 2>/dev/null | sort
}

finish() {
    trap - EXIT INT TERM
    "$XRDOPEN" lab down all >/dev/null 2>&1
    rm -rf "$work"
}
work=$(mktemp -d /tmp/labtest.XXXXXX) || exit 1
trap finish EXIT
trap 'exit 130' INT TERM
chmod 711 "$work"
mkdir -m 711 "$work/l"
XRDOPEN_LAB_DIR=$work/l
export XRDOPEN_LAB_DIR
stray >"$work/before"

# --- words ---
expect '--help is good' 0 --help
check '--help goes to standard output' line '^usage: xrdopen lab '
expect 'no command is a usage error' 2
expect 'an unknown command is a usage error' 2 sideways
expect 'up without a mode is a usage error' 2 up
expect 'an unknown mode is a usage error' 2 up sideways
check 'and it says which modes there are' said 'plain cluster'
expect 'an unknown option is a usage error' 2 up --sideways plain
expect 'too many words are a usage error' 2 up plain plain
expect 'a path is no id' 2 down ../..
expect 'down of a lab that is not there fails' 1 down abc123
expect 'down without a lab fails' 1 down
expect 'down all without a lab is good' 0 down all
expect 'list without a lab is good' 0 list
check 'and empty' [ ! -s "$work/out" ]
expect 'seven free ports' 0 free-ports 7
check 'are seven different ones' [ "$(sort -u "$work/out" | grep -c '^[0-9][0-9]*$')" -eq 7 ]
check 'nothing was made by all that' nothing_left

# --- plain ---
expect 'up plain' 0 up plain
check 'prints one URL' [ "$(wc -l <"$work/out")" -eq 1 ]
check 'of the server data' line '^data  *root://127\.0\.0\.1:[0-9][0-9]*//data/file$'
plain=$(id_of plain)
url=$(url_of "$plain" data)
check 'the file can be measured' measures "$url"
check 'so can the small one' measures "${url%file}small"
check 'a file that is not there cannot' no measures "${url%file}nothing"
check 'nor the unreadable one' no measures "${url%file}unreadable"
tree=$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)/$plain/tree/data/data
check '/data/file has 1 MiB' [ "$(wc -c <"$tree/file")" -eq 1048576 ]
check 'that say their offset' [ "$(dd if="$tree/file" bs=16 skip=43981 count=1 2>/dev/null)" = 'offset 000abcd0' ]
check '/data/small has 13 bytes' [ "$(wc -c <"$tree/small")" -eq 13 ]
check '/data/empty has none' [ "$(wc -c <"$tree/empty")" -eq 0 ]
check '/data/dir is a folder' [ -d "$tree/dir" ]

# --- cluster, beside it ---
expect 'up cluster beside it' 0 up -v cluster
check 'prints three URLs' [ "$(grep -c '^\(manager\|data[12]\)  *root://' "$work/out")" -eq 3 ]
check '-v says how names are looked up' said 'reverse name look-ups: '
cluster=$(id_of cluster)
manager=$(url_of "$cluster" manager)
data1=$(url_of "$cluster" data1)
data2=$(url_of "$cluster" data2)
lab urls "$cluster"
check 'urls names three servers' [ "$(cut -f1 "$work/out" | tr '\n' ' ')" = 'manager data1 data2 ' ]
check 'the manager leads to the file' measures "$manager"
check 'the manager leads to the file that only data1 has' measures "${manager%one}one"
check 'the manager leads to the file that only data2 has' measures "${manager%one}two"
check 'data1 has its own' measures "${data1%file}one"
check 'data1 has not the other' no measures "${data1%file}two"
check 'data2 has its own' measures "${data2%file}two"
check 'data2 has not the other' no measures "${data2%file}one"
check 'seven servers run' [ "$(servers)" -eq 7 ]

# --- list, status ---
expect 'list' 0 list
check 'has two lines' [ "$(wc -l <"$work/out")" -eq 2 ]
check 'both are up, their creator alive' [ "$(grep -c "  up  *creator $$ alive " "$work/out")" -eq 2 ]
expect 'status of the cluster' 0 status "$cluster"
check 'shows six servers' [ "$(grep -c '^  server .* up, pid [0-9]' "$work/out")" -eq 6 ]
check 'and three URLs' [ "$(grep -c '^  url ' "$work/out")" -eq 3 ]
expect 'down without an id, with two labs, is a usage error' 2 down
check 'and names them' said "$plain"

# --- a server dies ---
kill -9 "$("$XRDOPEN" lab status "$plain" | sed -n 's/.* up, pid //p')"
sleep 0.1
expect 'status of a lab whose server died' 0 status "$plain"
check 'says that it is down' line '^  server .* down$'

# --- down ---
expect 'down of one' 0 down "$plain"
check 'leaves the other' [ "$(servers)" -eq 6 ]
check 'which still works' measures "$manager"
rm -rf "$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)/$cluster"/adm/*.pid
expect 'down needs no pid files' 0 down
check 'nothing is left' nothing_left

# --- a creator that died, and servers that hang ---
sh -c '"$XRDOPEN" lab up plain >/dev/null 2>&1; :'
lab list
check 'list says that the creator is dead' line '  up  *creator [0-9]* dead '
kill -STOP "$("$XRDOPEN" lab status | sed -n 's/.* up, pid //p')"
expect 'down ends a server that does not listen to SIGTERM' 0 down
check 'nothing is left of it' nothing_left

# --- interrupted ---
for after in 0.05 0.2 0.7; do
    timeout --preserve-status -s INT "$after" "$XRDOPEN" lab up cluster >/dev/null 2>&1
    talk="exit $?"
    check "SIGINT after $after s: exit 130" [ "$talk" = 'exit 130' ]
    check 'and nothing is left' nothing_left
done
"$XRDOPEN" lab up cluster >/dev/null 2>&1 &
sleep 0.4
kill -9 $!
wait $! 2>/dev/null
lab list
check 'a killed up leaves a lab that list calls unfinished' line ' unfinished '
expect 'down removes it' 0 down all
check 'and nothing is left of it' nothing_left

# --- folders that cannot be right ---
ln -s /etc "$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)"
expect 'a link in place of the folder is refused' 1 up plain
check 'with the reason' said 'not a folder of yours'
rm "$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)"
long=$XRDOPEN_LAB_DIR/$(printf '%080d' 0)
mkdir "$long"
lab_dir=$XRDOPEN_LAB_DIR
XRDOPEN_LAB_DIR=$long
expect 'a path too long for sockets is refused' 1 up plain
check 'with the length' said '107 characters at most'
XRDOPEN_LAB_DIR=$lab_dir
check 'and nothing is left there' [ -z "$(ls -A "$long")" ]
rmdir "$long"

# --- no xrootd ---
mkdir "$work/bin"
for tool in sh id stat cat; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done
with_path=$PATH
hidden=yes
for folder in /usr/sbin /sbin /usr/local/sbin; do [ ! -e "$folder/xrootd" ] || hidden=''; done
if [ -n "$hidden" ]; then
    code=0
    talk=$(PATH=$work/bin "$XRDOPEN" lab up plain 2>&1) || code=$?
    check 'without xrootd: exit 4' [ "$code" -eq 4 ]
    printf '%s\n' "$talk" >"$work/out"
    check 'and the package is named' line 'apt-get install xrootd-server'
fi
PATH=$with_path

# --- as an ordinary user ---
as_nobody() { (cd / && exec setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups "$@"); }
if [ "$(id -u)" -eq 0 ] && ! as_nobody test -x "$XRDOPEN" 2>/dev/null; then
    ok "as nobody # SKIP nobody cannot run $XRDOPEN"
elif [ "$(id -u)" -eq 0 ]; then
    mkdir "$work/n"
    chown nobody "$work/n"
    XRDOPEN_LAB_DIR=$work/n
    export XRDOPEN
    # shellcheck disable=SC2016  # for the inner shell
    talk=$(as_nobody sh -c '
        "$XRDOPEN" lab up plain && "$XRDOPEN" lab up cluster && [ "$("$XRDOPEN" lab list | grep -c "  up  ")" -eq 2 ] &&
        "$XRDOPEN" lab status' 2>&1)
    code=$?
    check 'as nobody: plain and cluster come up' [ "$code" -eq 0 ]
    check 'as nobody: their servers are of nobody' [ "$(printf '%s\n' "$talk" | grep -c '^  user  *nobody$')" -eq 2 ]
    url=$(printf '%s\n' "$talk" | sed -n 's/^  url  *data  *//p')
    check 'as nobody: the file can be measured' measures "$url"
    check 'as nobody: the unreadable one cannot' no measures "${url%file}unreadable"
    talk=$(as_nobody "$XRDOPEN" lab down all 2>&1)
    code=$?
    check 'as nobody: down all' [ "$code" -eq 0 ]
    check 'as nobody: nothing is left' nothing_left
    XRDOPEN_LAB_DIR=$lab_dir
fi

stray >"$work/after"
talk=$(diff "$work/before" "$work/after")
check 'no server left a file elsewhere' [ -z "$talk" ]

echo "1..$tests"
[ "$failures" -eq 0 ]
