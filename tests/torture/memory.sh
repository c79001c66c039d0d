#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# memory.sh - servers that send much, or promise to: the client's memory stays what it is with a good server, and some. Each
# is measured by the kernel (the resident set's peak), and where the executable is not built with a sanitizer, it also has
# to come to the same end in 64 MiB of address space.   (TAP)
#
# shellcheck source=tests/cases/lib.sh disable=SC2317  # what check calls
. "$(dirname "$0")/../cases/lib.sh"

# A code, the peak in KiB, the seconds, and what was said, of `xrdopen -t LIMIT URL`. The peak is at least that of the Python
# that it is forked from, some 10 MiB.
cat >"$work/run.py" <<'P'
import os, resource, subprocess, sys, time
program, limit, url, space = sys.argv[1:5]

def bound():
    if space != "0":
        resource.setrlimit(resource.RLIMIT_AS, (int(space) << 20, int(space) << 20))

begin = time.monotonic()
process = subprocess.Popen([program, "-t", limit, url], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, preexec_fn=bound)
talk = process.stderr.read().decode(errors="replace")
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, "%.3f" % (time.monotonic() - begin), talk.replace("\n", " "))
P

run() { # SERVER LIMIT SPACE
    "$python3" "$work/run.py" "$XRDOPEN" "$2" "$(url "$1")" "$3" >"$work/facts"
    # shellcheck disable=SC2034  # left over
    read -r ran peak elapsed talk <"$work/facts"
    last="xrdopen -t $2 ($1)"
    cp "$work/facts" "$out"
    : >"$err"
}

sanitized() { grep -q __asan_init "$XRDOPEN"; }
in_time() { awk -v got="$elapsed" -v limit="${1%s}" 'BEGIN { exit !(got <= limit + 1.5) }'; }
bounded() { [ "$peak" -le $((good_peak + $1)) ]; }
says() { printf '%s\n' "$talk" | grep -qE -e "$1"; }

# Servers of the table on standard input: name, limit, exit code, pattern of the message.
bounds() { # SCRIPT
    imposter "$XRDOPEN_SOURCE/tests/torture/$1"
    while read -r server limit wanted pattern; do
        run "$server" "$limit" 0
        check "$server: exit $wanted" [ "$ran" -eq "$wanted" ]
        check "$server: says $pattern" says "$pattern"
        check "$server: in time" in_time "$limit"
        check "$server: at most 4 MiB more than with a good server" bounded 4096
        if sanitized; then continue; fi
        run "$server" "$limit" 64
        check "$server: the same in 64 MiB" [ "$ran" -eq "$wanted" ]
    done
    imposter_end
}

imposter "$XRDOPEN_SOURCE/tests/torture/more.imp"
run good 20s 0
check 'a good server' [ "$ran" -eq 0 ]
good_peak=$peak

bounds framing.imp <<'T'
r05a 10s 1 longer than any of its kind
r05b 10s 1 more data than was asked for
r06a 10s 1 negative length
r08c 10s 1 too many answers that nobody waits for
r46b 1s 1 time limit passed
T
bounds answers.imp <<'T'
r12a 10s 1 more data than was asked for
r12c 10s 1 answer is too long
r13a 10s 1 again and again
r14a 10s 1 more data than was asked for
r25c 10s 1 longer than any of its kind
T
bounds redirects.imp <<'T'
r32c 10s 1 longer than any of its kind
r32e 10s 1 longer than any of its kind
r38a 1s 1 no progress
T
bounds connect.imp <<'T'
r55c 10s 1 longer than any of its kind
T
bounds more.imp <<'T'
r08f 20s 0 ^$
r25d 10s 1 3011 NotFound: long long
r25e 10s 1 longer than any of its kind
r32h 10s 1 longer than any of its kind
r55e 10s 1 longer than any of its kind
r05k 10s 1 longer than any of its kind
r05l 10s 1 longer than any of its kind
r40b 1s 1 time limit passed|again
T

finish
