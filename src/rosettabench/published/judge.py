"""Judge claims by the available runs.

A part of a claim holds if its interval is within the expected range, fails if it is outside, and is open otherwise. A
claim holds if all its parts do, and fails if one fails. Incomplete measurements confirm nothing: neither some of a
claim's parts, nor some of the libraries or sets of series of a part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from rosettabench.plan.setting import Value
from rosettabench.published.all_series import over_all_series
from rosettabench.published.available import Available, lacking
from rosettabench.published.claim import Claim, ClaimPart, Quantity, Range
from rosettabench.published.comparison import compare_arms
from rosettabench.published.order import order_measured, spread_measured
from rosettabench.published.shipped import trainings_measured
from rosettabench.published.training import first_epoch, over_seeds
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import ClaimFinding, Measurement, Outcome, PartOutcome

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


def judge(claim: Claim, runs: Sequence[RunSummary], here: Available) -> Outcome:
    """Judge a claim by `runs`, the newest first; `here` is what could be measured."""
    testable = sum(not lacking(part, here) for part in claim.parts)
    parts = tuple(judge_part(part, runs, here, max(1, testable)) for part in claim.parts)
    finding = overall([part.finding for part in parts])
    return Outcome(
        id=claim.id,
        study=claim.study,
        says=claim.says,
        published=claim.published,
        note=claim.note,
        finding=finding,
        parts=parts,
    )


def overall(findings: Sequence[ClaimFinding]) -> ClaimFinding:
    """Return the finding for a claim from those of its parts."""
    if ClaimFinding.FAILS in findings:
        return ClaimFinding.FAILS
    testable = [finding for finding in findings if finding is not ClaimFinding.UNTESTABLE]
    if not testable:
        return ClaimFinding.UNTESTABLE
    return ClaimFinding.HOLDS if all(finding is ClaimFinding.HOLDS for finding in findings) else ClaimFinding.OPEN


def judge_part(part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int) -> PartOutcome:
    """Judge one part of a claim that has `parts` testable parts."""
    expected = part.expected.ends if part.expected else None
    if needs := lacking(part, here):
        return PartOutcome(part.name, expected, ClaimFinding.UNTESTABLE, needs=tuple(needs))
    if part.quantity is Quantity.ORDER and not part.shipped:
        measurement, sight = order_measured(part, runs, here, parts)
        finding = judge_order(measurement)
    else:
        measurement = trainings_measured(part, runs) if part.shipped else measure(part, runs, here, parts)
        finding, sight = judge_range(measurement, part.expected, part.quantity)
    if measurement.missing and not measurement.reasons and finding is ClaimFinding.HOLDS:
        finding = ClaimFinding.OPEN
    return PartOutcome(part.name, expected, finding, measurement, sight=sight)


def judge_order(measurement: Measurement) -> ClaimFinding:
    """Judge whether the libraries come in the published order: it holds if all pairs do, and fails if one does."""
    if measurement.low is None or measurement.high is None:
        return ClaimFinding.OPEN
    if measurement.high < 1:
        return ClaimFinding.FAILS
    return ClaimFinding.HOLDS if measurement.low == 1 else ClaimFinding.OPEN


def measure(part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int = 1) -> Measurement:
    """Measure a part with two arms, or one, in the first of `runs` that has them.

    `parts` parts are tested together: each takes an equal share of the permitted error.
    """
    choices = [dict(zip(part.best, values, strict=True)) for values in product(*part.best.values())]
    found = [measure_at(part, {**part.where, **choice}, runs, here, parts * len(choices)) for choice in choices]
    return found[0] if len(found) == 1 else largest(found)


def largest(found: Sequence[Measurement]) -> Measurement:
    """Return the largest of several ratios. Its interval is that of the maximum, since all intervals hold together."""
    known = [(one, one.value, one.low, one.high) for one in found]
    values = [(one, value, low, high) for one, value, low, high in known if value is not None]
    bounded = [(low, high) for _, _, low, high in values if low is not None and high is not None]
    if len(bounded) < len(found):
        reasons = tuple(one.reasons for one in found if one.reasons)
        return Measurement(reasons=(Note(NoteKind.SEVERAL, *reasons) if reasons else Note(NoteKind.VALUES),))
    best, value, _, _ = max(values, key=lambda one: one[1])
    return replace(best, value=value, low=max(low for low, _ in bounded), high=max(high for _, high in bounded))


def measure_at(
    part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available, tests: int
) -> Measurement:
    """Measure a part at one setting."""
    if part.quantity is Quantity.SPREAD:
        return spread_measured(part, runs, here, tests)
    if part.quantity is Quantity.FIRST_EPOCH:
        return first_epoch(part, where, runs, here)
    if part.quantity in (Quantity.ACCURACY, Quantity.LOSS):
        return over_seeds(part, where, runs, here)
    if part.every_series:
        return over_all_series(part, where, runs, here, tests)
    return compare_arms(part, where, runs, here, tests)


def judge_range(
    measurement: Measurement, expected: Range | None, quantity: Quantity
) -> tuple[ClaimFinding, Note | None]:
    """Return whether a measured interval lies within what is expected, and by what it misses it."""
    assert expected is not None
    if measurement.reasons or measurement.low is None or measurement.high is None:
        return ClaimFinding.OPEN, None
    low, high = expected.ends
    if low <= measurement.low and measurement.high <= high:
        return ClaimFinding.HOLDS, None
    if measurement.high < low or measurement.low > high:
        equal = 0.0 if quantity is Quantity.ACCURACY else 1.0
        return ClaimFinding.FAILS, direction(measurement.low, measurement.high, low, high, equal)
    return ClaimFinding.OPEN, Note(NoteKind.BEYOND)


def direction(low: float, high: float, expected_low: float, expected_high: float, equal: float) -> Note | None:
    """Return whether at least the direction of a refuted claim is right; None where it has none."""
    larger, smaller = expected_low > equal, expected_high < equal
    if not (larger or smaller):
        return None
    if (low > equal and larger) or (high < equal and smaller):
        return Note(NoteKind.WRONG_SIZE)
    if (high < equal and larger) or (low > equal and smaller):
        return Note(NoteKind.WRONG_WAY)
    return Note(NoteKind.NO_DIFFERENCE)
