#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case12-creations.sh - every new file is put off once and then redirected: one client, file after file. (This client
# opens for reading; the waits are the same.)   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$work/new-files.imp" <<'I'
set wait 1
file /data/* size 1k
server M manager
    on open first 1 per path: wait $wait "no space selected yet"
    on open: redirect D
server D
I
imposter "$work/new-files.imp"

new() { printf '%s=root://%s//data/%s\n' "$1" "$(at M)" "$1"; }      # FILE
take -t 20s --seed 1 -- "$(new one)" "$(new two)" "$(new three)"
check 'three files: exit 0' [ "$code" -eq 0 ]
judge <<'P'
for one in all_samples:
    op = one["first_open"]
    hops(op, "M redirected, D answered")
    waits(op, [(1, False, "no space selected yet", 1.0)])
    times(op, {(0, "wait"): 1.0})
    hops(one["second_open"], "M redirected, D answered")
    rest_is_quiet(one, "first_open")
spent = sum(one["first_open"].total for one in all_samples)
ordered = sum(one["first_open"].phases[0, "wait"] for one in all_samples)
between("share of the time in ordered waits", ordered / spent, 0.8, 1)
P

# --- the same through `once`, one file after the other ---
for file in four five; do
    take_once -t 20s "root://$(at M)//data/$file"
    judge <<'P'
waits(sample["first_open"], [(1, False, "no space selected yet", 1.0)])
times(sample["first_open"], {(0, "wait"): 1.0})
rest_is_quiet(sample, "first_open")
P
done

finish
