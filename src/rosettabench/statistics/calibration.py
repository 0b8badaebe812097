"""How often verdicts are right in contests with a known answer: between equals, and with planted work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import median

from rosettabench.statistics.interval import Interval
from rosettabench.statistics.verdict import Finding, Verdict


@dataclass(frozen=True)
class Rate:
    """How often something happened, with its exact confidence interval (Clopper and Pearson, Biometrika 26, 1934)."""

    happened: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The observed share; NaN if nothing was observed."""
        return self.happened / self.of if self.of else float("nan")


@dataclass(frozen=True)
class KnownContest:
    """One contest with a known answer: `slower` takes `truth` times as long as the other (1 for equals)."""

    verdict: Verdict
    slower: str
    truth: float

    @property
    def differs(self) -> bool:
        """Whether a difference was found, in either direction."""
        return self.verdict.finding is Finding.FASTER

    @property
    def found(self) -> bool:
        """Whether the slower contender was found to be slower."""
        return self.differs and self.verdict.slower == self.slower

    @property
    def interval(self) -> Interval | None:
        """The interval of `slower`'s time over the other's."""
        found = self.verdict.interval
        return found if found is None or self.verdict.slower == self.slower else found.inverse()

    @property
    def covered(self) -> bool:
        """Whether the interval contains the truth."""
        return self.interval is not None and self.interval.low <= self.truth <= self.interval.high


@dataclass(frozen=True)
class Calibration:
    """The results of the contests of one kind.

    `differs` counts differences found in either direction, `found` those in the right one, `covered` the intervals that
    contain the truth. `spread` is the relative standard deviation of the estimated ratios, which includes the
    differences between processes. `rounds` is the median number of rounds.
    """

    differs: Rate
    found: Rate
    covered: Rate
    spread: float | None
    rounds: float


def calibrate(contests: Sequence[KnownContest], confidence: float = 0.95) -> Calibration | None:
    """Return the rates over `contests`, all with the same truth; None if none has an interval."""
    judged = [one for one in contests if one.interval is not None]
    if not judged:
        return None
    intervals = [one.interval for one in judged if one.interval is not None]
    return Calibration(
        differs=rate(sum(one.differs for one in judged), len(judged), confidence),
        found=rate(sum(one.found for one in judged), len(judged), confidence),
        covered=rate(sum(one.covered for one in judged), len(judged), confidence),
        spread=spread([interval.ratio for interval in intervals]),
        rounds=median(interval.rounds for interval in intervals),
    )


def rate(happened: int, of: int, confidence: float) -> Rate:
    """Return the rate of something that happened in `happened` of `of` cases, at least one."""
    from scipy.stats import binomtest

    interval = binomtest(happened, of).proportion_ci(confidence, method="exact")
    return Rate(happened, of, float(interval.low), float(interval.high))


def spread(ratios: Sequence[float]) -> float | None:
    """Return the relative standard deviation of positive numbers, from their logarithms; None for fewer than two."""
    if len(ratios) < 2:
        return None
    logs = [log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    return exp(sqrt(sum((value - mean) ** 2 for value in logs) / (len(logs) - 1))) - 1
