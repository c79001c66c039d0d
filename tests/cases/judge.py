# SPDX-License-Identifier: LGPL-3.0-or-later
#
# judge.py - expectations of records:  python3 judge.py WORK [ARGUMENT...] <EXPECTATIONS
#
# WORK holds what tests/cases/lib.sh has left: samples.jsonl, samples.csv, servers. EXPECTATIONS is Python; it finds the
# samples in `samples` (by label) and `sample` (when there is one alone), and calls what is defined here. Each call prints
# "ok - what" or "not ok - what" and why. That the phases of every op add up to its total is checked unasked.
#
# Bounds: what was put in is found in its phase in full, and at most LATE more of it; in any other phase of any hop there
# is less than QUIET. Both are wide, because machines that run tests are busy; what is put in is larger than both. A phase that
# begins when something has been received, not when it was sent, may be shorter than what was put in by as much as the client
# was late to receive it: EARLY, and the op as a whole still holds all of it.
import csv
import json
import re
import sys

LATE = 0.7
QUIET = 0.25
EARLY = 0.1
FROM_RECEIPT = ("transfer", "defer")
TICK = 0.000001                 # between two stamps of two processes
SLOTS = ["first_open", "first_close", "second_open", "read", "second_close"]


def check(what, good, note=""):
    print("%sok - %s" % ("" if good else "not ", what))
    if not good and note != "":
        print("\n".join("#   " + line for line in str(note).split("\n")))
    return good


def equal(what, got, want):
    return check(what, got == want, "got    %s\nwanted %s" % (got, want))


def matches(what, text, pattern):
    return check(what, re.search(pattern, text) is not None, "got     %s\npattern %s" % (text, pattern))


def between(what, got, least, most):
    return check(what, least <= got <= most, "got %s, wanted %s to %s" % (got, least, most))


# --- records ----------------------------------------------------------------------------------------------------------

class Op:
    def __init__(self, raw):
        self.raw = raw
        self.slot = raw["slot"]
        self.total = raw["total_ns"] / 1e9
        self.hops = raw.get("hops", [])
        self.waits = raw.get("waits", [])
        self.tries = raw.get("tries", [])
        self.error = raw.get("error")
        self.phases = {(i, phase): ns / 1e9 for i, hop in enumerate(self.hops)
                       for phase, ns in hop.get("phase_ns", {}).items() if ns}

    def spans(self):
        """(hop, phase, begin, spent) in seconds"""
        spans = [span if len(span) > 2 else span + [0] for span in self.raw.get("spans", [])]
        ends = [span[0] for span in spans[1:]] + [self.raw["total_ns"]]
        return [(hop, phase, begin / 1e9, (end - begin) / 1e9) for (begin, phase, hop), end in zip(spans, ends)]

    def fault(self):
        """what does not add up, "" when all does"""
        total, hops = self.raw["total_ns"], self.raw.get("hops", [])
        if sum(sum(hop.get("phase_ns", {}).values()) for hop in hops) != total:
            return "%s: its phases do not add up to its total" % self.slot
        spans = [span if len(span) > 2 else span + [0] for span in self.raw.get("spans", [])]
        ends = [span[0] for span in spans[1:]] + [total]
        if "span_count" in self.raw:
            return ""           # not all of them were kept
        sums = {}
        for (begin, phase, hop), end in zip(spans, ends):
            if end < begin:
                return "%s: a span ends before it begins" % self.slot
            sums[hop, phase] = sums.get((hop, phase), 0) + end - begin
        stated = {(i, phase): ns for i, hop in enumerate(hops) for phase, ns in hop.get("phase_ns", {}).items() if ns}
        if stated != {key: ns for key, ns in sums.items() if ns}:
            return "%s: its spans do not add up to its phases" % self.slot
        return ""


class Sample:
    def __init__(self, raw, label, message):
        self.raw = raw
        self.label = label
        self.message = message
        self.ops = {op["slot"]: Op(op) for op in raw.get("ops", [])}
        self.failed = next((op for op in self.ops.values() if op.error), None)
        self.error = raw.get("error") or (self.failed.error if self.failed else None)
        self.total = sum(op.total for op in self.ops.values())

    def __getitem__(self, slot):
        return self.ops[slot]


def lines(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def read_samples(work):
    """all samples in their order, with their rows' labels and their messages"""
    records = [json.loads(line) for line in lines(work + "/samples.jsonl") if line]
    rows = next((record["rows"] for record in records if record["type"] == "header"), [{"label": ""}])
    messages = {(int(row["row"]), int(row["sample"])): row["error"]
                for row in csv.DictReader(lines(work + "/samples.csv")) if row["error"]}
    found = []
    for record in records:
        if record["type"] == "sample":
            row, number = record.get("row", 0), record.get("number", 0)
            found.append(Sample(record, rows[row]["label"], messages.get((row, number), "")))
    return found


# --- expectations -----------------------------------------------------------------------------------------------------

def name_of(hop):
    """the script's name of a hop's server"""
    place = "%s:%d" % (("[%s]" if ":" in hop["host"] else "%s") % hop["host"], hop["port"])
    return servers.get(place) or ports.get(hop["port"]) or place


def way(op):
    """'M redirected, D answered'"""
    return ", ".join("%s %s" % (name_of(hop), hop.get("ending", "answered")) for hop in op.hops)


def hops(op, want, what="the hops are"):
    return equal("%s: %s %s" % (op.slot, what, want if len(want) < 90 else want[:87] + "..."), way(op), want)


def times(op, put_in, late=LATE, quiet=QUIET, early=TICK):
    """PUT_IN: {(hop, phase): seconds}; nothing anywhere else"""
    wrong = []
    if op.total < sum(put_in.values()) - early * len(put_in):
        wrong.append("all of it took %.6f s, put in %.6f" % (op.total, sum(put_in.values())))
    for key, seconds in put_in.items():
        got = op.phases.get(key, 0.0)
        if not seconds - (EARLY if key[1] in FROM_RECEIPT else early) <= got <= seconds + late:
            wrong.append("hop %d, %s: %.6f s, put in %.6f" % (*key, got, seconds))
    for key, got in op.phases.items():
        if key not in put_in and got >= quiet:
            wrong.append("hop %d, %s: %.6f s, put in nothing" % (*key, got))
    said = ", ".join("%.4g s of %s at hop %d" % (seconds, phase, hop) for (hop, phase), seconds in put_in.items())
    return check("%s: %s, nothing elsewhere" % (op.slot, said or "no delay"), not wrong, "\n".join(wrong))


def waits(op, want, late=LATE):
    """WANT: (asked_s, deferred, text, spent) of each wait in its order; spent None: it was not slept"""
    got = [(wait["asked_s"], wait.get("deferred", False), wait.get("text", "")) for wait in op.waits]
    spent = [wait.get("spent_ns", 0) / 1e9 for wait in op.waits]
    what = "%s: %d wait%s of it, with text and time" % (op.slot, len(want), "" if len(want) == 1 else "s")
    if got != [wait[:3] for wait in want]:
        return check(what, False, "got    %s\nwanted %s" % (got, want))
    wrong = ["wait %d took %.6f s" % (i, spent[i]) for i, wait in enumerate(want)
             if wait[3] is not None and not wait[3] - (EARLY if wait[1] else TICK) <= spent[i] <= wait[3] + late]
    return check(what, not wrong, "\n".join(wrong))


def tries(op, want, hop=0, late=LATE):
    """WANT: 'ADDRESS OUTCOME' of each address in its order, and after how many seconds it was tried; None: not at all"""
    mine = [item for item in op.tries if item.get("hop", 0) == hop]
    got = ["%s %s" % (item["address"].rsplit(":", 1)[0], item["outcome"]) for item in mine]
    what = "%s, hop %d: %s" % (op.slot, hop, ", ".join(item[0] for item in want))
    if got != [item[0] for item in want]:
        return check(what, False, "got %s" % ", ".join(got))
    first = mine[0].get("begin_ns", 0) if mine else 0
    wrong = []
    for item, (said, after) in zip(mine, want):
        begin = (item.get("begin_ns", 0) - first) / 1e9
        if after is not None and not after - TICK <= begin <= after + late:
            wrong.append("%s was tried after %.6f s, wanted %.4g" % (said, begin, after))
    return check(what, not wrong, "\n".join(wrong))


def error(op, **want):
    """keys of the record's error; regular expressions for text and detail"""
    if op.error is None:
        return check("%s fails with %s" % (op.slot, want), False, "it did not fail")
    wrong = []
    for key, value in want.items():
        default = {"hop": -1, "phase": "other", "detail": "", "text": "", "limit": None}.get(key, 0)
        got = op.error.get(key, default)
        good = re.search(value, got) is not None if key in ("text", "detail") else got == value
        if not good:
            wrong.append("%s: got %r, wanted %r" % (key, got, value))
    said = ", ".join("%s %s" % item for item in want.items())
    return check("%s: the error is %s" % (op.slot, said), not wrong, "\n".join(wrong))


def ends_by(sample, seconds, late=LATE):
    """no limit is passed, and none is cut short"""
    return between("%sends at the limit of %.4g s" % (sample.label and sample.label + " ", seconds), sample.total,
                   seconds - TICK, seconds + late)


def rest_is_quiet(sample, *slots):
    """the ops that are not in SLOTS went well, on a connection that was there, without waits or delays"""
    wrong = []
    for slot, op in sample.ops.items():
        if slot in slots:
            continue
        if op.error or op.waits or any(ns >= QUIET for ns in op.phases.values()):
            wrong.append("%s: %s" % (slot, op.raw))
    missing = [slot for slot in SLOTS if slot not in sample.ops]
    return check("the other ops are good and quick", not wrong and not missing, "\n".join(wrong + missing))


def adds_up(found):
    faults = [sample.label + " " + op.fault() for sample in found for op in sample.ops.values() if op.fault()]
    check("phases and spans add up to the totals in %d sample%s" % (len(found), "" if len(found) == 1 else "s"),
          found and not faults, "\n".join(faults) or "there is no sample")


work = sys.argv[1]
arguments = sys.argv[2:]
servers, ports = {}, {}
for line in lines(work + "/servers"):
    server_name, place, _ = line.split(" ", 2)
    servers[place] = server_name
    ports[int(place.rsplit(":", 1)[1])] = server_name
all_samples = read_samples(work)
samples = {one.label: one for one in all_samples}
sample = all_samples[0] if len(all_samples) == 1 else None
adds_up(all_samples)
exec(compile(sys.stdin.read(), "expectations", "exec"))     # pylint: disable=exec-used
