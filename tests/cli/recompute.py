#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Recompute the table's figures from a results file, and compare them with the table's CSV.

    recompute.py RESULTS.jsonl TABLE.csv [--trim 0.01]

Shares no code with xrdopen: whole numbers and fractions all the way, rounded once at the end. Exit 0 when every figure
and every count agrees, 1 when one does not (each is printed), 2 when a file cannot be read. TABLE.csv is what
`xrdopen run --format csv` or `xrdopen report RESULTS.jsonl --format table-csv` print; columns of --percentiles are
compared, too, when they are there."""

import argparse
import csv
import json
import math
import sys
from fractions import Fraction

SLOTS = ("first_open", "first_close", "second_open", "read", "second_close")
HEADER = ("row,client,server,engine,count,failed,first_open_avg_us,first_open_median_us,second_open_avg_us,"
          "second_open_median_us,read_avg_us,read_median_us").split(",")


def number(value):
    """Whole numbers past 2^63 - 1 are strings of digits."""
    return int(value)


def is_failed(sample):
    errors = [sample.get("error")] + [op.get("error") for op in sample.get("ops", [])]
    return any(error is not None and error["status"] != "ok" for error in errors)


def check_phases(sample, line_number):
    """What is wrong: the phases of all hops of an op add up to its total."""
    for op in sample.get("ops", []):
        phases = sum(number(ns) for hop in op.get("hops", []) for ns in hop.get("phase_ns", {}).values())
        if op.get("done", True) and phases != number(op["total_ns"]):
            return [f"line {line_number}: {op['slot']}: phases add up to {phases}, the total is {op['total_ns']}"]
    return []


def read_results(path):
    """For each row of the header its counts and the values of its columns; and what is wrong with lines."""
    rows, wrong = None, []
    with open(path, encoding="utf-8") as file:
        for line_number, line in enumerate(file, 1):
            try:
                record = json.loads(line)
            except ValueError:
                if line.endswith("\n"):
                    raise
                break                   # cut off
            if record["type"] == "header":
                rows = [dict(about=row, failed=0, values={}, good=0) for row in record["rows"]]
            elif record["type"] == "sample":
                wrong += check_phases(record, line_number)
                take(rows[record["row"]], record)
    return rows, wrong


def take(row, sample):
    if is_failed(sample):
        row["failed"] += 1
        return
    row["good"] += 1
    for op in sample.get("ops", []):
        if op.get("done", True):
            row["values"].setdefault(op["slot"], []).append(number(op["total_ns"]))
    for name in ("start", "load"):
        if name + "_ns" in sample:
            row["values"].setdefault(name, []).append(number(sample[name + "_ns"]))


def figures(values, trim):
    """Name to exact value in ns, None where the count supports none."""
    values = sorted(values)
    if not values:
        return {}
    kept = values[:len(values) - min(math.floor(len(values) * trim), len(values) - 1)]
    middle = len(kept) // 2
    found = {
        "avg": Fraction(sum(kept), len(kept)),
        "median": Fraction(kept[middle]) if len(kept) % 2 else Fraction(kept[middle - 1] + kept[middle], 2),
        "max": Fraction(values[-1]),
    }
    for name, share in (("p90", Fraction(9, 10)), ("p99", Fraction(99, 100)), ("p999", Fraction(999, 1000))):
        if len(values) >= math.ceil(1 / (1 - share)):
            found[name] = Fraction(values[math.ceil(share * len(values)) - 1])
    return found


def differs(text, expected):
    """Whether a cell in us is more than a rounding away from what is expected in ns."""
    if expected is None:
        return text != ""
    if text == "":
        return True
    return abs(Fraction(text) - expected / 1000) > Fraction(1, 2000) + abs(expected) / 10**15


def check_row(got, row, trim):
    errors = []
    about = row["about"]
    for name, expected in (("client", about["client"]), ("server", about["server"]), ("engine", about["engine"]),
                           ("count", str(row["good"])), ("failed", str(row["failed"]))):
        if got[name] != expected:
            errors.append(f"{got['row']}: {name} is {got[name]!r}, should be {expected!r}")
    for column in got:
        if not column.endswith("_us"):
            continue
        metric, name = column[:-3].rsplit("_", 1)
        expected = figures(row["values"].get(metric, []), trim).get(name)
        if differs(got[column], expected):
            should = "empty" if expected is None else f"{float(expected) / 1000:.3f}"
            errors.append(f"{got['row']}: {column} is {got[column] or 'empty'}, should be {should}")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results")
    parser.add_argument("table")
    parser.add_argument("--trim", type=Fraction, default=Fraction(1, 100), help="a decimal fraction, such as 0.01")
    arguments = parser.parse_args()
    try:
        rows, wrong = read_results(arguments.results)
        with open(arguments.table, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            table = list(reader)
            names = reader.fieldnames
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"recompute: cannot read: {error!r}", file=sys.stderr)
        return 2
    errors = wrong
    if (names or [])[:len(HEADER)] != HEADER:
        errors.append(f"the line of names is {names}")
    elif len(table) != len(rows):
        errors.append(f"{len(table)} rows, should be {len(rows)}")
    else:
        for got, row in zip(table, rows):
            errors += check_row(got, row, arguments.trim)
    if not errors:
        print(f"{len(table)} rows, {sum(row['good'] for row in rows)} samples: all agree")
        return 0
    print("\n".join(errors[:20]))
    if len(errors) > 20:
        print(f"and {len(errors) - 20} more")
    return 1


if __name__ == "__main__":
    sys.exit(main())
