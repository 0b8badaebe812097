"""Find the contests that claims ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from rosettabench.plan.series import SERIES
from rosettabench.published.available import Available, lacking
from rosettabench.published.claim import Arm, Claim, ClaimPart


def claims_asking(
    claims: Iterable[Claim], workload: str, setting: Mapping[str, Any], here: Available
) -> frozenset[str]:
    """Return the names of the claims that can be tested here and need a contest of `workload` with this setting."""
    return frozenset(
        claim.id
        for claim in claims
        if any(needs(part, workload, setting) and not lacking(part, here) for part in claim.parts)
    )


def intervals_together(claims: Iterable[Claim], here: Available) -> int:
    """Return the largest number of intervals that one claim needs to hold together, among the testable claims.

    Each part of a claim takes an equal share of the permitted error, divided among the values that may be the best.
    """
    tested = [[part for part in claim.parts if not lacking(part, here)] for claim in claims]
    return max((len(parts) * max(choices(part) for part in parts) for parts in tested if parts), default=1)


def choices(part: ClaimPart) -> int:
    """Return the number of settings from which a part chooses the best."""
    return prod(len(values) for values in part.best.values())


def needs(part: ClaimPart, workload: str, setting: Mapping[str, Any]) -> bool:
    """Return whether a part needs this contest, for one of its arms or for the libraries that it puts in order."""
    if part.shipped or part.workload != workload:
        return False
    arms = [arm for arm in (part.a, part.b) if arm] or [Arm(frameworks=())]
    where = {axis: value for axis, value in part.where.items() if not (axis == SERIES and part.every_series)}
    wanted = [{**where, **arm.set} for arm in arms]
    varied = all(setting.get(axis) in values for axis, values in part.best.items())
    return varied and any(all(setting.get(axis) == one[axis] for axis in one) for one in wanted)
