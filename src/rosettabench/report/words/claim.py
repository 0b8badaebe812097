"""What became of a claim of a study, and why."""

from __future__ import annotations

from math import inf

from rosettabench.published.reason import Lack, Several, TooFewTrained, Unjudged, Unmeasured, Untrained
from rosettabench.report.words import figures
from rosettabench.report.words.doubt import doubt_words
from rosettabench.report.words.proof import standing_words
from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.study import ClaimFinding, Measurement, Miss, Outcome, PairCounts, PartOutcome

LACK = {
    Lack.COMMON_ROUNDS: "too few common rounds",
    Lack.ROUNDS_ON_A_SET: "too few common rounds on some set",
    Lack.AGREEMENT: "its rounds contradict each other",
    Lack.PAIRING: "the two were in different contests: their CPU use was not paired",
    Lack.LIBRARIES: "no contest has measured two of these libraries",
    Lack.PROCESSES: "it takes --processes 2 or more",
    Lack.SEEDS: "an interval takes two seeds with which both were trained on every set",
    Lack.VALUES: "not every value of the axis was measured often enough",
}
"""What there is too little of for a number."""

MISS = {
    Miss.END: "the interval reaches beyond what is expected",
    Miss.SIZE: "the direction is right, the size is not",
    Miss.DIRECTION: "it is the other way round",
    Miss.DIFFERENCE: "there is no such difference",
    None: "",
}
"""By what a measured interval misses what is expected."""


def outcome_words(outcome: Outcome) -> str:
    """Return what is to be said of a claim: of a single part its own sentence, of many how many fared how."""
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
    """Return why a part of a claim holds or not, what one must know of its measurement, and what is missing."""
    if part.needs:
        return f"It needs {'; '.join(part.needs)}."
    found = part.measurement
    said = "; ".join(filter(None, (sight_words(part).removesuffix("."), *found.remarks)))
    sentence = f"{said[0].upper()}{said[1:]}." if said else ""
    return f"{sentence} Not measured: {found.missing}.".strip() if found.missing and not found.reasons else sentence


def sight_words(part: PartOutcome) -> str:
    """Return how what was measured lies to what is expected, or why nothing can be said."""
    sight, found = part.sight, part.measurement
    if isinstance(sight, PairCounts):
        pairs = sight.right + sight.wrong + sight.open
        return f"{sight.right} of {pairs} pairs as published, {sight.wrong} the other way round, {sight.open} open"
    if found.reasons or found.low is None or found.high is None:
        return reasons_words(found) or "too few rounds for an interval"
    return MISS[sight]


def reasons_words(found: Measurement) -> str:
    """Return why a measurement has no number, or none with an interval; "" where it has."""
    return " ".join(map(reason_words, found.reasons))


def reason_words(reason: Doubt) -> str:
    """Return why there is no number, or none with an interval."""
    match reason:
        case Lack():
            return LACK[reason]
        case Untrained(arms, sets):
            return f"no run has trained both {' and '.join(arms)} on {sets}: it takes rosetta shipped"
        case Unmeasured(arms, sets):
            both = "both " if len(arms) > 1 else ""
            return f"no run has measured {both}{' and '.join(arms)} {f'on {sets}' if sets else 'at this setting'}"
        case Unjudged(entries):
            return "; ".join(f"cannot be judged: {entry.label}, {standing_words(entry)}" for entry in entries)
        case TooFewTrained(seeds):
            return f"{seeds} seeds were trained to the end: it takes --full --set seed=0,1,2"
        case Several(reasons):
            return "; ".join(dict.fromkeys(" ".join(map(reason_words, one)) for one in reasons))
    return doubt_words(reason)


def expected_words(part: PartOutcome) -> str:
    """Return what is expected: ``0.645 to 0.781``, ``above 1``, ``below 1.05``, or an order."""
    if part.expected is None:
        return "this order"
    low, high = part.expected
    if high == inf:
        return f"above {low:g}"
    return f"below {high:g}" if low == -inf else figures.span(low, high)
