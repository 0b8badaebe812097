"""How much the ratio of two contenders differs from one pair of processes to the next, and how much of it is memory.

    .venv/bin/python benchmarks/process_pairs.py sqlite:///repeats.sqlite

For each pair of contenders in the finished contests of a store, by workload: the number of pairs of processes, the
standard deviation of their log ratios, the noise that the rounds of a process explain, the standard deviation of those
pairs in which neither process pages (fewer than PAGES pages a step), the correlation of the log ratio with the
difference of the pages, and what a line over that difference leaves. Contenders with planted work are left out.

A second table, of the same pairs, is by the pages of the second contender.
"""

import sys
from collections import defaultdict
from itertools import combinations, pairwise
from math import exp, log, sqrt

import numpy as np

from rosettabench.statistics.rounds import by_process, ratios
from rosettabench.store.record import Stopped
from rosettabench.store.store import Store
from rosettabench.summary.measured_contest import measured_contests
from rosettabench.summary.resources import pages_per_step

PAGES = 10
BANDS = (0, 10, 50, 100, float("inf"))
"""Pages of a step."""

FEWEST = 4
"""Rounds of a process, and pairs of processes, below which nothing is said."""


def main() -> int:
    """Print both tables for the store that is named."""
    pairs = read_pairs(Store.existing(sys.argv[1]))
    print("| workload | contenders | pairs | deviation | noise of the rounds | none pages | correlation | left |")
    print("|---|---|---|---|---|---|---|---|")
    for (workload, *labels), found in pairs.items():
        if len(found) >= FEWEST:
            print(f"| {workload} | {' / '.join(labels)} | {' | '.join(numbers(np.array(found)))} |")
    print("\n| workload | second contender | its pages | pairs | its step, ms | second over first | deviation |")
    print("|---|---|---|---|---|---|---|")
    for (workload, _, second), found in pairs.items():
        for low, high in pairwise(BANDS):
            band = [one for one in found if low <= one[3] < high]
            if len(band) >= FEWEST:
                print(f"| {workload} | {second} | {low} to {high} | {' | '.join(band_numbers(np.array(band)))} |")
    return 0


def read_pairs(store):
    """Return {(workload, first, second): (log ratio, noise, pages of the first, of the second, its step) of each pair}.

    The step is in seconds.
    """
    found = defaultdict(list)
    for run in (store.run(one.id) for one in store.runs()):
        for contest in measured_contests(run):
            if Stopped.last_of(contest.events) is None:
                continue
            timed = [one for one in contest.entries if not one.entry.label.endswith("%") and one.rounds]
            for first, second in combinations(timed, 2):
                name = contest.contest.workload, first.entry.label, second.entry.label
                found[name] += pairs_of(first, second, contest.processes)
    return found


def pairs_of(first, second, generations):
    """Yield what is known of each pair of processes of two contenders."""
    ours, theirs = (by_process(one.rounds, generations) for one in (first, second))
    pages = [pages_per_step(one.entry, one.turns) for one in (first, second)]
    for number in sorted(ours.keys() & theirs.keys()):
        series = [log(ratio) for ratio in ratios(ours[number], theirs[number])]
        if len(series) >= FEWEST and all(number in one for one in pages):
            step = float(np.median(list(theirs[number].values())))
            noise = float(np.std(series, ddof=1)) / sqrt(len(series))
            yield float(np.median(series)), noise, pages[0][number], pages[1][number], step


def numbers(found):
    """Return the numbers of the first table, in words."""
    level, noise, ours, theirs, _ = found.T
    quiet = level[(ours < PAGES) & (theirs < PAGES)]
    more = theirs - ours
    line = np.polynomial.Polynomial.fit(more, level, 1) if np.ptp(more) else None
    return (
        str(len(level)),
        percent(np.std(level, ddof=1)),
        percent(np.median(noise)),
        f"{percent(np.std(quiet, ddof=1))} of {len(quiet)}" if len(quiet) >= FEWEST else "–",
        f"{np.corrcoef(level, more)[0, 1]:.2f}" if line else "–",
        percent(np.std(level - line(more), ddof=1)) if line else "–",
    )


def band_numbers(band):
    """Return the numbers of the second table, in words."""
    return (
        str(len(band)),
        f"{1e3 * np.median(band[:, 4]):.3f}",
        f"{exp(np.median(band[:, 0])):.3f}",
        percent(np.std(band[:, 0], ddof=1)),
    )


def percent(share):
    """Return a share in percent."""
    return f"{100 * share:.1f}%"


if __name__ == "__main__":
    sys.exit(main())
