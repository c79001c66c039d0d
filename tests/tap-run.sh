#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# tap-run.sh - run a test that prints TAP, and judge it:  sh tap-run.sh SCRIPT [ARGUMENT...]
#
# Its lines are printed as they come, then one line that sums them up. Exit 0: good. 77: it skipped itself ("1..0 # SKIP
# why"). 1: a line begins with "not ok", nothing was ok, its plan is not what it did, it bailed out, or it exited with
# another code than 0.
set -u
if [ $# -lt 1 ]; then
    echo 'usage: tap-run.sh SCRIPT [ARGUMENT...]' >&2
    exit 2
fi
code=$(mktemp) || exit 2
trap 'rm -f "$code"' EXIT
trap 'exit 130' INT TERM HUP

# The script's code goes through a file: a pipe's status is that of its last command.
{ sh "$@" </dev/null; echo $? >"$code"; } | awk -v script="${1##*/}" -v code_file="$code" '
    function wrong(what) { faults = faults (faults == "" ? "" : ", ") what }
    { print; fflush() }
    /^ok([ \t]|$)/          { good++; if ($0 ~ /# *[Ss][Kk][Ii][Pp]/) skipped++ }
    /^not ok([ \t]|$)/      { bad++; failed = failed "\n#   " $0 }
    /^1\.\.[0-9]+/          { planned = substr($1, 4) + 0; plan = 1; whole = $0 ~ /^1\.\.0.*# *[Ss][Kk][Ii][Pp]/ }
    /^Bail out!/            { wrong("it bailed out") }
    END {
        exit_code = "none"
        getline exit_code < code_file
        if (whole && !good && !bad && exit_code == 0) {
            print "# " script ": skipped"
            exit 77
        }
        if (bad) wrong(bad " failed")
        if (!good) wrong("nothing was ok")
        if (plan && planned != good + bad) wrong("planned " planned ", did " good + bad)
        if (exit_code != 0) wrong("exit code " exit_code)
        printf "# %s: %d ok, %d not ok, %d skipped: %s%s\n", script, good, bad, skipped, faults == "" ? "good" : faults, failed
        exit faults != ""
    }'
