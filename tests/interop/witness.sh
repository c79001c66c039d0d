#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# witness.sh - an independent witness: the packets of 50 samples, as the kernel stamps them. For each request the time from
# the packet that carries it to the packets that carry its answer has to be in the sample's phase, which is that and little
# more: a phase begins just before the send and ends when the recv is back.   (TAP)
#
# The stamps are wall clock and the sample's are monotonic, so only durations are compared; the sample's wall clock says which
# connection is its own, no more.
#
# shellcheck source=tests/cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"

command -v tcpdump >/dev/null || skip_all 'no tcpdump here: apt-get install tcpdump'

# Delays of some milliseconds in some answers, so that there is something to see beside the least there can be.
cat >"$work/witness.imp" <<'I'
file /data/file
server D
    on protocol every 5: delay 3ms
    on login every 3: delay 4ms
    on open every 5: delay 2ms
    on read every 2: piece half, delay 5ms, answer
I
imposter "$work/witness.imp"
port=$(port_of D)
tcpdump -i lo -n -s 0 -U -B 8192 --time-stamp-precision nano -w "$work/packets" "tcp port $port" >/dev/null 2>"$work/tcpdump.err" &
tcpdump=$!
pids="$pids $tcpdump"
if ! within 5 grep -q '^tcpdump: listening' "$work/tcpdump.err"; then
    skip_all "no packets can be captured here: $(tail -n 1 "$work/tcpdump.err")"
fi
take -t 20s -n 50 -- D
check '50 samples: exit 0' [ "$code" -eq 0 ]
sleep 0.8                       # what has been caught is written a little later
kill -TERM "$tcpdump"
wait "$tcpdump" 2>/dev/null

cat >"$work/witness.py" <<'P'
import statistics
import struct

PORT = int(arguments[0])

def packets(path):
    """(seconds, from the client?, client's port, sequence number, data) of each TCP segment"""
    data = open(path, "rb").read()
    magic = struct.unpack("<I", data[:4])[0]
    order, unit = {0xa1b2c3d4: ("<", 1e-6), 0xa1b23c4d: ("<", 1e-9), 0xd4c3b2a1: (">", 1e-6), 0x4d3cb2a1: (">", 1e-9)}[magic]
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, kept, _ = struct.unpack(order + "4I", data[at:at + 16])
        frame = data[at + 16:at + 16 + kept]
        at += 16 + kept
        if len(frame) < 34 or frame[12:14] != b"\x08\x00":
            continue
        packet = frame[14:14 + struct.unpack(">H", frame[16:18])[0]]
        segment = packet[(packet[0] & 15) * 4:]
        if len(segment) < 20:
            continue
        source, target, number = struct.unpack(">HHI", segment[:8])
        payload = segment[(segment[12] >> 4) * 4:]
        ours = target == PORT
        yield seconds, fraction * unit, ours, source if ours else target, number, payload, segment[13]

class Stream:
    """the bytes of one direction, and when each of them was on the wire first"""
    def __init__(self):
        self.first, self.data, self.stamps, self.whole = None, bytearray(), [], True

    def add(self, stamp, number, payload):
        if self.first is None:
            self.first = number
        offset = (number - self.first) & 0xffffffff
        if offset > len(self.data):
            self.whole = False          # a packet was not caught
            return
        fresh = payload[len(self.data) - offset:]
        self.data += fresh
        self.stamps += [stamp] * len(fresh)

def connections(path):
    """[(its SYN's wall clock in ns, client's stream, server's stream)]"""
    found, base = {}, None
    order = []
    for seconds, fraction, ours, port, number, payload, flags in packets(path):
        base = seconds if base is None else base
        if ours and flags & 2:
            found[port] = (Stream(), Stream())
            order.append((seconds * 10**9 + round(fraction * 1e9), *found[port]))
        if port in found and payload:
            found[port][0 if ours else 1].add(seconds - base + fraction, number, payload)
    return order

def requests(stream):
    """{code: [stamp of its first byte, ...]}, the handshake as code 0"""
    found, at = {0: [stream.stamps[0]]}, 20
    while at < len(stream.data):
        code, = struct.unpack(">H", stream.data[at + 2:at + 4])
        found.setdefault(code, []).append(stream.stamps[at])
        at += 24 + struct.unpack(">i", stream.data[at + 20:at + 24])[0]
    return found

def answers(stream):
    """[(status, first byte's stamp, last byte's stamp)], the handshake's first"""
    found, at = [], 0
    while at < len(stream.data):
        status, length = struct.unpack(">Hi", stream.data[at + 2:at + 8])
        found.append((status, stream.stamps[at], stream.stamps[at + 7 + length]))
        at += 8 + length
    return found

def compare(one, streams):
    """{what: (the phase's seconds, the packets')}"""
    asked, given = requests(streams[0]), answers(streams[1])
    parts = [i for i, answer in enumerate(given) if answer[0] == 4000]      # of the read, when it came in parts
    read = parts[0] if parts else 6
    last_of_read = next(i for i in range(read, len(given)) if given[i][0] == 0)
    first, second = one["first_open"], one["second_open"]
    return {
        "handshake": (first.phases[0, "handshake"], given[1][2] - asked[0][0]),
        "login": (first.phases[0, "login"], given[2][2] - asked[3007][0]),
        "first open's request": (first.phases[0, "request"], given[3][1] - asked[3010][0]),
        "first close's request": (one["first_close"].phases[0, "request"], given[4][1] - asked[3003][0]),
        "second open's request": (second.phases[0, "request"], given[5][1] - asked[3010][1]),
        "read's request": (one["read"].phases[0, "request"], given[read][1] - asked[3013][0]),
        "read's request and transfer": (one["read"].phases[0, "request"] + one["read"].phases.get((0, "transfer"), 0),
                                        given[last_of_read][2] - asked[3013][0]),
        "second close's request": (one["second_close"].phases[0, "request"], given[last_of_read + 1][1] - asked[3003][1]),
    }

# Which connection is which sample's: the first one after it began. A capture may have lost some; the others count.
streams = sorted(connections(work + "/packets"), key=lambda one: one[0])
all_samples.sort(key=lambda one: one.raw["wall_ns"])
compared, pairs = {}, 0
for i, one in enumerate(all_samples):
    end = all_samples[i + 1].raw["wall_ns"] if i + 1 < len(all_samples) else 1 << 63
    mine = [pair for pair in streams if one.raw["wall_ns"] <= pair[0] < end]
    if len(mine) != 1 or not (mine[0][1].whole and mine[0][2].whole and mine[0][1].data[-22:-20] == b"\x0b\xbb"):
        continue
    pairs += 1                          # its last request is kXR_close, 24 bytes: it is there to the end
    for what, figures in compare(one, mine[0][1:]).items():
        compared.setdefault(what, []).append(figures)
if check("the packets of at least 30 of 50 samples were caught", pairs >= 30, pairs):
    for what, figures in compared.items():
        beyond = [phase - wire for phase, wire in figures]
        # The wall clock may be slewed by 500 us in a second, and the kernel's stamps may be whole microseconds.
        short = [(phase, wire) for phase, wire in figures if phase < wire * (1 - 0.0005) - 0.000002]
        check("%s: never less than on the wire" % what, not short, short)
        between("%s: the median is less than 1 ms more" % what, statistics.median(beyond), -0.000002, 0.001)
        longest = max(wire for _, wire in figures)
        print("#   %s: on the wire %.1f us in the median, %.1f at most; the phase is %.1f us more in the median"
              % (what, statistics.median(wire for _, wire in figures) * 1e6, longest * 1e6, statistics.median(beyond) * 1e6))
    for what, least in (("handshake", 0.003), ("login", 0.004), ("first open's request", 0.002),
                        ("read's request and transfer", 0.005)):
        check("%s: the wire has seen the delays that were put in" % what,
              max(wire for _, wire in compared[what]) >= least, max(wire for _, wire in compared[what]))
P
judge_with "$port" <"$work/witness.py"
finish
