"""Whether the machine had other things to do during a contest: then its times are not the contenders' own.

Turns meet the same weather in the long run, and yet do not suffer alike: of two threads that wait for each other both
stand still where one has lost its processor, and a contender that is short of memory bandwidth loses more than one that
is not. So a ratio that was measured beside other programs is one of these contenders and these programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rosettabench.statistics.doubt import Doubt

MOST_LOAD = 0.05
"""Share of the processors' time that others may have for a verdict: docs/explanation/method.md, "Load", says why so
much."""


class Loaded(Protocol):
    """What others used of the processors' time in a round that lasted `seconds`, as shares."""

    @property
    def seconds(self) -> float:
        """Wall time of the round."""

    @property
    def others(self) -> float:
        """Share that programs outside the contest used."""

    @property
    def stolen(self) -> float:
        """Share that the hypervisor used."""


@dataclass(frozen=True)
class Busy(Doubt):
    """The machine computed for others, too, by more than MOST_LOAD: shares of the processors' time over all rounds."""

    others: float
    stolen: float

    @property
    def sentence(self) -> str:
        """It in words."""
        used = f"Other programs used {self.others:.0%} of the processors' time during the rounds"
        stolen = f", and the hypervisor took {self.stolen:.0%} of it" if self.stolen >= 0.005 else ""
        return f"{used}{stolen}: above {MOST_LOAD:.0%} in all there is no verdict."


def busy(rounds: Iterable[Loaded]) -> Busy | None:
    """Return the load of all rounds together where it is too high for a verdict; None where it is not, or not known."""
    known = [one for one in rounds if one.seconds]
    if not known:
        return None
    others, stolen = mean_load(known)
    return Busy(others, stolen) if others + stolen > MOST_LOAD else None


def mean_load(rounds: Sequence[Loaded]) -> tuple[float, float]:
    """Return the shares that others and the hypervisor used over all rounds, each weighted by its seconds."""
    seconds = sum(one.seconds for one in rounds)
    others = sum(one.others * one.seconds for one in rounds) / seconds
    return others, sum(one.stolen * one.seconds for one in rounds) / seconds
