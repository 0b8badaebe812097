"""The result of a verification in a terminal: the verdict first, then the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report.formats.comparison import change_words
from rosettabench.report.formats.layout import style_text
from rosettabench.report.words import figures
from rosettabench.report.words.contest import peak_sentence
from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.enumeration import enumerate_words
from rosettabench.report.words.proof import proof_words
from rosettabench.verify.roof import Roof
from rosettabench.verify.verification import ComparedInstallation, InstallationStanding, Verification

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
    """Return the verdict; a failed proof comes first."""
    if found.unproven:
        return f"does not do equal work: {unproven_words(found)}."
    if found.fault:
        return f"cannot be measured: {found.fault}."
    if found.standing is InstallationStanding.SLOW:
        return f"slow: {'; '.join(slow_words(found))}."
    return f"{found.standing}."


def unproven_words(found: Verification) -> str:
    """Return why the proof does not hold, with the likely cause; "" if it holds."""
    if found.unproven is None:
        return ""
    cause = f" (likely: {found.unproven.cause})" if found.unproven.cause else ""
    return f"{proof_words(found.unproven)}{cause}"


def slow_words(found: Verification) -> Iterator[str]:
    """Yield by how much it is slower, and than what."""
    pairs = ((found.managed, "the managed release"), (found.earlier, "its own earlier runs"))
    for one, what in pairs:
        if one.standing is InstallationStanding.SLOW and one.interval is not None:
            yield f"{figures.ratio(one.interval.ratio)} the time of {what} ({figures.interval_words(one.interval)})"


def sentences(found: Verification) -> Iterator[str]:
    """Yield sentences on the evidence for the verdict."""
    if found.unproven:
        yield "It is not timed, since it does not compute the same. rosetta prove shows the certificate."
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
    """Return the comparison with the managed release in words, and whether its version is the same."""
    if found.counterpart is None:
        return "There is no managed release of it to compare it with."
    version = f"Version {found.version or 'unknown'}"
    other = f"the managed release {found.counterpart.version}"
    if not found.counterpart.same:
        other += ", the nearest one"
    return f"{version}, beside {other}: {beside_words(found.managed)}."


def past_words(found: Verification) -> str:
    """Return the comparison with earlier runs in words, and what has changed since."""
    if found.past is None:
        return "No earlier run of it on this machine."
    against = f"relative to {enumerate_words(found.past.controls)}" if found.past.controls else "by itself"
    runs = "run" if found.runs == 1 else "runs"
    words = f"Beside {found.runs} earlier {runs} here, {against}: {beside_words(found.earlier)}."
    return f"{words} Changed since: {change_words(found.past.changes)}." if found.past.changes else words


def ceiling_words(found: Verification) -> str:
    """Return the share of the ceiling that it reaches in words, or what is needed to find out."""
    if found.ceiling.share is None:
        return peak_sentence(found.ceiling.peak)
    words = f"It reaches {figures.percent(found.ceiling.share.value)} of the machine's ceiling"
    if found.ceiling.managed is not None:
        words += f", the managed release {figures.percent(found.ceiling.managed.value)}"
    return f"{words}. {peak_sentence(found.ceiling.peak)}"


def roof_words(roof: Roof) -> str:
    """Return a sentence on the rates of its products relative to the ceiling."""
    where = f"{roof.precision} with {roof.threads} {'thread' if roof.threads == 1 else 'threads'}"
    reached = f"Its matrix products in {where} reach {figures.speed(roof.rate)}"
    if roof.ceiling is None or roof.share is None:
        return f"{reached}; no other library was measured here for comparison: rosetta peak does that."
    return (
        f"{reached}, {roof.share:.0%} of this machine's ceiling "
        f"({figures.speed(roof.ceiling.rate)}, {roof.ceiling.library})."
    )


def beside_words(one: ComparedInstallation) -> str:
    """Return a comparison in words: the ratio with its interval, or why there is none."""
    said = doubts_words(one.doubts).removesuffix(".") or str(one.standing)
    if one.interval is None:
        return said
    return f"{figures.ratio(one.interval.ratio)} its time ({figures.interval_words(one.interval)}); {said}"
