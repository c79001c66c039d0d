#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# case11-tls-only-pool.sh - a door sends its clients to a pool that demands TLS and closes on who comes without: which of the
# two servers wants what, hop by hop, and that no login went there in the clear.   (TAP)
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/lib.sh"

imposter "$cases/case11-tls-only-pool.imp"
X509_CERT_DIR=$work
export X509_CERT_DIR

# --- a client with TLS: it asks for what was announced, and the pool does not begin it ---
take -t 20s -- M
check 'exit 1' [ "$code" -eq 1 ]
judge <<'P'
op = sample["first_open"]
hops(op, "M redirected, P broken")
error(op, status="tls", phase="handshake", hop=1, limit=None)
equal("what the door and the pool say of TLS", [op.hops[0]["flags"] >> 24, op.hops[1]["flags"] >> 24], [0x00, 0x8c])
matches("the message names the pool and the mismatch", sample.message,
        r"^handshake: 127\.0\.0\.1:%d: TLS failed: server does not begin TLS although it was asked to" % op.hops[1]["port"])
equal("no login went to the pool", [phase for hop, phase in op.phases if hop == 1 and phase in ("login", "tls", "request")], [])
times(op, {})
P

# --- a client without: it does not even try ---
take -t 20s --tls off -- M
judge <<'P'
op = sample["first_open"]
hops(op, "M redirected, P broken")
error(op, status="tls", phase="handshake", hop=1)
matches("the message names the pool, and that it is we who have no TLS", sample.message,
        r"^handshake: 127\.0\.0\.1:%d: TLS failed: TLS is needed here, and switched off" % op.hops[1]["port"])
equal("no login went to the pool", (1, "login") in op.phases, False)
times(op, {})
P

x "$(url M)"
check 'once: exit 1, nothing on standard output' refused 1 "handshake: 127\.0\.0\.1:$(port_of P): TLS failed: "
x -v "$(url M)"
check 'the first hop is none of the trouble' said "hop 1  127\.0\.0\.1:$(port_of M)"
check 'the second is' said "hop 2  127\.0\.0\.1:$(port_of P)"

finish
