"""When a contest may look at its own numbers to decide whether to stop.

Whoever stops at the moment when the interval happens to be narrow, or happens to leave out 1, stops too often by luck:
the 95% interval of such a contest covers 88% (a test beside this shows it). The remedy is the oldest one: look a few
times only, at rounds fixed beforehand, and share the permitted error among the looks (Bonferroni). Then all looks hold
together, whatever rule stops the contest.
"""

from __future__ import annotations

from rosettabench.statistics.interval import FEWEST_ROUNDS

GROWTH = 1.5
"""Each look has half as many rounds again as the one before: few looks, and at most a third of the work too much."""


def looks(fewest: int, most: int) -> list[int]:
    """Return the numbers of rounds after which a contest of `fewest` to `most` rounds looks at its verdicts."""
    planned = []
    rounds = max(fewest, FEWEST_ROUNDS)
    while rounds < most:
        planned.append(rounds)
        rounds = max(rounds + 1, round(rounds * GROWTH))
    return [*planned, most]


def judgements(fewest: int, most: int) -> int:
    """Return how many times a pair may be judged: at each look, and once more when somebody interrupts the contest."""
    return len(looks(fewest, most)) + 1
