"""What the laboratory's reading of resources costs, for each framework: outside of all timed regions, in milliseconds.

    .venv/bin/python benchmarks/cost_of_reading.py [--turns 200]

Each framework is a worker that has taken some steps of fashion-mlp, so all its threads and libraries are there. A turn
costs two readings of its process tree's counters (Meter.window); memory and settings are read once, after the last.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from laboratory import environment, make_work, open_session

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.resources.memory import read_memory
from rosettabench.resources.meter import Meter
from rosettabench.resources.sensors import find_sensors
from rosettabench.resources.tree import process_tree, threads

GOAL_S = 0.001
STEPS = 10


def main() -> int:
    """Measure, print, and return 0 if the median turn costs less than the goal in every framework."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=200)
    turns = options.parse_args().turns
    print(f"{'':18}  threads  turn (median)  turn (95th of 100)  of it CPU  memory  settings")
    worst = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        work = make_work(find_workload("fashion-mlp"), Path(scratch), 32, STEPS)
        for name, entry in competing_frameworks().items():
            session = open_session(entry, entry.mode, environment(entry.locks[0]), work, Path(scratch) / name)
            try:
                worst = max(worst, measure(name, session, turns))
            finally:
                session.process.close()
    return 0 if worst < GOAL_S else 1


def measure(name, session, turns):
    """Print what reading one worker costs; return the median of a turn, in seconds."""
    session.train(0, STEPS)
    pid = session.process.pid
    meter, costs, processor = Meter(pid, find_sensors("cpu")), [], process_time()
    for _ in range(turns):
        costs.append(spent(lambda: empty_turn(meter)))
    processor = (process_time() - processor) / turns
    memory, settings = spent(lambda: read_memory(pid)), spent(session.settings)
    count = sum(len(threads(member)) for member in process_tree(pid))
    middle, high = median(costs), quantiles(costs, n=20)[-1]
    figures = (f"{1e3 * value:.2f}" for value in (middle, high, processor, memory, settings))
    print("{:18}  {:7}  {:>13}  {:>18}  {:>9}  {:>6}  {:>8}".format(name, count, *figures), flush=True)
    return middle


def empty_turn(meter):
    """Read as for a turn in which nothing happens."""
    with meter.window():
        pass


def spent(work):
    """Return the seconds that a piece of work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
