"""Detect the oddities of a contest that make its verdicts doubtful.

An interval assumes a constant ratio. A contender that leaks memory or heats up, a laptop that was closed during a
round, a clock that was set back: these are not noise, and no interval allows for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp, expm1, log, log1p, nan
from statistics import median
from typing import TypeVar

import numpy as np

from rosettabench.statistics.busy import Busy
from rosettabench.statistics.change_point import LEAST, segments
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.paging import Paging
from rosettabench.statistics.rounds import Processes, Rounds, by_process, possible

Found = TypeVar("Found")

ERROR = 0.01
"""Probability of a false drift in the rounds of one process; shared by its contenders (Bonferroni). For a contest it
is up to as many times larger as there are processes."""

FEWEST_FOR_DRIFT = 10
"""Fewest rounds in which a trend is sought."""

ABSURD = 10.0
"""A block that takes this many times its contender's median was interrupted, not slow."""

SHORTEST_GAP_S = 60.0
"""A shorter pause between rounds is not reported: somebody pressed Ctrl-Z, or a disk woke up."""


@dataclass(frozen=True)
class Drift(Doubt):
    """A contender that gets slower or faster relative to the others.

    `change` is the change of its relative time from the first to the last round: 0.1 is 10% slower. `p_value` is that
    of Kendall's test.
    """

    contender: str
    against: str
    change: float
    p_value: float

    @property
    def sentence(self) -> str:
        """The drift in words."""
        how = "slower" if self.change > 0 else "faster"
        return f"{self.contender} got {how} by {abs(self.change):.1%} relative to {self.against} during the contest."


@dataclass(frozen=True)
class Shift(Doubt):
    """A contender whose time, relative to the others, was `times` its usual one in rounds `first` to `last`."""

    contender: str
    against: str
    first: int
    last: int
    times: float

    @property
    def sentence(self) -> str:
        """The shift in words."""
        what = f"{self.contender} took {self.times:.2f}× its usual time, relative to {self.against}"
        return f"{what}, in rounds {self.first} to {self.last}."


@dataclass(frozen=True)
class Interruption(Doubt):
    """A block that took `times` its contender's median, far more than a slow one."""

    contender: str
    round: int
    times: float

    @property
    def sentence(self) -> str:
        """The interruption in words."""
        return f"{self.contender} took {self.times:.0f}× its usual time in round {self.round}: was it interrupted?"


@dataclass(frozen=True)
class Impossible(Doubt):
    """A time that no working clock can measure."""

    contender: str
    round: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The impossible time in words."""
        return f"{self.contender} took {self.seconds:g} s in round {self.round}: the clock is not to be trusted."


@dataclass(frozen=True)
class Gap(Doubt):
    """A pause before a round, far longer than rounds take; negative if the clock went back."""

    round: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The gap in words."""
        if self.seconds < 0:
            return f"The machine's clock went back by {-self.seconds:.0f} s before round {self.round} ended."
        return f"{self.seconds:.0f} s passed before round {self.round} ended: was the machine suspended?"


Oddity = Drift | Shift | Interruption | Impossible | Gap | Busy | Paging


def oddities_by_process(contenders: Mapping[str, Rounds], processes: Processes, margin: float) -> list[Oddity]:
    """Return the oddities of a contest, each process examined separately.

    A new process may keep another level for its whole life; spread.py measures that.
    """
    groups = {label: by_process(rounds, processes) for label, rounds in contenders.items()}
    return [
        oddity
        for process in sorted(set(processes.values()))
        for oddity in oddities({label: group.get(process, {}) for label, group in groups.items()}, margin)
    ]


def casts_doubt(oddity: Oddity) -> bool:
    """Return whether the oddity makes verdicts doubtful, on its contender or on all; others are only told."""
    return isinstance(oddity, Drift | Shift | Impossible | Busy)


def oddities(contenders: Mapping[str, Rounds], margin: float) -> list[Oddity]:
    """Return the oddities of a contest, by contender and round; drifts and shifts only above `margin`."""
    return [
        *impossible_times(contenders),
        *interruptions(contenders),
        *drifts(contenders, margin),
        *shifts(contenders, margin),
    ]


def impossible_times(contenders: Mapping[str, Rounds]) -> list[Impossible]:
    """Return the times that no working clock can measure: not positive, not finite, or outside all bounds."""
    return [
        Impossible(label, number, seconds)
        for label, rounds in contenders.items()
        for number, seconds in sorted(rounds.items())
        if not possible(seconds)
    ]


def interruptions(contenders: Mapping[str, Rounds]) -> list[Interruption]:
    """Return the blocks that took at least ABSURD times the median of their contender."""
    found = []
    for label, rounds in contenders.items():
        usual = median(list(filter(possible, rounds.values())) or [1.0])
        longest = [(number, seconds / usual) for number, seconds in sorted(rounds.items()) if possible(seconds)]
        found += [Interruption(label, number, times) for number, times in longest if times >= ABSURD]
    return found


def drifts(contenders: Mapping[str, Rounds], margin: float) -> list[Drift]:
    """Return the contenders whose time relative to the others has a trend of more than `margin` over the contest.

    The permitted error is that of one look: call it once, when the contest is over.
    """
    level = ERROR / max(1, len(contenders))

    def drifting(label: str, left: Mapping[str, Rounds]) -> Drift | None:
        """Return a contender's trend if it is significant and large enough to matter."""
        found = trend(label, left, level)
        return found if found and abs(found.change) > margin else None

    return worst_first(contenders, drifting, lambda drift: abs(log1p(drift.change)))


def shifts(contenders: Mapping[str, Rounds], margin: float) -> list[Shift]:
    """Return the contenders whose time relative to the others was at another level, by more than `margin`, for a while.

    The levels come from change points (change_point.py); the usual level is that of the longest segment.
    """
    return worst_first(contenders, lambda label, left: shift(label, left, margin), lambda found: abs(log(found.times)))


def worst_first(
    contenders: Mapping[str, Rounds],
    find: Callable[[str, Mapping[str, Rounds]], Found | None],
    size: Callable[[Found], float],
) -> list[Found]:
    """Return what `find` finds, the largest first; each contender found is removed before the next search.

    So no contender is blamed for the oddity of another that it is compared with. With two contenders it is unknown
    which of them is odd, and the second is named.
    """
    left, found = dict(contenders), []
    while len(left) > 1:
        labels = list(left) if len(left) > 2 else list(left)[1:]
        odd = [(size(one), label, one) for label in labels if (one := find(label, left)) is not None]
        if not odd:
            break
        _, label, one = max(odd, key=lambda entry: entry[0])
        found.append(one)
        del left[label]
    return found


def shift(label: str, contenders: Mapping[str, Rounds], margin: float) -> Shift | None:
    """Return the largest shift of a contender's time relative to the others; None if its levels are equivalent."""
    series = relative_logs(label, contenders)
    cut = segments([exp(value) for _, value in series]) if series else ()
    lasting = [segment for segment in cut if segment.end - segment.start >= LEAST]
    if len(lasting) < 2:
        return None
    usual = max(lasting, key=lambda segment: segment.end - segment.start).level
    other = max(lasting, key=lambda segment: abs(log(segment.level / usual)))
    if abs(log(other.level / usual)) <= log1p(margin):
        return None
    first, last = series[other.start][0], series[other.end - 1][0]
    return Shift(label, opponents(label, contenders), first, last, other.level / usual)


def trend(label: str, contenders: Mapping[str, Rounds], level: float) -> Drift | None:
    """Return the trend of a contender's time relative to the others, if it is significant at `level`.

    The test is Kendall's rank correlation with the number of the round (Mann 1945); the change comes from Theil and
    Sen's slope, which takes longer. Single bursts hardly affect either. Below FEWEST_FOR_DRIFT common rounds nothing is
    significant.
    """
    series = tuple(relative_logs(label, contenders))
    p_value = trend_p_value(series) if len(series) >= FEWEST_FOR_DRIFT else nan
    if not p_value <= level:  # also where it is not a number, as of equal times
        return None
    return Drift(label, opponents(label, contenders), expm1(slope(series) * (series[-1][0] - series[0][0])), p_value)


@lru_cache(maxsize=1024)
def trend_p_value(series: tuple[tuple[int, float], ...]) -> float:
    """Return the p-value of `trend`. It is kept: a report and a history ask for the same one."""
    from scipy.stats import kendalltau

    return float(kendalltau(*zip(*series, strict=True)).pvalue)


@lru_cache(maxsize=1024)
def slope(series: tuple[tuple[int, float], ...]) -> float:
    """Return the slope of `trend`, which is kept as well."""
    from scipy.stats import theilslopes

    numbers, values = zip(*series, strict=True)
    return float(theilslopes(values, numbers).slope)


def relative_logs(label: str, contenders: Mapping[str, Rounds]) -> list[tuple[int, float]]:
    """Return (round, log of a contender's time over the median of the others') of the rounds in which all took part."""
    others = [rounds for other, rounds in contenders.items() if other != label]
    own = contenders[label]
    common = sorted(set(own).intersection(*others)) if others else []
    whole = [number for number in common if all(possible(rounds[number]) for rounds in (own, *others))]
    if not whole:
        return []
    logs = np.log([[rounds[number] for number in whole] for rounds in (own, *others)])
    return list(zip(whole, (logs[0] - np.median(logs[1:], axis=0)).tolist(), strict=True))


def opponents(label: str, contenders: Mapping[str, Rounds]) -> str:
    """Return the name of the only other contender, or of all others together."""
    others = [other for other in contenders if other != label]
    return others[0] if len(others) == 1 else "the others"


def gaps(moments: Mapping[int, float]) -> list[Gap]:
    """Return the pauses in a contest from the wall-clock times, in seconds, at which its rounds ended.

    The clock of the blocks stands still while a machine is suspended; the wall clock goes on.
    """
    numbers = sorted(moments)
    lengths = [(after, moments[after] - moments[before]) for before, after in pairwise(numbers)]
    usual = typical([seconds for _, seconds in lengths])
    longest = max(SHORTEST_GAP_S, ABSURD * usual)
    return [Gap(number, seconds) for number, seconds in lengths if seconds < 0 or seconds > longest]


def typical(lengths: Sequence[float]) -> float:
    """Return the median of the positive lengths, computed on their logarithms; 0 without any."""
    positive = [log(length) for length in lengths if length > 0]
    return exp(median(positive)) if positive else 0.0
