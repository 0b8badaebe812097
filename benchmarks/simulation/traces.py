"""The recorded noise, to be replayed: consecutive turns of real contests of equals."""

import csv
from pathlib import Path

import numpy as np

TRACES = Path(__file__).parent / "traces.csv"


def load_traces():
    """Return one array a contest: logarithms of the seconds per step of its consecutive turns, median 0."""
    with TRACES.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    contests = sorted({int(row["contest"]) for row in rows})
    series = [np.array([float(row["log_seconds"]) for row in rows if int(row["contest"]) == one]) for one in contests]
    return [values - np.median(values) for values in series]


def load_pairs():
    """Return {contest: (name, copy 1's log seconds, copy 2's)} in the order of rounds: the contests as they were."""
    with TRACES.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    pairs = {}
    for row in rows:
        name = f"{row['workload']}, {row['contender']}, {row['threads']} threads"
        pair = pairs.setdefault(int(row["contest"]), (name, [], []))
        pair[int(row["copy"])].append(float(row["log_seconds"]))
    return {number: (name, np.array(one), np.array(other)) for number, (name, one, other) in pairs.items()}


def replay(generator, contests, turns):
    """Return consecutive recorded turns, (contests, turns): a trace and a beginning drawn for each.

    A trace that ends before is continued from its beginning: a jump of the machine's speed in one place.
    """
    traces = load_traces()
    found = np.empty((contests, turns))
    for row, which in zip(found, generator.integers(len(traces), size=contests), strict=True):
        trace = traces[which]
        row[:] = trace[(generator.integers(len(trace)) + np.arange(turns)) % len(trace)]
    return found
