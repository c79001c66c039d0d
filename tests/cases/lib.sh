# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154  # set by ../lib.sh
#
# lib.sh - what the tests of the client against the imposter share: an imposter, samples of its servers, and a judge of
# their records (judge.py). A test begins with
#
#     . "$(dirname "$0")/../cases/lib.sh"
#
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

cases=$XRDOPEN_SOURCE/tests/cases
imposter_pid=''
imposter_said=/dev/null

# Start the imposter of SCRIPT; the one before ends. Its servers are in $work/servers. No delay has to be exact to the
# microsecond here, so it does not spin: processors are few.
imposter() { # SCRIPT [OPTION...]
    imposter_end
    rm -f "$work/servers"
    imposter_said=$work/imposter.err
    "$XRDOPEN" imposter --no-spin --duration 115s --port-file "$work/servers" "$@" >/dev/null 2>"$imposter_said" </dev/null &
    imposter_pid=$!
    pids="$pids $imposter_pid"
    if ! within 20 test -s "$work/servers"; then
        sed 's/^/# /' "$imposter_said"
        bail "no imposter of $1"
    fi
}

# It has to end as it is told, without a report of a sanitizer.
imposter_end() {
    if [ -z "$imposter_pid" ]; then return; fi
    kill -TERM "$imposter_pid" 2>/dev/null
    wait "$imposter_pid" 2>/dev/null
    ended=$?
    pids=$(printf '%s\n' "$pids" | sed "s/ $imposter_pid\$//")
    imposter_pid=''
    if [ "$ended" -ne 130 ] || [ -s "$imposter_said" ]; then
        last=''
        not_ok "the imposter ends as told (exit $ended)"
        head -n 20 "$imposter_said" | sed 's/^/#   /'
    fi
}

at_exit() { imposter_end >/dev/null; }

# "host:port" of a server, of its first address or the one that is given.
at() { # SERVER [ADDRESS]
    awk -v name="$1" -v address="${2-}" '
        $1 == name && (address == "" || index($2, address ":") == 1) { print $2; exit }' "$work/servers"
}

url() { printf 'root://%s//data/file\n' "$(at "$1")"; }     # SERVER
port_of() { at "$1" | sed 's/.*://'; }                      # SERVER

# A sample of each target, kept with all its hops whether it is good or not, for the judge. A server's name stands for
# LABEL=URL, and so does LABEL=SERVER.
take() { # [OPTION...] -- TARGET...
    rm -f "$work/samples.jsonl"
    : >"$work/targets"
    count=$#
    while [ "$count" -gt 0 ]; do
        word=$1
        shift
        count=$((count - 1))
        if [ "$word" = -- ]; then break; fi
        set -- "$@" "$word"
    done
    while [ "$count" -gt 0 ]; do
        case $1 in
        *://*) printf '%s\n' "$1" ;;
        *=*) printf '%s=%s\n' "${1%%=*}" "$(url "${1#*=}")" ;;
        *) printf '%s=%s\n' "$1" "$(url "$1")" ;;
        esac >>"$work/targets"
        shift
        count=$((count - 1))
    done
    measure "$@"
}

# The same of the targets in $work/targets.
measure() { # OPTION...
    rm -f "$work/samples.jsonl"
    x run --count 1 --output "$work/samples.jsonl" --targets "$work/targets" "$@"
    "$XRDOPEN" report --csv "$work/samples.jsonl" >"$work/samples.csv" 2>>"$err"
}

# A sample of one target by `once`: its record, when it is good, and its talk.
take_once() { # ARGUMENT...
    x --json "$@"
    { cat "$out"; echo; } >"$work/samples.jsonl"
    : >"$work/samples.csv"
}

# Run the expectations on standard input (Python, with what judge.py gives) over what was taken last.
judge() { judge_with ''; }

judge_with() { # ARGUMENT...
    last=''
    "$python3" -B "$cases/judge.py" "$work" "$@" >"$work/verdicts" 2>"$work/judge.err" ||
        { echo 'not ok - the judge comes to its end'; sed 's/^/#   /' "$work/judge.err"; } >>"$work/verdicts"
    while IFS= read -r verdict; do
        case $verdict in
        'ok - '*) ok "${verdict#ok - }" ;;
        'not ok - '*) not_ok "${verdict#not ok - }" ;;
        *) printf '%s\n' "$verdict" ;;
        esac
    done <"$work/verdicts"
}

has_ipv6() { "$python3" -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; }
