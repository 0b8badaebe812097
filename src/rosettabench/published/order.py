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
from rosettabench.published.comparison import doubts
from rosettabench.published.measurement import empty
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import relative_time
from rosettabench.statistics.verdict import within
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def cells_of_one_contest(
    part: ClaimPart, runs: Sequence[RunSummary], here: Available
) -> dict[tuple[str, ...], PublishedCell]:
    """Return {names in `among`: cell} from the contest that has most of them, in the claim's order.

    Among equals, a contest with the study's batch size is preferred.
    """
    by_contest: dict[int, dict[tuple[str, ...], PublishedCell]] = {}
    for names in part.among:
        for cell in cells(runs, part.workload, Arm(frameworks=names), part.where, here):
            if cell.judged:
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
    found = cells_of_one_contest(part, runs, here)
    if len(found) < 2:
        return Measurement(reasons=(Note(NoteKind.LIBRARIES),))
    measurement = replace(of_all(found), missing=find_unmeasured(part, found))
    intervals = later_over_earlier(part, found, next(iter(found.values())).tests * parts)
    if found_doubts := doubts_of(found):
        return replace(measurement, reasons=found_doubts)
    known = [one if one.ratio >= 1 else one.inverse() for one in intervals if one is not None]
    if len(known) < len(intervals):
        return replace(measurement, reasons=(Note(NoteKind.COMMON_ROUNDS),))
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


def order_measured(
    part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int
) -> tuple[Measurement, Note | None]:
    """Return who was measured, and how the pairs lie, None where that is not known.

    The value is the share of pairs that are surely as published, or equivalent. `low` counts only these, `high` also
    the open ones. So 1 to 1 is the published order, and `high` below 1 refutes it.
    """
    found = cells_of_one_contest(part, runs, here)
    if len(found) < 2:
        return Measurement(reasons=(Note(NoteKind.LIBRARIES),)), None
    first = next(iter(found.values()))
    intervals = later_over_earlier(part, found, first.tests * parts)
    right = sum(one is not None and (one.low > 1 or within(one, first.margin)) for one in intervals)
    wrong = sum(one is not None and one.high < 1 and not within(one, first.margin) for one in intervals)
    pairs = len(intervals)
    labels = ", ".join(cell.entry.label for cell in sorted(found.values(), key=lambda cell: cell.entry.rank or 0))
    counts = Note(NoteKind.PAIRS, right, pairs, wrong, pairs - right - wrong)
    measurement = replace(empty(*found.values()), what=labels, missing=find_unmeasured(part, found))
    if found_doubts := doubts_of(found):
        return replace(measurement, reasons=found_doubts), None
    return replace(measurement, value=right / pairs, low=right / pairs, high=(pairs - wrong) / pairs), counts


def find_unmeasured(part: ClaimPart, found: dict[tuple[str, ...], PublishedCell]) -> Note | None:
    """Return which of a part's libraries no cell stands for; None where all were measured."""
    missing = tuple(names[0] for names in part.among if names not in found)
    return Note(NoteKind.MISSING_LIBRARIES, len(missing), len(part.among), missing) if missing else None


def doubts_of(found: dict[tuple[str, ...], PublishedCell]) -> tuple[Doubt, ...]:
    """Return the doubts of the contest about its verdicts on these cells; empty if there are none."""
    said = dict.fromkeys(doubts(a, b) for a, b in combinations(found.values(), 2))
    return tuple(one for cells_of_one_contest in said for one in cells_of_one_contest)
