"""Repeats a run, and looks whether its intervals hold what all repeats together say: what one run is worth.

    .venv/bin/python benchmarks/campaigns/repeats.py [--repeats 20] [--store sqlite:///repeats.sqlite] [-- WORDS …]

WORDS follow `rosetta run`; without any, it is the default command. For each pair of contenders of each contest the
middle ratio of all repeats is what an interval should hold. The two copies of a control are equal: whatever difference
is told between them is false.

Every run is kept in the store; those of the same words that lie there already count as repeats. Nothing else may
compute while it measures. The exit code is 1 where fewer than 19 of 20 intervals of a pair hold its median, or more
than one control of 20 is false.
"""

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rosettabench.statistics.calibration import rate
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.store.schema import Run
from rosettabench.store.store import Store
from rosettabench.summary.records import ContestSummary
from rosettabench.summary.run import summarise

ROSETTA = Path(sys.executable).with_name("rosetta")
HOLDS, FALSE = 0.95, 0.05
"""The share of intervals that must hold the median, and of controls that may be false."""


@dataclass
class Pair:
    """What all repeats say of two contenders: the ratio of the second's time to the first's, with its interval."""

    ratios: list[float] = field(default_factory=list)
    intervals: list[tuple[float, float]] = field(default_factory=list)
    faster: int = 0

    def add(self, verdict: Verdict, first: str) -> None:
        """Add the verdict of one repeat."""
        if verdict.interval is None:
            return
        interval = verdict.interval if verdict.faster == first else verdict.interval.inverse()
        self.ratios.append(interval.ratio)
        self.intervals.append((interval.low, interval.high))
        self.faster += verdict.finding is Finding.FASTER

    @property
    def held(self) -> int:
        """How many intervals hold the median of all ratios."""
        return sum(low <= median(self.ratios) <= high for low, high in self.intervals)


def repeat(words: list[str], times: int, store: str) -> None:
    """Run the command so many times, one after the other."""
    for number in range(times):
        begun = time.monotonic()
        command = [str(ROSETTA), "run", *words, "--offline", "--store", store]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        seconds = time.monotonic() - begun
        print(f"repeat {number + 1} of {times}: exit code {ended.returncode}, {seconds:.0f} s", flush=True)
        if ended.returncode:
            print(ended.stderr[-2000:], file=sys.stderr)


def contests_of(words: list[str], store: Store) -> list[ContestSummary]:
    """Return the contests of all runs with these words that came to their end."""
    runs = [store.run(one.id) for one in store.runs()]
    found = [summarise(run) for run in runs if asked(run) == words]
    return [one for run in found if run.state == "finished" for one in run.contests]


def asked(run: Run) -> list[str]:
    """Return the words behind ``rosetta run``, without those that `repeat` adds."""
    return list(run.command[2:-3])


def report(contests: list[ContestSummary]) -> bool:
    """Print the tables, and return whether both goals are met."""
    found: dict[tuple[str, str, str], Pair] = defaultdict(Pair)
    controls: dict[str, list[bool]] = defaultdict(list)
    for contest in contests:
        for verdict in contest.verdicts:
            first, second = sorted((verdict.faster, verdict.slower))
            found[contest.name, first, second].add(verdict, first)
        if contest.control is not None:
            controls[contest.name].append(contest.control.false_difference)
    good = True
    print(
        "\n| contest | pair | median ratio | least and largest | told a difference | intervals that hold the median |"
    )
    print("|---|---|---|---|---|---|")
    for (name, first, second), pair in sorted(found.items()):
        of = len(pair.ratios)
        if not of:
            continue
        good &= pair.held >= HOLDS * of
        reach = f"{min(pair.ratios):.3f} to {max(pair.ratios):.3f}"
        told = f"{second} / {first} | {median(pair.ratios):.3f} | {reach} | {pair.faster} of {of} | {pair.held} of {of}"
        print(f"| {name} | {told} |")
    print("\n| contest | controls | false |")
    print("|---|---|---|")
    for name, one in sorted(controls.items()):
        print(f"| {name} | {len(one)} | {sum(one)} |")
    all_controls = [one for own in controls.values() for one in own]
    if not all_controls:
        return good
    false = rate(sum(all_controls), len(all_controls), 0.95)
    told = f"{false.happened} of {false.of}, {false.share:.1%} ({false.low:.1%} to {false.high:.1%})"
    print(f"\nfalse controls, with the exact interval at 95%: {told}")
    return good and false.share <= FALSE


def main() -> int:
    """Repeat the command and report; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20, help="how many more; 0 only shows those made")
    parser.add_argument("--store", default="sqlite:///repeats.sqlite")
    parser.add_argument("words", nargs="*", metavar="WORDS")
    given = parser.parse_args()
    repeat(given.words, given.repeats, given.store)
    return 0 if report(contests_of(given.words, Store(given.store))) else 1


if __name__ == "__main__":
    sys.exit(main())
