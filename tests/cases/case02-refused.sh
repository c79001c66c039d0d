#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case02-refused.sh - a closed port, directly and behind a manager: said in the first second, with the address.
# (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case02-refused.imp"

take -t 20s -- X
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "X broken")
error(op, status="connect", phase="connect", hop=0, errno=111, limit=None)
tries(op, [("127.0.0.1 failed", 0)])
equal("errno of hop and address", (op.hops[0].get("errno"), op.tries[0].get("errno")), (111, 111))
times(op, {})
between("in the first second", sample.total, 0, 0.9)
matches("the message", sample.message, r"^connect: 127\.0\.0\.1:\d+ refused: Connection refused$")
equal("no op comes after it", list(sample.ops), ["first_open"])
P

# --- behind a manager that names no other: back to it each time, up to the limit, and the reason is not lost ---
take -t 20s -- M
check 'behind a manager: exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, ", ".join(["M redirected, X broken"] * 8 + ["M redirected"]))
error(op, status="redirects", hop=16)
equal("each of its attempts is kept", [(one["outcome"], one.get("errno")) for one in op.tries],
      [("connected", None)] + [("failed", 111)] * 8)
equal("servers met again are known", [hop.get("same_as") for hop in op.hops], [None, None] + [0, 1] * 7 + [0])
between("in the first second", sample.total, 0, 0.9)
matches("the message says the limit", sample.message, r"redirect limit")
matches("the message says what has failed on the way", sample.message, r"127\.0\.0\.1:\d+ refused")
P

x "$(url X)"
check 'once: exit 1, nothing on standard output' refused 1 'connect: 127\.0\.0\.1:[0-9]+ refused: Connection refused$'

finish
