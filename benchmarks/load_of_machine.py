"""What `LoadWatch` tells while nothing else is at work, and what its readings cost.

    .venv/bin/python benchmarks/load_of_machine.py [--windows 40]

One process for each usable processor computes without end. They are the contenders: all other busy time of the
processors is the rest, which no other program has caused. Then the readings of a round are timed, of as many contenders
as threads are named. Prints Markdown. The machine must be idle otherwise.
"""

from __future__ import annotations

import argparse
from multiprocessing import Process
from statistics import median
from threading import Event, Thread
from time import process_time, sleep

from rosettabench.resources.load import LoadWatch
from rosettabench.resources.processors import processors_in_turn

CONTENDERS = 5
THREADS = 17


def compute() -> None:
    """Compute until the process is ended."""
    while True:
        sum(range(10_000))


def idle(threads: int) -> None:
    """Hold that many threads, which wait."""
    for _ in range(threads - 1):
        Thread(target=Event().wait, daemon=True).start()
    Event().wait()


def rest(windows: int) -> list[tuple[float, float]]:
    """Return the shares of others and of the hypervisor in each of so many windows of a second."""
    every = processors_in_turn()
    busy = [Process(target=compute, daemon=True) for _ in every]
    for one in busy:
        one.start()
    found = []
    for _ in range(windows):
        watch = LoadWatch([one.pid for one in busy], [every])
        sleep(1)
        load = watch.load()
        found.append((load.others, load.stolen))
    for one in busy:
        one.kill()
    return found


def cost_of_two_readings() -> float:
    """Return the processor time, in seconds, of the two readings of a round."""
    waiting = [Process(target=idle, args=(THREADS,), daemon=True) for _ in range(CONTENDERS)]
    for one in waiting:
        one.start()
    sleep(1)
    start = process_time()
    for _ in range(20):
        LoadWatch([one.pid for one in waiting], [processors_in_turn()]).load()
    cost = (process_time() - start) / 20
    for one in waiting:
        one.kill()
    return cost


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=40)
    windows = parser.parse_args().windows
    others, stolen = zip(*rest(windows), strict=True)
    print("| | |\n|---|---|")
    print(f"| the rest in {windows} windows of a second, median | {median(others):.1%} |")
    print(f"| the same, maximum | {max(others):.1%} |")
    print(f"| stolen time in a single window, maximum | {max(stolen):.1%} |")
    print(
        f"| processor time of the two readings of a round, {CONTENDERS} contenders of {THREADS} threads each "
        f"| {1000 * cost_of_two_readings():.0f} ms |"
    )


if __name__ == "__main__":
    main()
