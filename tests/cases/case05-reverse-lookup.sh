#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case05-reverse-lookup.sh - the server looks up its client before it says anything: a fast connect and a slow
# handshake, for each client, and for one of twenty.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case05-reverse-lookup.imp" --set lookup=500ms

take -t 20s -- S
check 'exit 0' [ "$code" -eq 0 ]
judge <<'P'
op = sample["first_open"]
hops(op, "S answered")
times(op, {(0, "handshake"): 0.5})
between("the address answers at once", op.tries[0]["spent_ns"] / 1e9, 0, QUIET)
rest_is_quiet(sample, "first_open")
P

# --- every 20th: two peaks, not a mean ---
take -t 20s -n 40 -- E
check 'forty samples: exit 0' [ "$code" -eq 0 ]
judge <<'P'
slow = [one for one in all_samples if one["first_open"].total >= 0.5]
equal("forty samples, two of them slow", (len(all_samples), len(slow)), (40, 2))
for one in slow:
    times(one["first_open"], {(0, "handshake"): 0.5})
quick = sorted(one["first_open"].total for one in all_samples if one not in slow)
between("half of the others are very quick", quick[len(quick) // 2], 0, 0.1)
P

finish
