# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034  # what is set here is for the tests
#
# lib.sh - what the tests of the programs share: TAP, a folder of their own, servers, and the end of it all. A test
# begins with
#
#     . "$(dirname "$0")/../lib.sh"
#
# and ends with `finish`. XRDOPEN is the executable to test, XRDOPEN_SOURCE the tree. Whatever ends the test, what it
# started is ended and what it made is removed: pids started go into `pids`, further work into a function `at_exit`.
set -u
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
# The official library looks up the names of all addresses at its start; a bad resolver is not what is tested here.
RES_OPTIONS='timeout:1 attempts:1'
export LC_ALL PATH RES_OPTIONS
: "${XRDOPEN_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${XRDOPEN:=$XRDOPEN_SOURCE/build/xrdopen}"
tests=0
failures=0
code=0
pids=''

bail() { # WHY
    printf 'Bail out! %s\n' "$1"
    exit 1
}

skip_all() { # WHY
    printf '1..0 # SKIP %s\n' "$1"
    exit 0
}

# --- TAP --------------------------------------------------------------------------------------------------------------

ok() { # WHAT
    tests=$((tests + 1))
    printf 'ok %d - %s\n' "$tests" "$1"
}

# With what the last command said, in a form that no harness takes for results.
not_ok() { # WHAT
    tests=$((tests + 1))
    failures=$((failures + 1))
    printf 'not ok %d - %s\n' "$tests" "$1"
    if [ -n "${last-}" ]; then
        printf '# %s: exit %s\n' "$last" "$code"
        head -n 40 "$out" | sed 's/^/#   out: /'
        head -n 40 "$err" | sed 's/^/#   err: /'
    fi
}

check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then ok "$what"; else not_ok "$what"; fi
}

skip() { # WHAT WHY
    tests=$((tests + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tests" "$1" "$2"
}

finish() {
    printf '1..%d\n' "$tests"
    [ "$failures" -eq 0 ]
    exit
}

# --- running it -------------------------------------------------------------------------------------------------------

# Run xrdopen; its output goes to $out, its talk to $err, its exit code to code. A sanitizer's report is a failure of its
# own, whatever else the test looks at.
x() { # ARGUMENTS...
    last="xrdopen $*"
    code=0
    timeout --foreground -k 5 120 "$XRDOPEN" "$@" >"$out" 2>"$err" </dev/null || code=$?
    sane
}

sane() {
    if grep -qE 'runtime error:|ERROR: [A-Za-z]*Sanitizer' "$err"; then not_ok 'no report of a sanitizer'; fi
}

expect() { # WHAT CODE ARGUMENTS...
    what=$1
    wanted=$2
    shift 2
    x "$@"
    check "$what: exit $wanted" [ "$code" -eq "$wanted" ]
}

# It fails with CODE, one message that begins as all do and matches REGEX, and nothing on standard output.
refuses() { # WHAT CODE REGEX ARGUMENTS...
    what=$1
    wanted=$2
    regex=$3
    shift 3
    x "$@"
    check "$what" refused "$wanted" "$regex"
}

refused() { # CODE REGEX
    [ "$code" -eq "$1" ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q '^xrdopen: ' "$err" && said "$2"
}

said() { grep -qE -e "$1" "$err"; }                 # REGEX, on standard error
line() { grep -qE -e "$1" "$out"; }                 # REGEX, on standard output
silent() { [ ! -s "$err" ]; }
not() { ! "$@"; }
is_root() { [ "$(id -u)" -eq 0 ]; }
has_engine() { "$XRDOPEN" version | grep -qE "^engine $1 .*, library "; }       # NAME

# Run python on the program on standard input; what it says goes to $out.
python() { # ARGUMENTS...
    last="python $1"
    code=0
    "$python3" - "$@" >"$work/python" 2>&1 || code=$?
    cp "$work/python" "$out"    # not before: it may have been its input
    return "$code"
}

# Until the command is true, at most SECONDS.
within() { # SECONDS COMMAND...
    tries=$(($1 * 20))
    shift
    while ! "$@"; do
        tries=$((tries - 1))
        if [ "$tries" -le 0 ]; then return 1; fi
        sleep 0.05
    done
}

# Is there a process, other than a dead one, with this text in its command line, and this whole word, if it is given?
has_process() { # TEXT [WORD]
    places=$(grep -lsF -e "$1" /proc/[0-9]*/cmdline)
    # shellcheck disable=SC2086  # these paths hold no blanks
    if [ $# -gt 1 ]; then places=$(grep -lszxF -e "$2" /dev/null $places); fi
    for place in $places; do
        if grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "${place%cmdline}status"; then return 0; fi
    done
    return 1
}

# --- servers ----------------------------------------------------------------------------------------------------------

# Start the server that the python program on standard input is; it prints its port once it listens. Sets port.
serve() {
    server_count=$((${server_count-0} + 1))
    cat >"$work/server$server_count.py"
    "$python3" "$work/server$server_count.py" >"$work/port$server_count" 2>"$work/server$server_count.log" </dev/null &
    pids="$pids $!"
    within 10 test -s "$work/port$server_count" || bail "a server of the test does not start"
    port=$(cat "$work/port$server_count")
}

# Start a lab of MODE, and set lab to its id, tree to its folder of trees, data1, data2, manager or data to what stands
# before the path in their URLs.
start_lab() { # MODE
    if ! command -v xrootd >/dev/null || ! command -v cmsd >/dev/null; then
        skip_all 'no xrootd here: apt-get install xrootd-server'
    fi
    "$XRDOPEN" lab up "$1" >"$out" 2>"$err" </dev/null || { cat "$err"; bail 'no lab'; }
    read_lab
}

read_lab() {
    lab=$("$XRDOPEN" lab list | cut -d ' ' -f 1)
    tree=$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)/$lab/tree
    tab=$(printf '\t')
    while IFS=$tab read -r server url; do
        eval "$server=\${url%/data/*}"
    done <"$XRDOPEN_LAB_DIR/xrdopen-lab-$(id -u)/$lab/urls"
}

# --- beginning and end ------------------------------------------------------------------------------------------------

at_exit() { :; }

leave() {
    status=$?
    trap - EXIT
    trap '' INT TERM HUP
    at_exit
    # shellcheck disable=SC2086  # several pids
    if [ -n "$pids" ]; then kill -9 $pids 2>/dev/null; fi
    "$XRDOPEN" lab down all >/dev/null 2>&1 </dev/null
    rm -rf "$work"
    exit "$status"
}

python3=$(PATH=/usr/bin:$PATH command -v python3) || skip_all 'no python3 here'
XRDOPEN=$(cd "$(dirname "$XRDOPEN")" 2>/dev/null && pwd)/${XRDOPEN##*/}
[ -x "$XRDOPEN" ] || bail "no executable: set XRDOPEN to it ($XRDOPEN)"
work=$(mktemp -d /tmp/xrdopen.XXXXXX) || exit 1
out=$work/out
err=$work/err
trap leave EXIT
trap 'exit 130' INT TERM HUP
chmod 711 "$work"
mkdir -m 711 "$work/l"
: >"$out"
: >"$err"
XRDOPEN_LAB_DIR=$work/l
export XRDOPEN XRDOPEN_SOURCE XRDOPEN_LAB_DIR
