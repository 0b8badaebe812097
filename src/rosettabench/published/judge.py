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
        sentence=summed_up(finding, parts),
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


def summed_up(finding: ClaimFinding, parts: Sequence[PartOutcome]) -> str:
    """Return the sentence about a claim: that of its only part, or the number of parts by finding."""
    if len(parts) == 1:
        return parts[0].sentence
    of_kind = {kind: [part for part in parts if part.finding is kind] for kind in ClaimFinding}
    if finding is ClaimFinding.UNTESTABLE:
        return " ".join(dict.fromkeys(part.sentence for part in parts))
    counts = ", ".join(f"{len(found)} {kind.value}" for kind, found in of_kind.items() if found)
    telling = next(iter(of_kind[finding] or of_kind[ClaimFinding.UNTESTABLE]))
    return f"Of {len(parts)} parts: {counts}. {telling.name}: {telling.sentence}"


def judge_part(part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int) -> PartOutcome:
    """Judge one part of a claim that has `parts` testable parts."""
    needs = lacking(part, here)
    expected = range_words(part.expected) if part.expected else "this order"
    if needs:
        sentence = f"It needs {'; '.join(needs)}."
        return PartOutcome(part.name, expected, ClaimFinding.UNTESTABLE, Measurement(), sentence)
    if part.shipped:
        measurement = trainings_measured(part, runs)
        finding, sentence = judge_range(measurement, part.expected, part.quantity)
    elif part.quantity is Quantity.ORDER:
        finding, measurement, sentence = judge_order(part, runs, here, parts)
    else:
        measurement = measure(part, runs, here, parts)
        finding, sentence = judge_range(measurement, part.expected, part.quantity)
    if measurement.missing and not measurement.reason:
        finding = ClaimFinding.OPEN if finding is ClaimFinding.HOLDS else finding
        sentence = f"{sentence} Not measured: {measurement.missing}.".strip()
    return PartOutcome(part.name, expected, finding, measurement, sentence)


def judge_order(
    part: ClaimPart, runs: Sequence[RunSummary], here: Available, parts: int
) -> tuple[ClaimFinding, Measurement, str]:
    """Judge whether the libraries come in the published order: it holds if all pairs do, and fails if one does."""
    measurement, said = order_measured(part, runs, here, parts)
    sentence = sentence_of(said or measurement.reason, measurement)
    if measurement.low is None or measurement.high is None:
        return ClaimFinding.OPEN, measurement, sentence
    if measurement.high < 1:
        return ClaimFinding.FAILS, measurement, sentence
    return ClaimFinding.HOLDS if measurement.low == 1 else ClaimFinding.OPEN, measurement, sentence


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
        reasons = dict.fromkeys(one.reason for one in found if one.reason)
        return Measurement(reason="; ".join(reasons) or "not every value of the axis was measured often enough")
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


def judge_range(measurement: Measurement, expected: Range | None, quantity: Quantity) -> tuple[ClaimFinding, str]:
    """Return the finding for a measured interval and an expected range, and the sentence about it."""
    assert expected is not None
    if measurement.reason or measurement.low is None or measurement.high is None:
        return ClaimFinding.OPEN, sentence_of(measurement.reason or "too few rounds for an interval", measurement)
    low, high = expected.ends
    if low <= measurement.low and measurement.high <= high:
        return ClaimFinding.HOLDS, sentence_of("", measurement)
    if measurement.high < low or measurement.low > high:
        equal = 0.0 if quantity is Quantity.ACCURACY else 1.0
        return ClaimFinding.FAILS, sentence_of(
            direction(measurement.low, measurement.high, low, high, equal), measurement
        )
    return ClaimFinding.OPEN, sentence_of("the interval reaches beyond what is expected", measurement)


def direction(low: float, high: float, expected_low: float, expected_high: float, equal: float) -> str:
    """Return whether at least the direction of a refuted claim is right; empty if it has none."""
    larger, smaller = expected_low > equal, expected_high < equal
    if not (larger or smaller):
        return ""
    if (low > equal and larger) or (high < equal and smaller):
        return "the direction is right, the size is not"
    if (high < equal and larger) or (low > equal and smaller):
        return "it is the other way round"
    return "there is no such difference"


def sentence_of(why: str, measurement: Measurement) -> str:
    """Return a reason and the remarks on a measurement as a sentence."""
    said = "; ".join(filter(None, (why.removesuffix("."), *measurement.remarks)))
    return f"{said[0].upper()}{said[1:]}." if said else ""


def range_words(expected: Range) -> str:
    """Return an expected range: ``0.645 to 0.781``, ``above 1``, ``below 1.05``."""
    from rosettabench.summary.figures import span

    low, high = expected.ends
    if high == float("inf"):
        return f"above {low:g}"
    return f"below {high:g}" if low == -float("inf") else span(low, high)
