"""How often `rosetta compare` is wrong between two runs, and what it finds, where the truth is known.

    .venv/bin/python benchmarks/simulation/between_runs.py

Two runs of three contenders, one of which has changed, with an A/A control each: as `rosetta run -f a,b,c` makes them.
Each process has a level of its own; between the runs the machine got slower by an amount that nobody knows. Beside our
verdict two others: the ratio of the two means, and Welch's t-test on the rounds of the two runs.
"""

from argparse import ArgumentParser

import numpy as np
from scipy.stats import ttest_ind

from rosettabench.statistics.calibration import rate
from rosettabench.statistics.unpaired import equals, unpaired_interval
from rosettabench.statistics.verdict import Finding, judge

ROUNDS, NOISE, MARGIN = 16, 0.02, 0.02
TESTS = 3
"""Cells of a contest, whose verdicts hold together."""


def times(random, ratio, processes, born, machine_drift):
    """Return (processes, rounds) times of one contender under the weather of its run, (processes, rounds)."""
    levels = random.normal(0, born, (processes, 1))
    return ratio * np.exp(levels + machine_drift + random.normal(0, NOISE, machine_drift.shape))


def one_run(random, ratio, processes, born, slowness):
    """Return the times of the changed contender, of the median of two that stayed the same, and the A/A ratios."""
    machine_drift = slowness + np.cumsum(random.normal(0, 0.03, (processes, ROUNDS)), axis=1)
    changed = times(random, ratio, processes, born, machine_drift)
    others = [times(random, 1.0, processes, born, machine_drift) for _ in range(2)]
    copy = times(random, 1.0, processes, born, machine_drift)
    return changed, np.exp(np.mean(np.log(others), axis=0)), others[0] / copy


def compared(random, truth, processes, born, drift):
    """Return whether ours, the means and the t-test call the later run slower, and whether our interval holds."""
    runs = [one_run(random, 1.0, processes, born, 0.0)]
    runs.append(one_run(random, truth, processes, born, random.normal(0, drift)))
    series = [[list(row) for row in changed / others] for changed, others, _ in runs]
    interval = unpaired_interval(*series, equals(list(row) for _, _, same in runs for row in same), tests=TESTS)
    verdict = judge("before", "after", interval, MARGIN)
    before, after = (np.log(changed.ravel()) for changed, _, _ in runs)
    return (
        verdict.finding is Finding.FASTER and verdict.slower == "after",
        after.mean() - before.mean() > np.log1p(MARGIN),
        bool(ttest_ind(after, before, equal_var=False, alternative="greater").pvalue < 0.05),
        interval.low <= truth <= interval.high,
    )


def main():
    """Print a row for each scenario."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--contests", type=int, default=1000)
    contests = parser.parse_args().contests
    heads = "processes differ by", "machine differs by", "processes a run", "later run"
    print(f"| {' | '.join(heads)} | ours: slower | means | t-test | coverage |")
    print("|---|---|---|---|---|---|---|---|")
    for born, drift, processes in [(0.0, 0.0, 1), (0.01, 0.1, 1), (0.01, 0.1, 3), (0.03, 0.1, 1), (0.03, 0.1, 3)]:
        for truth in (1.0, 1.1, 1.3):
            random = np.random.default_rng(1)
            found = [compared(random, truth, processes, born, drift) for _ in range(contests)]
            told = [rate(int(sum(column)), contests, 0.95) for column in zip(*found, strict=True)]
            cells = " | ".join(f"{one.share:.1%} ({one.low:.1%}–{one.high:.1%})" for one in told)
            print(f"| {born:.0%} | {drift:.0%} | {processes} | ×{truth:.2f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
