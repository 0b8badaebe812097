"""Take the noise of real contests out of a store, for the simulations to replay.

    .venv/bin/python benchmarks/simulation/record_traces.py sqlite:////folder/results.sqlite

writes traces.csv beside this file: every counted turn of every A/A control in the store, in the order in which they
were taken. `log_seconds` is the natural logarithm of the seconds per step; `copy` tells the two entries apart.
"""

import argparse
import csv
from math import log
from pathlib import Path

from rosettabench.store.store import Store

TRACES = Path(__file__).parent / "traces.csv"
COLUMNS = ("contest", "workload", "contender", "threads", "copy", "round", "position", "log_seconds")


def main() -> None:
    """Write the traces of all runs of a store."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("store", help="URL of the store")
    store = Store(options.parse_args().store)
    runs = [store.run(run.id) for run in reversed(store.runs())]
    contests = [contest for run in runs for contest in run.contests]
    with TRACES.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number, contest in enumerate(contests, start=1):
            writer.writerows((number, *row) for row in control_turns(contest))


def control_turns(contest):
    """Return the rows of a contest's A/A control, in the order of its turns."""
    copies = {entry.control_of: entry for entry in contest.entries if entry.control_of}
    rows = []
    for entry in contest.entries:
        original = entry.control_of or entry.label
        if original in copies:
            copy = 2 if entry.control_of else 1
            rows += [
                (block.round, block.position, copy, block.elapsed_s / block.steps)
                for block in entry.blocks
                if block.phase == "turn"
            ]
    (label,) = copies or ("",)
    return [
        (contest.workload, label, contest.setting["threads"], copy, number, position, f"{log(seconds):.5f}")
        for number, position, copy, seconds in sorted(rows)
    ]


if __name__ == "__main__":
    main()
