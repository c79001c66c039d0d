#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck disable=SC2034  # what is set here is used in the other parts
#
# lab.sh - real XRootD servers on loopback: start them, show them, take them away without a trace.
#
# This file and those named below are one script, in this order: lab.sh, up.sh, modes.sh, credentials.sh, secure.sh,
# commands.sh. It is part of the executable (xrdopen lab ...), which runs it with `sh -c TEXT xrdopen-lab ARGUMENTS` and
# sets XRDOPEN to its own path; so nothing here may rely on $0 or on a file beside this one.
#
# A lab is a folder, BASE/xrdopen-lab-UID/ID, and the servers whose command line names a file in it. That is how they
# are found again: no list of pids can be lost, and a lab is as good as its folder. In the folder:
#
#     lab              facts, one "key value" per line     hosts, nsswitch.conf   what the servers see in /etc
#     urls             name TAB url; written when ready    log/NAME/DAEMON.log    the servers' logs
#     NAME.cfg         configuration of server NAME        adm/                   their sockets and pid files
#     NAME.out         what it said before its log         tree/NAME/data/...     the files they serve
#     env              what clients need, NAME=VALUE       (and what credentials.sh says)
#
# A mode is a function mode_MODE, which may use: ports, tree, config, start, await, url. See modes.sh and secure.sh.
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL=C

: "${XRDOPEN:=xrdopen}"
# each has a function mode_MODE
modes='plain cluster tls host unix sss krb5 gsi ztn gsitls many fallback signed securecluster badtls all'
limit=3000                      # hundredths of a second in which a lab must be ready
rescue=140                      # ... after which a member of a cluster that has not joined is started again
grace=30                        # ... between SIGTERM and SIGKILL
verbose=''
dir=''                          # the folder of the lab being worked on
begun=''                        # set while a lab is half built: whatever ends the script removes it
taken=''                        # set when a port was taken meanwhile
engines=wire                    # those that probe tries
answer_time=500ms               # for an answer to it
secured_lines=''                # what all servers of a mode have in their configuration besides

# --- talk -------------------------------------------------------------------------------------------------------------

warn() { printf 'xrdopen: lab: %s\n' "$*" >&2; }
say() { if [ -n "$verbose" ]; then warn "$@"; fi; }

die() { # CODE TEXT...
    code=$1
    shift
    warn "$@"
    exit "$code"
}

# The end of a log, on standard error, whatever bytes it holds.
show_log() { # FILE
    [ -s "$1" ] || return 0
    printf '  %s ends with:\n' "$1" >&2
    tail -n 12 "$1" | tr -c '[:print:]\n' '?' | sed 's/^/    /' >&2
}

# --- small things -----------------------------------------------------------------------------------------------------

# Sets now: hundredths of a second since boot. No process, unlike date(1), and nobody can set it back.
clock() {
    read -r now _ </proc/uptime
    now=${now%.*}${now#*.}
    while [ "${now#0}" != "$now" ] && [ -n "${now#0}" ]; do now=${now#0}; done
}

# Sets started: when process PID began, in ticks since boot. Fails when there is none (a zombie is none).
start_time() { # PID
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
    # shellcheck disable=SC2086  # fields; the first two are gone, since the second may hold blanks
    set -- ${stat##*) }
    [ "$1" != Z ] || return 1
    started=${20}
}

# Is it still the same process PID that began at TICKS?
alive() { # PID TICKS
    start_time "$1" && [ "$started" = "$2" ]
}

one_of() { # WORD WORDS
    case " $2 " in *" $1 "*) return 0 ;; esac
    return 1
}

# The value of KEY in the facts of lab DIR.
fact() { # DIR KEY
    { while read -r key value; do
        if [ "$key" = "$2" ]; then printf '%s\n' "$value"; fi
    done <"$1/lab"; } 2>/dev/null || :
}

# --- where labs are ---------------------------------------------------------------------------------------------------

# Sets base, the folder of all labs of this user. It need not exist.
find_base() {
    uid=$(id -u)
    gid=$(id -g)
    wanted=${XRDOPEN_LAB_DIR:-${TMPDIR:-/tmp}}
    parent=$(cd -P -- "$wanted" 2>/dev/null && pwd -P) ||
        die 1 "$wanted: no such folder, or no way into it (it is from XRDOPEN_LAB_DIR or TMPDIR)"
    base=${parent%/}/xrdopen-lab-$uid
    case $base in
        *[!A-Za-z0-9_./@+=,:%-]*) die 1 "$base: a character in this path cannot stand in xrootd's configuration;" \
            "set XRDOPEN_LAB_DIR to another folder" ;;
    esac
    check_base
}

# Someone else may have made the folder, or a link, under our name in /tmp: nothing is read or written there then.
check_base() {
    if [ ! -e "$base" ] && [ ! -L "$base" ]; then return 0; fi
    if [ -L "$base" ] || [ ! -d "$base" ] || [ ! -O "$base" ]; then
        die 1 "$base: not a folder of yours (perhaps put there by someone else);" \
            "set XRDOPEN_LAB_DIR to a folder of your own"
    fi
    case $(stat -c %A "$base") in
        d????w????|d???????w?) die 1 "$base: others may write here; remove it, or chmod go-w" ;;
    esac
}

# The ids of all labs, one per line.
ids() {
    for path in "$base"/*/; do
        path=${path%/}
        id=${path##*/}
        case $id in *[!A-Za-z0-9]*) continue ;; esac
        if [ -d "$path" ] && [ ! -L "$path" ]; then printf '%s\n' "$id"; fi
    done
}

# Sets id and dir from what the user named; without a name, the only lab there is.
choose() { # COMMAND [ID]
    id=${2-}
    if [ -z "$id" ]; then
        # shellcheck disable=SC2046  # ids hold no blanks
        set -- "$1" $(ids)
        if [ $# -eq 1 ]; then die 1 "$1: no lab is up"; fi
        if [ $# -gt 2 ]; then
            command=$1
            shift
            die 2 "$command: there are several labs, name one: $*"
        fi
        id=$2
    fi
    case $id in *[!A-Za-z0-9]*) die 2 "$1: $id: not the id of a lab" ;; esac
    dir=$base/$id
    if [ ! -d "$dir" ]; then die 1 "$1: $id: no such lab (xrdopen lab list shows them)"; fi
}

# --- the servers of a lab ---------------------------------------------------------------------------------------------

# A line "PID DAEMON NAME" for every server of lab DIR that runs, found by its command line. Someone who reads a log of
# the lab names the folder too, so the program must be a server; and it must belong to us or to the user that servers
# run as.
servers_of() { # DIR
    owner=$(fact "$1" uid)
    { grep -lsF -e "$1/" /proc/[0-9]*/cmdline || :; } | while IFS=/ read -r _ _ pid _; do
        { read -r daemon <"/proc/$pid/comm"; } 2>/dev/null || continue
        case $daemon in xrootd|cmsd|krb5kdc) ;; *) continue ;; esac
        its=$(stat -c %u "/proc/$pid" 2>/dev/null) || continue
        if [ "$its" != "$uid" ] && [ "$its" != "$owner" ]; then continue; fi
        if [ "$daemon" = krb5kdc ]; then name=kdc
        else name=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | sed -n '/^-n$/{n;p;}') || continue; fi
        if [ -n "$name" ]; then printf '%s %s %s\n' "$pid" "$daemon" "$name"; fi
    done
}

# The pids of the servers of lab DIR, or of its server NAME only.
pids_of() { # DIR [NAME]
    servers_of "$1" | while read -r pid _ name; do
        if [ -z "${2-}" ] || [ "$2" = "$name" ]; then printf '%s ' "$pid"; fi
    done
}

# End them, and come back only when they are gone. Fails when one cannot be ended.
stop_servers() { # DIR [NAME]
    signal=TERM
    clock
    kill_at=$((now + grace))
    give_up=$((now + grace + 300))
    while pids=$(pids_of "$@"); [ -n "$pids" ]; do
        clock
        if [ "$now" -ge "$give_up" ]; then return 1; fi
        if [ "$now" -ge "$kill_at" ]; then signal=KILL; fi
        if [ -n "$signal" ]; then
            # shellcheck disable=SC2086  # several pids
            kill -s "$signal" $pids 2>/dev/null || :
            if [ "$signal" = TERM ]; then signal=''; fi
        fi
        sleep 0.02
    done
}

# Take away the servers and the folder of lab DIR, and the folder above it when that was the last.
remove() { # DIR
    if ! stop_servers "$1"; then
        warn "down: ${1##*/}: cannot end the servers with pid: $(pids_of "$1")"
        return 1
    fi
    rm -rf -- "$1" 2>/dev/null || :
    if [ -e "$1" ]; then
        warn "down: ${1##*/}: cannot remove $1"
        return 1
    fi
    rmdir -- "$base" 2>/dev/null || :
}

