"""Whether other programs used the machine during a contest: then its times do not describe the contenders alone.

In the long run all contenders meet the same load, but they do not lose the same by it. If one of two threads that wait
for each other loses its processor, both stand still; and a contender short of memory bandwidth loses more than others.
So a ratio measured beside other programs depends on these programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rosettabench.statistics.doubt import Doubt

MOST_LOAD = 0.05
"""Largest share of the processors' time that others may use for a verdict to hold; docs/explanation/method.md, "Load",
has the reason for the value."""


class Loaded(Protocol):
    """The shares of the processors' time that others used in a round of `seconds`."""

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
    """A load above MOST_LOAD: shares of the processors' time over all rounds."""

    others: float
    stolen: float

    @property
    def sentence(self) -> str:
        """The load in words."""
        used = f"Other programs used {self.others:.0%} of the processors' time during the rounds"
        stolen = f", and the hypervisor took {self.stolen:.0%} of it" if self.stolen >= 0.005 else ""
        return f"{used}{stolen}: above {MOST_LOAD:.0%} in all there is no verdict."


def busy(rounds: Iterable[Loaded]) -> Busy | None:
    """Return the load of all rounds together if it is too high for a verdict; None if it is not, or is not known."""
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
