"""What an interval allows to say, and nothing more."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rosettabench.statistics.interval import Interval


class Finding(StrEnum):
    """The three things that a comparison can find."""

    FASTER = "faster"
    EQUIVALENT = "no difference"
    OPEN = "not enough data"


@dataclass(frozen=True)
class Verdict:
    """The comparison of two contenders.

    `interval` is that of the slower one's time over the faster one's, so its ratio is 1 or more; None when there were
    too few rounds. `faster` and `slower` are labels; for an open or equivalent pair their order means nothing. `doubt`
    is why an interval is not to be trusted, for a pair that is open because of it.
    """

    finding: Finding
    faster: str
    slower: str
    interval: Interval | None
    margin: float
    doubt: str = ""

    @property
    def decided(self) -> bool:
        """Whether more rounds could not change what it means in practice."""
        return self.interval is not None and decides(self.interval, self.margin)


def judge(a: str, b: str, b_over_a: Interval | None, margin: float) -> Verdict:
    """Return the verdict on contenders `a` and `b` from the interval of b's time over a's.

    Equivalent: the whole interval lies within the margin of practical equivalence, 1/(1+margin) to 1+margin (two
    one-sided tests: Schuirmann 1987). Faster: the interval leaves out 1. Otherwise open.
    """
    if b_over_a is None:
        return Verdict(Finding.OPEN, a, b, None, margin)
    faster, slower, interval = (a, b, b_over_a) if b_over_a.ratio >= 1 else (b, a, b_over_a.inverse())
    if within(interval, margin):
        return Verdict(Finding.EQUIVALENT, faster, slower, interval, margin)
    if interval.low > 1:
        return Verdict(Finding.FASTER, faster, slower, interval, margin)
    return Verdict(Finding.OPEN, faster, slower, interval, margin)


def within(interval: Interval, margin: float) -> bool:
    """Whether the whole interval lies within the margin of practical equivalence."""
    return interval.high <= 1 + margin and interval.low >= 1 / (1 + margin)


def decides(interval: Interval, margin: float) -> bool:
    """Whether the whole interval lies on one side of the margin, or within it; never where its rounds contradict."""
    beyond = interval.low > 1 + margin or interval.high < 1 / (1 + margin)
    return interval.steady and (beyond or within(interval, margin))
