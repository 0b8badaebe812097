"""The verdict that an interval allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.interval import Interval


class Finding(StrEnum):
    """The possible findings of a comparison."""

    FASTER = "faster"
    EQUIVALENT = "no difference"
    OPEN = "not enough data"


@dataclass(frozen=True)
class Verdict:
    """The comparison of two contenders.

    `interval` is that of the slower one's time over the faster one's, so its ratio is 1 or more; None when there were
    too few rounds. `faster` and `slower` are labels; for an open or equivalent pair their order means nothing. `doubts`
    are why an interval is not to be trusted, for a pair that is open because of them. `mean` is the ratio of mean
    times, the same way round: it may be below 1.
    """

    finding: Finding
    faster: str
    slower: str
    interval: Interval | None
    margin: float
    doubts: tuple[Doubt, ...] = ()
    mean: Interval | None = None

    @property
    def means_disagree(self) -> bool:
        """Whether the mean times contradict the typical rounds.

        They do if typical rounds are equivalent and the means are not, or if the means surely have the opposite order.
        """
        if self.interval is None or self.mean is None:
            return False
        if within(self.interval, self.margin):
            return not 1 / (1 + self.margin) <= self.mean.ratio <= 1 + self.margin
        return self.interval.low > 1 and self.mean.high < 1

    @property
    def decided(self) -> bool:
        """Whether more rounds could not change the finding in practice."""
        return self.interval is not None and decides(self.interval, self.margin)


def judge(a: str, b: str, b_over_a: Interval | None, margin: float, mean: Interval | None = None) -> Verdict:
    """Return the verdict on contenders `a` and `b` from the interval of b's time over a's, and from that of the means.

    Equivalent: the whole interval lies within the margin of equivalence, 1/(1+margin) to 1+margin (two one-sided tests:
    Schuirmann 1987). Faster: the interval excludes 1. Open: neither, or the means disagree.
    """
    if b_over_a is None:
        return Verdict(Finding.OPEN, a, b, None, margin)
    faster, slower, interval = (a, b, b_over_a) if b_over_a.ratio >= 1 else (b, a, b_over_a.inverse())
    if mean is not None and faster == b:
        mean = mean.inverse()
    verdict = Verdict(Finding.OPEN, faster, slower, interval, margin, mean=mean)
    if verdict.means_disagree:
        return verdict
    if within(interval, margin):
        return replace(verdict, finding=Finding.EQUIVALENT)
    return replace(verdict, finding=Finding.FASTER) if interval.low > 1 else verdict


def within(interval: Interval, margin: float) -> bool:
    """Return whether the whole interval lies within the margin of equivalence."""
    return interval.high <= 1 + margin and interval.low >= 1 / (1 + margin)


def decides(interval: Interval, margin: float) -> bool:
    """Return whether the interval lies on one side of the margin, or within it; False if its rounds contradict."""
    beyond = interval.low > 1 + margin or interval.high < 1 / (1 + margin)
    return interval.steady and (beyond or within(interval, margin))
