"""Combine contests on many sets of series: the ratio of the sums of their step times.

The study took equally many steps on every set, so each sum has one step of each set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from rosettabench.data.series.monash import all_monash_sets
from rosettabench.plan.series import SERIES
from rosettabench.plan.setting import Value
from rosettabench.published.available import Available
from rosettabench.published.cell import PublishedCell, find_pair
from rosettabench.published.claim import ClaimPart, Quantity
from rosettabench.published.comparison import ratio_of, unsound
from rosettabench.published.measurement import empty, lacking_sets, with_interval, words
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.factors import pool_ratios
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def over_all_series(
    part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available, tests: int
) -> Measurement:
    """Return the ratio of arm `a` to arm `b` over the sets of the study judged in the newest run that has some."""
    sets = [one.key for one in all_monash_sets().values() if one.study]
    reasons: tuple[Doubt, ...] = ()
    for run in runs:
        found = [find_pair(part, {**where, SERIES: key}, [run], here) for key in sets]
        pairs = [(a, b) for a, b in filter(None, found) if a.contest is b.contest]
        sound = [(a, b) for a, b in pairs if not unsound(a, b)]
        if sound:
            return join_pairs(part, sound, len(sets), tests)
        if pairs:
            reasons = reasons or unsound(*pairs[0])
    return Measurement(reasons=reasons or (Note(NoteKind.PAIR_UNMEASURED_ON_SETS, words(part.a), words(part.b)),))


def join_pairs(
    part: ClaimPart, pairs: Sequence[tuple[PublishedCell, PublishedCell]], sets: int, tests: int
) -> Measurement:
    """Combine pairs, each from one contest on a set, into one measurement."""
    cells = [cell for pair in pairs for cell in pair]
    under = [a if part.quantity is Quantity.THROUGHPUT else b for a, b in pairs]
    found = empty(*cells)
    found = replace(
        found,
        paired=True,
        what=f"{words(part.a)} over {words(part.b)}",
        remarks=(
            Note(NoteKind.OVER_SETS, len(pairs), sets),
            *(one for one in found.remarks if one.kind is not NoteKind.UNPAIRED),
        ),
    )
    found = replace(found, missing=lacking_sets(len(pairs), sets))
    ratios = [ratio_of(part.quantity, a, b, tests * len(pairs)) for a, b in pairs]
    known = [one for one in ratios if one is not None]
    if len(known) < len(ratios):
        return replace(found, reasons=(Note(NoteKind.ROUNDS_ON_A_SET),))
    return with_interval(found, pool_ratios(known, [median(cell.per_sample) for cell in under]))
