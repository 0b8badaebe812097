"""What the laboratory costs: a block through the worker against the same loop in a plain script, in turns.

    .venv/bin/python benchmarks/harness_overhead.py [--rounds 60]

fashion-mlp in PyTorch at batch 32 has the shortest steps of all workloads, so the cost shows most there. Both processes
live side by side, as contenders do, and take turns in random order; the ratio is paired within rounds. The cost of a
turn's messages, which is outside of the timed region, is measured too.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from laboratory import environment, make_work, open_session

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.lab.machine import usable_cores
from rosettabench.statistics.interval import ratio_interval

GOAL = 1.01
STEPS = 400


def main() -> int:
    """Measure, print, and return 0 if the whole interval lies below the goal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=60)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as scratch:
        folder, threads = Path(scratch), usable_cores()
        work = make_work(find_workload("fashion-mlp"), folder, 32, STEPS * (rounds + 2), threads)
        where = environment("pytorch@2.13.0")
        session = open_session(all_frameworks()["pytorch"], "eager", where, work, folder / "session")
        session.ask("batches", path=str(work.batches))
        train = work.data.train
        script = Path(__file__).parent / "plain" / "fashion_mlp_pytorch.py"
        command = [where.python, script, train.inputs, train.labels, work.batches, str(threads)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as plain:
            ratios, messages = measure(session, plain, rounds)
            plain.stdin.close()
        session.process.close()
    interval = ratio_interval(ratios)
    print(
        f"worker / plain script: {interval.ratio:.4f} (95%: {interval.low:.4f} to {interval.high:.4f}), {rounds} rounds"
    )
    print(
        f"messages of a turn, outside of the timed region: {1e3 * sorted(messages)[len(messages) // 2]:.2f} ms (median)"
    )
    return 0 if interval.high < GOAL else 1


def measure(session, plain, rounds):
    """Take turns; return the ratios, one a round, and what a turn took beyond its timed region."""

    def through_worker(first):
        start = perf_counter()
        elapsed = session.train(first, STEPS).elapsed_s
        messages.append(perf_counter() - start - elapsed)
        return elapsed

    def in_script(_):
        plain.stdin.write(f"{STEPS}\n")
        plain.stdin.flush()
        return float(plain.stdout.readline().split()[0])

    ratios, messages = [], []
    for number in range(rounds + 2):
        seconds = {}
        for turn in random.sample([through_worker, in_script], 2):
            seconds[turn] = turn(number * STEPS)
        if number >= 2:  # the first two warm up
            ratios.append(seconds[through_worker] / seconds[in_script])
    return ratios, messages


if __name__ == "__main__":
    sys.exit(main())
