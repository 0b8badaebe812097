"""The outcomes of a study's claims in words, with the reasons."""

from __future__ import annotations

from math import inf

from rosettabench.report.words import figures
from rosettabench.report.words.note import note_words, reasons_words
from rosettabench.summary.study import ClaimFinding, Outcome, PartOutcome, ThenAndNow


def finding_words(outcome: Outcome) -> str:
    """Return the finding of a claim: ``holds``, or ``holds on 2 of 3 machines, does not hold on 1``."""
    if not outcome.machines:
        return outcome.finding.value
    findings = [one.outcome.finding for one in outcome.machines]
    counts = [(kind, findings.count(kind)) for kind in ClaimFinding if kind in findings]
    (kind, count), *others = counts
    first = f"{kind.value} on {count} of {len(findings)} machines"
    return ", ".join([first, *(f"{kind.value} on {count}" for kind, count in others)])


def outcome_words(outcome: Outcome) -> str:
    """Return the outcome of a claim: the sentence of a single part, or the number of parts with each finding."""
    parts = outcome.parts
    if len(parts) == 1:
        return part_words(parts[0])
    of_kind = {kind: [part for part in parts if part.finding is kind] for kind in ClaimFinding}
    if outcome.finding is ClaimFinding.UNTESTABLE:
        return " ".join(dict.fromkeys(map(part_words, parts)))
    counts = ", ".join(f"{len(found)} {kind.value}" for kind, found in of_kind.items() if found)
    telling = next(iter(of_kind[outcome.finding] or of_kind[ClaimFinding.UNTESTABLE]))
    return f"Of {len(parts)} parts: {counts}. {telling.name}: {part_words(telling)}"


def part_words(part: PartOutcome) -> str:
    """Return why a part of a claim holds or not, remarks on its measurement, and what is missing."""
    if part.needs:
        return f"It needs {'; '.join(map(note_words, part.needs))}."
    found = part.measurement
    said = "; ".join(filter(None, (sight_words(part).removesuffix("."), *map(note_words, found.remarks))))
    sentence = f"{said[0].upper()}{said[1:]}." if said else ""
    if found.missing is None or found.reasons:
        return sentence
    return f"{sentence} Not measured: {note_words(found.missing)}.".strip()


def sight_words(part: PartOutcome) -> str:
    """Return how the measured number relates to the expected one, or why there is no finding."""
    found = part.measurement
    unbounded = "too few rounds for an interval" if found.low is None or found.high is None else ""
    return note_words(part.sight) if part.sight else reasons_words(found.reasons) or unbounded


def expected_words(part: PartOutcome) -> str:
    """Return the expected result: ``0.645 to 0.781``, ``above 1``, ``below 1.05``, or an order."""
    if part.expected is None:
        return "this order"
    low, high = part.expected
    if high == inf:
        return f"above {low:g}"
    return f"below {high:g}" if low == -inf else figures.span(low, high)


def aside_words(one: ThenAndNow) -> str:
    """Return the part of a claim that a number belongs to, and its differences from the study."""
    return ", ".join(filter(None, (one.part, *map(note_words, one.asides))))
