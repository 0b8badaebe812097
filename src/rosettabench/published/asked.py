"""Which contests the claims ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rosettabench.published.available import Available, lacking
from rosettabench.published.claim import SERIES, Arm, Claim, Part


def claims_asking(claims: Iterable[Claim], workload: str, setting: Mapping[str, Any], here: Available) -> int:
    """Return how many claims that can be tested here need a contest of `workload` with this setting."""
    return sum(any(needs(part, workload, setting) and not lacking(part, here) for part in one.parts) for one in claims)


def needs(part: Part, workload: str, setting: Mapping[str, Any]) -> bool:
    """Whether a part needs this contest: for one of its arms, or for the libraries that it puts in order."""
    if part.shipped or part.workload != workload:
        return False
    arms = [arm for arm in (part.a, part.b) if arm] or [Arm(frameworks=())]
    where = {axis: value for axis, value in part.where.items() if not (axis == SERIES and part.every_series)}
    wanted = [{**where, **arm.set} for arm in arms]
    varied = all(setting.get(axis) in values for axis, values in part.best.items())
    return varied and any(all(setting.get(axis) == one[axis] for axis in one) for one in wanted)
