#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# completion-manual.sh - parser, --help, completion and manual pages say the same.
# XRDOPEN=... sh tests/cli/completion-manual.sh  (TAP)
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

man=$XRDOPEN_SOURCE/man
commands=$("$XRDOPEN" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
check 'there are commands' [ "$(echo "$commands" | wc -l)" -ge 6 ]

# The options of --help, a line each: long, and short where there is one.
options() { # COMMAND
    "$XRDOPEN" "$1" --help | sed -n 's/^  \(-[a-zA-Z0-9],\|   \) \(--[a-z0-9-]*\).*/\1 \2/p' | tr -d ', ' |
        sed 's/^\(-[a-zA-Z0-9]\)\(--.*\)/\1 \2/' | tr ' ' '\n' | sort
}

# Those of a manual page, from the list that describes them: in mdoc each word behind Fl is an option, up to the next
# macro.
page_options() { # PAGE
    awk '$1 == ".It" && $2 == "Fl" {
        option = 1
        for (i = 3; i <= NF; i++)
            if ($i ~ /^[A-Z][a-z]$/) option = $i == "Fl"
            else if (option && $i ~ /[a-z0-9]/) print "-" $i
    }' "$1" | sort -u
}

# --- manual pages ---
for command in $commands; do
    page=$man/xrdopen-$command.1
    if [ "$command" = once ] && [ ! -e "$page" ]; then page=$man/xrdopen.1; fi
    if [ ! -e "$page" ]; then
        skip "$command: its options are in its manual page" "no ${page##*/} yet"
        continue
    fi
    options "$command" >"$work/help"
    page_options "$page" >"$work/page"
    comm -23 "$work/help" "$work/page" >"$out"
    : >"$err"
    last="in --help of $command, not in ${page##*/}"
    check "$command: its options are in its manual page" [ ! -s "$out" ]
    comm -13 "$work/help" "$work/page" >"$out"
    last="in ${page##*/}, not in --help of $command"
    check "$command: and its manual page has no others" [ ! -s "$out" ]
done
check 'there are manual pages' [ -e "$man/xrdopen-lab.1" ]
for page in "$man"/*.[1-8]; do
    if command -v mandoc >/dev/null; then
        last="mandoc -Tlint -Wwarning ${page##*/}"
        code=0
        mandoc -Tlint -Wwarning "$page" >"$out" 2>"$err" || code=$?
        check "${page##*/}: mandoc finds nothing" [ "$code:$(wc -c <"$out")" = 0:0 ]
    else
        skip "${page##*/}: mandoc finds nothing" 'no mandoc here'
    fi
    name=${page##*/}
    last="$name"
    check "$name: is of its name" grep -qi "^\.Dt ${name%.*} ${name##*.}\$" "$page"
    case $name in
        xrdopen-results.*|xrdopen-imposter.5|xrdopen.1|runxrdopen.1) ;;
        xrdopen-*.1) command=${name#xrdopen-}
            check "$name: is of a command" grep -qx "${command%.1}" <<C
$commands
C
            ;;
    esac
done

# --- completion ---
expect 'completion' 0 completion
cp "$out" "$work/completion"
if ! command -v bash >/dev/null; then
    skip 'completion in bash' 'no bash here'
    finish
fi
check 'bash takes it' bash -n "$work/completion"
completion_of() { # WORDS...: the last is completed
    # shellcheck disable=SC2016  # for bash
    bash -c 'cd "${1%/*}"; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xrdopen; printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$work/completion" "$@" >"$out" 2>"$err"
    last="completion of: $*"
}
for command in $commands; do
    options "$command" | grep -- '^--' >"$work/help"
    "$XRDOPEN" "$command" --help | grep -q -- ' --help ' && echo --help >>"$work/help"
    completion_of xrdopen "$command" --
    sort -u "$out" >"$work/completed"
    sort -u "$work/help" >"$work/wanted"
    check "$command: completion has the options of --help, and no others" cmp -s "$work/completed" "$work/wanted"
done
completion_of xrdopen ''
for command in $commands; do check "completion has the command $command" line "^$command\$"; done
completion_of xrdopen ru
check 'ru is run' [ "$(cat "$out")" = run ]
completion_of "$work/runxrdopen" --perc
check 'runxrdopen has the options of run' line '^--percentiles$'
completion_of xrdopen "$XRDOPEN_SOURCE/man/xrdopen-la"
check 'files are completed' line '/man/xrdopen-lab\.1$'

finish
