#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case07-circle.sh - chains and circles: every hop in its order, servers met again known, also by another name, the
# one that is dead named; chains of 1, 3 and 16 redirects are followed, the 17th is not.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case07-circle.imp" --set wait=0

take -t 30s -- A E L
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = samples["A"]["first_open"]
round = "A redirected, B redirected, C redirected, D broken"
hops(op, ", ".join([round] * 4 + ["A redirected"]))
waits(op, [(0, False, "", 0.01)] * 6)
equal("A is met again, with all behind it", [hop.get("same_as") for hop in op.hops], [None] * 4 + [0, 1, 2, 3] * 3 + [0])
equal("the edge that breaks it: C to D", [(name_of(hop), hop.get("errno")) for hop in op.hops if hop.get("ending") == "broken"],
      [("D", 111)] * 4)
error(op, status="redirects", hop=16)
matches("the message names D", samples["A"].message, r"127\.0\.0\.1:%d refused" % op.hops[3]["port"])

op = samples["E"]["first_open"]
hops(op, ", ".join(["E redirected, F redirected"] * 8 + ["E redirected"]))
equal("E and F are met again and again", [hop.get("same_as") for hop in op.hops], [None, None] + [0, 1] * 7 + [0])
error(op, status="redirects", hop=16)
matches("the message does not make 17 servers of two", samples["E"].message, r"redirect limit.* 2 servers")

op = samples["L"]["first_open"]
hops(op, ", ".join(["L redirected"] * 17))
equal("L is L", [hop.get("same_as") for hop in op.hops], [None] + [0] * 16)
equal("one connection for all of it", [len(op.tries), [hop.get("reused", False) for hop in op.hops]], [1, [False] + [True] * 16])
for one in all_samples:
    between(one.label + " ends at once, long before the limit", one.total, 0, 2)
    equal(one.label + ": no op comes after it", list(one.ops), ["first_open"])
P

# --- chains that end well; two names of one server; many servers over two opens ---
{
    echo 'file /data/file'
    server=1
    while [ "$server" -le 17 ]; do
        printf 'server S%d manager\n    on open: redirect S%d\n' "$server" $((server + 1))
        server=$((server + 1))
    done
    cat <<'I'
server S18
server first-then manager
    on open count 1: redirect S3
    on open: redirect T1
I
    server=1
    while [ "$server" -le 9 ]; do
        printf 'server T%d manager\n    on open: redirect T%d\n' "$server" $((server + 1))
        server=$((server + 1))
    done
    echo 'server T10'
} >"$work/chains.imp"
imposter "$work/chains.imp"
take -t 30s -- S17 S15 S2 S1 first-then
judge <<'P'
def chain(first, last, end="answered"):
    return ", ".join(["S%d redirected" % i for i in range(first, last)] + ["S%d %s" % (last, end)])

for first, redirects in (("S17", 1), ("S15", 3), ("S2", 16)):
    one = samples[first]
    hops(one["first_open"], chain(18 - redirects, 18), "%d redirects:" % redirects)
    hops(one["second_open"], chain(18 - redirects, 18), "%d redirects:" % redirects)
    times(one["first_open"], {})
    rest_is_quiet(one, "first_open")
op = samples["S1"]["first_open"]
hops(op, chain(1, 17, "redirected"), "17 redirects are one too many:")
error(op, status="redirects", hop=16)
one = samples["first-then"]
hops(one["first_open"], "first-then redirected, " + chain(3, 18))
if "second_open" in one.ops:
    hops(one["second_open"], "first-then redirected, " + ", ".join(["T%d redirected" % i for i in range(1, 10)] + ["T10 answered"]))
check("two opens may meet more servers than one", one.error is None, one.message)
P

# --- a circle through two names of one address is one server ---
cat >"$work/alias.imp" <<'I'
file /data/file
set name two.test
server P manager
    host $name
    on open count 1-2: redirect self
    on open: redirect Q
server Q
I
imposter "$work/alias.imp"
take -t 20s --resolve one.test=127.0.0.1 --resolve two.test=127.0.0.1 -- "P=root://one.test:$(port_of P)//data/file"
judge <<'P'
op = sample["first_open"]
hops(op, "P redirected, P redirected, P redirected, Q answered")
equal("two names, one server", ([hop["host"] for hop in op.hops[:3]], [hop.get("same_as") for hop in op.hops]),
      (["one.test", "two.test", "two.test"], [None, 0, 1, None]))
P

finish
