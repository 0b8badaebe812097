"""What a step gains if the C library keeps freed memory: two workers take turns, and only one of them does.

    .venv/bin/python benchmarks/kept_memory.py [-w shakespeare-gpt] [-f jax,jax:tuned] [--pairs 3] [--rounds 12]

By default glibc returns freed memory to the system, and a step gets it back page by page (statistics/paging.py has the
variables by which it keeps it). The ratio is the time with the default over the time with kept memory, paired within
rounds, for each of several pairs of processes: 1.2 means that keeping it makes a step 1.2 times as fast. Beside it
stand the pages that a step gets from the system, with the default and with kept memory.
"""

import argparse
import os
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from turns import NO_PROOF, PROBES, WARM_UP, alternate, in_mode, in_words, length_of_turn, make_work, worker

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.workload import all_workloads
from rosettabench.resources.counters import read_counters
from rosettabench.resources.processors import usable_cores
from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.paging import KEEP

KEPT = dict(one.split("=") for one in KEEP.split())


def main() -> int:
    """Measure the chosen cells and print a line for each pair of processes."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-w", "--workloads", default="shakespeare-gpt")
    options.add_argument("-f", "--frameworks", default="jax")
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--rounds", type=int, default=12)
    options.add_argument("--batch", type=int, help="samples of a step, instead of the workload's own batch")
    chosen = options.parse_args()
    print(f"{'':44} default / kept           pages a step   ms/step   {usable_cores()} threads")
    for name in chosen.workloads.split(","):
        workload = all_workloads()[name].model_copy(update={"proof": NO_PROOF})
        for label in chosen.frameworks.split(","):
            for _ in range(chosen.pairs):
                measure(workload, parse_contender(label), chosen.rounds, chosen.batch)
    return 0


def measure(workload, contender, rounds, batch):
    """Start a pair of processes, let them take turns, and print the ratio of their times."""
    entry = in_mode(contender)
    size = batch or workload.batch_size
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as open_workers:
        folder = Path(scratch)
        work = make_work(workload, folder / "work", size, PROBES, usable_cores())
        sessions = {}
        for kept in random.sample([False, True], 2):
            with patch.dict(os.environ, KEPT if kept else {}):
                sessions[kept] = open_workers.enter_context(worker(entry, work, folder / f"kept-{kept}"))
        steps = min(PROBES // 2, length_of_turn(sessions[True], PROBES))
        alternate(sessions, steps, range(WARM_UP))
        before = {kept: faults(one) for kept, one in sessions.items()}
        times = alternate(sessions, steps, range(WARM_UP, WARM_UP + rounds))
        pages = [(faults(sessions[kept]) - before[kept]) / (rounds * steps) for kept in (False, True)]
    interval = ratio_interval([one / other for one, other in zip(times[False], times[True], strict=True)])
    usual = 1e3 * sorted(times[False])[rounds // 2]
    cell = f"{workload.name:24} {contender.label:18}"
    print(f"{cell} {in_words(interval):26} {pages[0]:,.0f}, {pages[1]:,.0f}   {usual:.3g}", flush=True)


def faults(session):
    """Return the minor faults of a worker so far."""
    return read_counters(session.process.pid).totals["minor_faults"]


if __name__ == "__main__":
    sys.exit(main())
