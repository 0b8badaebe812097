"""Doubts about an interval, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rosettabench.history.cell import Unproven
from rosettabench.history.comparison import Incomparable
from rosettabench.history.timeline import RememberedDoubt
from rosettabench.report.words import figures
from rosettabench.report.words.proof import proof_words
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.doubt import Contradiction, Doubt, MeansDisagree, SuspectRounds, TooFewRounds
from rosettabench.statistics.oddities import Drift, Gap, Impossible, Interruption, Shift
from rosettabench.statistics.paging import Paging
from rosettabench.summary.reasons import BelowZero
from rosettabench.verify.verification import NoManaged

PARTS = {
    "arithmetic": "per-sample arithmetic",
    "launch": "launch and interpreter",
    "optimiser": "optimiser",
    "input": "input",
    "bend": "what no line over batch sizes explains",
}
"""{part of a step: its name in a sentence}."""


def doubts_words(doubts: Iterable[Doubt]) -> str:
    """Return all doubts about an interval; "" without any."""
    return " ".join(map(doubt_words, doubts))


def doubt_words(one: Doubt) -> str:
    """Return one doubt in a sentence."""
    return WORDS[type(one)](one)


def means_words(one: MeansDisagree) -> str:
    """Return a sentence that usual rounds and the mean of all rounds disagree, with the ratio of each."""
    usual = f"In usual rounds {one.slower} took {figures.ratio(one.interval.ratio)} the time of {one.faster}"
    whole = f"over the whole contest {figures.ratio(one.mean.ratio)} ({figures.interval_words(one.mean)})"
    return f"{usual}, {whole}: some blocks of one contender took far longer."


def suspect_words(one: SuspectRounds) -> str:
    """Return a sentence that names the odd contender. Its oddities are stated elsewhere."""
    return "The machine was busy." if one.contender is None else f"There is a doubt about {one.contender}."


def below_zero_words(one: BelowZero) -> str:
    """Return a sentence on the part of a step that takes less than zero time."""
    part = f"The {PARTS[one.name]} of {one.label} is below zero ({figures.seconds_range(one.part.low, one.part.high)})"
    return f"{part}: its rounds do not fit together."


INCOMPARABLE = {
    Incomparable.OTHER_MACHINE: "The two were measured on different machines.",
    Incomparable.ALONE: "There is one process on each side, and neither an A/A control nor an earlier run says how "
    "much processes differ.",
    Incomparable.NO_CONTROL: "Nothing that both sides measured stayed the same, and no earlier runs say how much this "
    "machine differs from one run to the next: a slower machine and a slower contender look the same.",
}
"""{reason why two runs cannot be compared: sentence}."""

WORDS: Mapping[type[Doubt], Callable[[Any], str]] = {
    **dict.fromkeys((Drift, Shift, Interruption, Impossible, Gap, Busy, Paging), lambda one: str(one.sentence)),
    RememberedDoubt: lambda one: str(one.sentence),
    SuspectRounds: suspect_words,
    Contradiction: lambda _: "Its rounds contradict each other: no single ratio fits all of them.",
    MeansDisagree: means_words,
    TooFewRounds: lambda one: (
        "too few rounds" if one.rounds is None else f"{one.rounds} rounds are too few for an interval."
    ),
    BelowZero: below_zero_words,
    Unproven: lambda one: f"{one.label} is {proof_words(one.proof)}.",
    Incomparable: INCOMPARABLE.__getitem__,
    NoManaged: lambda one: f"the managed release could not be measured: {one.why}",
}
"""{kind of doubt: function that makes its sentence}."""
