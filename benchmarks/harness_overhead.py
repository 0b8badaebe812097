"""What the laboratory costs: a block through the worker against the same loop in a plain script, in turns.

    .venv/bin/python benchmarks/harness_overhead.py [--rounds 60]

fashion-mlp in PyTorch at batch 32 has the shortest steps of all workloads, so the cost shows most there. Both processes
live side by side, as contenders do, and take turns in random order; the ratio is paired within rounds. The cost of a
turn's messages, which is outside of the timed region, is measured too.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from turns import WARM_UP, make_work, plain_script, take_turns, worker

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.resources.processors import usable_cores
from rosettabench.statistics.interval import ratio_interval

GOAL = 1.01
STEPS = 400


def main() -> int:
    """Measure, print, and return 0 if the whole interval lies below the goal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=60)
    rounds = options.parse_args().rounds
    entry = all_frameworks()["pytorch"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        work = make_work(find_workload("fashion-mlp"), folder, 32, STEPS * (WARM_UP + rounds), usable_cores())
        with (
            worker(entry, work, folder / "session") as session,
            plain_script(entry, work, folder / "script") as script,
        ):
            ours, plain, messages, _ = take_turns(session, script, STEPS, rounds)
    interval = ratio_interval([one / other for one, other in zip(ours, plain, strict=True)])
    print(
        f"worker / plain script: {interval.ratio:.4f} (95%: {interval.low:.4f} to {interval.high:.4f}), {rounds} rounds"
    )
    print(f"messages of a turn, outside of the timed region: {1e3 * median(messages):.2f} ms (median)")
    return 0 if interval.high < GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
