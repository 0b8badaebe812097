"""Shortfalls in words: contenders far below the ceiling, their longest operations, and known switches."""

from __future__ import annotations

from collections.abc import Iterable

from rosettabench.catalogue.switch import Switch
from rosettabench.reasons.parts import PartEstimate
from rosettabench.reasons.shortfall import NamedOperation, Shortfall
from rosettabench.reasons.vocabulary import WORDS
from rosettabench.report.words import figures
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.switch import trials_words
from rosettabench.summary.records import Reasons


def shortfall_headlines(reasons: Reasons) -> list[Headline]:
    """Return the headline of every contender far below the ceiling."""
    return [shortfall_words(one, reasons.explanation.measured.confidence) for one in reasons.shortfalls]


def shortfall_words(found: Shortfall, confidence: float) -> Headline:
    """Return the headline of a shortfall. It promises no gain, and only reports measured effects of switches."""
    level = figures.percent(confidence)
    if found.share is not None:
        reached = figures.percent(found.share.value)
        answer = f"{found.label} reaches {reached} of the ceiling ({level}: {percents(found.share)})"
    else:
        assert found.behind is not None
        span = figures.span(found.behind.low, found.behind.high)
        times = f"{figures.ratio(found.behind.value)} its time ({level}: {span})"
        answer = f"{found.label} is far behind {found.fastest}: {times}"
    return Headline(answer, " ".join(evidence(found)))


def percents(share: PartEstimate) -> str:
    """Return an interval of shares."""
    return f"{figures.percent(share.low)} to {figures.percent(share.high)}"


def evidence(found: Shortfall) -> Iterable[str]:
    """Yield the sentences of the evidence."""
    if not found.kinds:
        why = found.unsupported and f"cannot be measured separately in this framework ({found.unsupported})"
        yield f"Which operations take the time {why or 'is not known without a profile: --profile asks for one'}."
        return
    kinds = ", ".join(f"{figures.percent(one.share)} {WORDS[one.word].partition(':')[0]}" for one in found.kinds)
    named = "; ".join(map(operation_words, found.operations))
    yield f"Of its step under the profiler: {kinds}" + (f" ({named})." if named else ".")
    for switch in found.switches:
        yield switch_words(switch, found.mode)
    if not found.switches:
        yield "No switch is known here that concerns these and is not in force."


def operation_words(operation: NamedOperation) -> str:
    """Return an operation with its share, and that it belongs to the backward pass if its name says so."""
    return f"{operation.name} {figures.percent(operation.share)}" + (", a gradient" if operation.gradient else "")


def switch_words(switch: Switch, mode: str) -> str:
    """Return what a switch does, how to set it, its measured effect, and the page that explains it."""
    return (
        f"Not in force in mode {mode}: {switch.what} ({switch.how}). "
        f"Where it was measured: {trials_words(switch)} (docs/{switch.page}, “{switch.heading}”)."
    )
