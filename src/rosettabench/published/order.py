"""Measure many libraries together: whether they come in the published order, and the ratio of the extremes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

from rosettabench.published.available import Available
from rosettabench.published.cell import PublishedCell, cells
from rosettabench.published.claim import Arm, ClaimPart
from rosettabench.published.comparison import doubt
from rosettabench.published.measurement import empty
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import relative_time
from rosettabench.statistics.verdict import within
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary

TOO_FEW = "no contest has measured two of these libraries"


def together(part: ClaimPart, runs: Sequence[RunSummary], here: Available) -> dict[tuple[str, ...], PublishedCell]:
    """Return {names in `among`: cell} from the contest that has most of them, in the claim's order.

    Among equals, a contest with the study's batch size is preferred.
    """
    by_contest: dict[int, dict[tuple[str, ...], PublishedCell]] = {}
    for names in part.among:
        for cell in cells(runs, part.workload, Arm(frameworks=names), part.where, here):
            if not cell.fault:
                by_contest.setdefault(id(cell.contest), {}).setdefault(names, cell)
    return max(by_contest.values(), key=lambda found: (len(found), of_the_batch(found)), default={})


def of_the_batch(found: dict[tuple[str, ...], PublishedCell]) -> bool:
    """Return whether cells have the batch size of the claim, or else of the study."""
    return all(cell.instead_of_batch is None for cell in found.values())


def later_over_earlier(
    part: ClaimPart, found: dict[tuple[str, ...], PublishedCell], tests: int
) -> list[Interval | None]:
    """Return, for every pair not published as tied, the interval of the later one's time over the earlier one's."""
    return [
        relative_time(found[one].rounds, found[other].rounds, found[one].processes, found[one].confidence, tests)
        for one, other in combinations(found, 2)
        if {one[0], other[0]} not in [set(pair) for pair in part.tied]
    ]


def spread_measured(part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int) -> Measurement:
    """Measure the slowest time over the fastest; the interval is that of the largest of all ratios."""
    found = together(part, runs, here)
    if len(found) < 2:
        return Measurement(reason=TOO_FEW)
    measurement = replace(of_all(found), missing=unmeasured_words(part, found))
    intervals = later_over_earlier(part, found, next(iter(found.values())).tests * parts)
    if doubts := doubts_of(found):
        return replace(measurement, reason=doubts)
    known = [one if one.ratio >= 1 else one.inverse() for one in intervals if one is not None]
    if len(known) < len(intervals):
        return replace(measurement, reason="too few common rounds")
    return replace(
        measurement,
        value=max(one.ratio for one in known),
        low=max(1.0, *(one.low for one in known)),
        high=inf if measurement.missing else max(one.high for one in known),
    )


def of_all(found: dict[tuple[str, ...], PublishedCell]) -> Measurement:
    """Return a measurement of all cells, without its number, named slowest over fastest."""
    ordered = sorted(found.values(), key=lambda cell: cell.entry.rank or 0)
    measurement = empty(*ordered)
    return replace(measurement, what=f"{ordered[-1].entry.label} over {ordered[0].entry.label}")


def order_measured(part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int) -> tuple[Measurement, str]:
    """Measure the order of the libraries; return also a sentence with the number of pairs by result.

    The value is the share of pairs that are surely as published, or equivalent. `low` counts only these, `high` also
    the open ones. So 1 to 1 is the published order, and `high` below 1 refutes it.
    """
    found = together(part, runs, here)
    if len(found) < 2:
        return Measurement(reason=TOO_FEW), ""
    first = next(iter(found.values()))
    intervals = later_over_earlier(part, found, first.tests * parts)
    right = sum(one is not None and (one.low > 1 or within(one, first.margin)) for one in intervals)
    wrong = sum(one is not None and one.high < 1 and not within(one, first.margin) for one in intervals)
    pairs = len(intervals)
    labels = ", ".join(cell.entry.label for cell in sorted(found.values(), key=lambda cell: cell.entry.rank or 0))
    said = f"{right} of {pairs} pairs as published, {wrong} the other way round, {pairs - right - wrong} open"
    measurement = replace(empty(*found.values()), what=labels, missing=unmeasured_words(part, found))
    if doubts := doubts_of(found):
        return replace(measurement, reason=doubts), ""
    return replace(measurement, value=right / pairs, low=right / pairs, high=(pairs - wrong) / pairs), said


def unmeasured_words(part: ClaimPart, found: dict[tuple[str, ...], PublishedCell]) -> str:
    """Return in words which of a part's libraries were not measured; empty if all were."""
    missing = [names[0] for names in part.among if names not in found]
    return f"{len(missing)} of the {len(part.among)} libraries ({', '.join(missing)})" if missing else ""


def doubts_of(found: dict[tuple[str, ...], PublishedCell]) -> str:
    """Return the doubts of the contest about its verdicts on these cells; empty if there are none."""
    return " ".join(dict.fromkeys(one for a, b in combinations(found.values(), 2) for one in doubt(a, b)))
