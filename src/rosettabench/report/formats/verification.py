"""A verification in the terminal: the verdict first, then what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report.formats.comparison import change_words
from rosettabench.report.formats.layout import style_text
from rosettabench.summary import figures
from rosettabench.summary.sentences import enumerate_words, interval_words
from rosettabench.verify.roof import roof_words
from rosettabench.verify.verification import Beside, InstallationStanding, Verification

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

COLOURS = {
    InstallationStanding.RIGHT: "bold green",
    InstallationStanding.SLOW: "bold red",
    InstallationStanding.OPEN: "bold yellow",
    InstallationStanding.NONE: "bold yellow",
}


def print_verification(found: Verification, console: Console) -> None:
    """Print one framework's verdict and its reasons."""
    console.print()
    bad = found.unproven or found.fault
    colour = "bold red" if bad else COLOURS[found.standing]
    console.print(style_text((found.label, "bold"), (f"  {verdict_words(found)}", colour)))
    for sentence in sentences(found):
        console.print(style_text((f"  {sentence}", "")))


def verdict_words(found: Verification) -> str:
    """Return the verdict; a failed proof is the first news."""
    if found.unproven:
        return f"does not do equal work: {found.unproven}."
    if found.fault:
        return f"cannot be measured: {found.fault}."
    if found.standing is InstallationStanding.SLOW:
        return f"slow: {'; '.join(slow_words(found))}."
    return f"{found.standing}."


def slow_words(found: Verification) -> Iterator[str]:
    """Yield by how much it is slower, and than what."""
    pairs = ((found.managed, "the managed release"), (found.earlier, "its own earlier runs"))
    for one, what in pairs:
        if one.standing is InstallationStanding.SLOW and one.interval is not None:
            yield f"{figures.ratio(one.interval.ratio)} the time of {what} ({interval_words(one.interval)})"


def sentences(found: Verification) -> Iterator[str]:
    """Yield what the verdict rests on."""
    if found.unproven:
        yield "What does not compute the same is not timed. rosetta prove shows the certificate."
        return
    if found.step is not None:
        yield f"{figures.seconds(found.step.value)} per step, run {found.run}."
    yield counterpart_words(found)
    yield past_words(found)
    yield ceiling_words(found)
    if found.roof is not None:
        yield roof_words(found.roof)
    for one in found.causes:
        yield f"Read: {one.what}. {one.remedy}"
    if found.standing is InstallationStanding.SLOW and not found.causes:
        yield "Nothing that was read explains it. rosetta explain shows in which part of a step the time goes."
    if found.unread:
        yield f"Not reported by the framework's adapter: {enumerate_words(found.unread)}."


def counterpart_words(found: Verification) -> str:
    """Return how it stands beside the managed release, and whether that is the same version."""
    if found.counterpart is None:
        return "There is no managed release of it to compare it with."
    version = f"Version {found.version or 'unknown'}"
    other = f"the managed release {found.counterpart.version}"
    if not found.counterpart.same:
        other += ", the nearest that there is"
    return f"{version}, beside {other}: {beside_words(found.managed)}."


def past_words(found: Verification) -> str:
    """Return how it stands beside its earlier runs, and what changed since."""
    if found.past is None:
        return "No earlier run of it on this machine."
    against = f"relative to {enumerate_words(found.past.controls)}" if found.past.controls else "by itself"
    runs = "run" if found.runs == 1 else "runs"
    words = f"Beside {found.runs} earlier {runs} here, {against}: {beside_words(found.earlier)}."
    return f"{words} Changed since: {change_words(found.past.changes)}." if found.past.changes else words


def ceiling_words(found: Verification) -> str:
    """Return which share of the machine's ceiling it reaches, or what would be needed to know."""
    if found.ceiling.share is None:
        return found.ceiling.sentence
    words = f"It reaches {figures.percent(found.ceiling.share.value)} of the machine's ceiling"
    if found.ceiling.managed is not None:
        words += f", the managed release {figures.percent(found.ceiling.managed.value)}"
    return f"{words}. {found.ceiling.sentence}"


def beside_words(one: Beside) -> str:
    """Return a comparison in words: the ratio with its interval, or why there is none."""
    if one.interval is None:
        return one.doubt.removesuffix(".") or str(one.standing)
    observed = f"{figures.ratio(one.interval.ratio)} its time ({interval_words(one.interval)})"
    return f"{observed}; {one.doubt.removesuffix('.') or one.standing}"
