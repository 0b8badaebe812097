"""Compare two arms by time or by CPU use.

The ratio of two contenders in one contest is paired within rounds, like the contest's own verdicts
(statistics/ranking.py). Across contests nothing is paired; statistics/across.py gives a range instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosettabench.plan.setting import Value
from rosettabench.published.available import Available
from rosettabench.published.cell import PublishedCell, find_pair
from rosettabench.published.claim import ClaimPart, Quantity
from rosettabench.published.measurement import empty, with_interval, words
from rosettabench.statistics.across import ratio_across
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import relative_time
from rosettabench.statistics.rounds import Rounds
from rosettabench.store.record import Phase
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def compare_arms(
    part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available, tests: int
) -> Measurement:
    """Measure arm `a` over arm `b` at one setting; `tests` such measurements hold together."""
    pair = find_pair(part, where, runs, here)
    if not pair:
        return Measurement(reasons=(Note(NoteKind.PAIR_UNMEASURED, words(part.a), words(part.b)),))
    a, b = pair
    if reasons := unsound(a, b):
        return replace(empty(a, b), reasons=reasons)
    return compare_cells(part.quantity, a, b, tests)


def compare_cells(quantity: Quantity, a: PublishedCell, b: PublishedCell, tests: int) -> Measurement:
    """Return the ratio of two cells, with its interval."""
    if a.contest is not b.contest and quantity is Quantity.CPU:
        return replace(empty(a, b), reasons=(Note(NoteKind.PAIRING),))
    return with_interval(empty(a, b), ratio_of(quantity, a, b, tests))


def ratio_of(quantity: Quantity, a: PublishedCell, b: PublishedCell, tests: int) -> Interval | None:
    """Return the interval of the ratio of two cells, one of `tests` that hold together; None with too few rounds."""
    if a.contest is b.contest:
        rounds_a, rounds_b = (cpu_rounds(a), cpu_rounds(b)) if quantity is Quantity.CPU else (a.rounds, b.rounds)
        interval = relative_time(rounds_b, rounds_a, a.processes, a.confidence, a.tests * tests)
    else:
        interval = ratio_across(a.per_sample, b.per_sample, a.confidence, tests)
    return interval.inverse() if interval and quantity is Quantity.THROUGHPUT else interval


def unsound(a: PublishedCell, b: PublishedCell) -> tuple[Doubt, ...]:
    """Return why two cells cannot be compared: one cannot be judged, or their contest doubts its own verdict on them.

    Nothing where they can.
    """
    if unjudged := tuple(Note(NoteKind.UNJUDGED, cell.entry) for cell in (a, b) if not cell.judged):
        return unjudged
    return doubts(a, b) if a.contest is b.contest else ()


def doubts(a: PublishedCell, b: PublishedCell) -> tuple[Doubt, ...]:
    """Return the doubts of the contest about its verdict on a pair."""
    labels = {a.entry.label, b.entry.label}
    return tuple(one for pair in a.contest.verdicts if {pair.faster, pair.slower} == labels for one in pair.doubts)


def cpu_rounds(cell: PublishedCell) -> Rounds:
    """Return the number of cores that a contender kept busy in each of its rounds."""
    busy: dict[int, tuple[float, float]] = {}
    for sample in cell.entry.samples:
        if sample.phase == Phase.TURN and sample.round in cell.rounds:
            cpu, wall = busy.get(sample.round, (0.0, 0.0))
            busy[sample.round] = (cpu + sample.cpu_s, wall + sample.elapsed_s)
    return {number: cpu / wall for number, (cpu, wall) in busy.items()}
