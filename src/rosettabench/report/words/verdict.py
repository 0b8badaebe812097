"""Verdicts on pairs of contenders, in words."""

from __future__ import annotations

from rosettabench.report.words import figures
from rosettabench.report.words.doubt import doubts_words
from rosettabench.statistics.forecast import MOST_PROCESSES, MOST_ROUNDS
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.summary.outlook import Outlook, Remedy
from rosettabench.summary.records import ContestSummary, Control


def verdict_sentences(contest: ContestSummary) -> tuple[str, ...]:
    """Return the verdict on every pair of a contest; for an undecided one, also what would decide it."""
    told = zip(contest.verdicts, contest.outlooks, strict=True)
    return tuple(verdict_sentence(pair) + (f" {outlook_words(found)}" if found else "") for pair, found in told)


def verdict_sentence(verdict: Verdict) -> str:
    """Return the verdict on a pair, with its interval."""
    if verdict.finding is Finding.FASTER and verdict.interval is not None:
        by = figures.ratio(verdict.interval.ratio)
        found = (
            f"{verdict.faster} is faster than {verdict.slower} by {by} ({figures.interval_words(verdict.interval)})."
        )
        return f"{found}{mean_words(verdict)}"
    return f"{verdict.faster} and {verdict.slower}: {level_words(verdict)}.{mean_words(verdict)}"


def mean_words(verdict: Verdict) -> str:
    """Return the ratio of mean times beside that of usual rounds, after a space; "" if it is stated elsewhere."""
    if verdict.mean is None or verdict.means_disagree:
        return ""
    return f" Mean time: {figures.ratio(verdict.mean.ratio)} ({figures.interval_words(verdict.mean)})."


def level_words(verdict: Verdict) -> str:
    """Return the verdict on a pair of which neither is surely faster."""
    if verdict.interval is None:
        return "not enough data (too few common rounds)"
    words = figures.interval_words(verdict.interval)
    if verdict.finding is Finding.EQUIVALENT:
        return f"no difference above {figures.percent(verdict.margin)} ({words})"
    observed = f"(ratio {figures.significant(verdict.interval.ratio)}, {words})"
    if verdict.doubts:
        return f"no verdict {observed}. {doubts_words(verdict.doubts).removesuffix('.')}"
    return f"not enough data {observed}"


def outlook_words(found: Outlook) -> str:
    """Return what would decide an undecided pair.

    The means of processes also scatter because of the noise of their rounds, so asking for fresh processes does not
    mean that processes differ.
    """
    if found.remedy is Remedy.OTHER_PROCESSES:
        return "More rounds of one process would not decide it: --processes 5 may."
    most = MOST_ROUNDS if found.remedy is Remedy.ROUNDS else MOST_PROCESSES
    number = f"not even {figures.count(most)}" if found.number is None else f"about {figures.count(found.number)}"
    return f"At this noise, {number} {found.remedy} would decide it."


def control_sentence(control: Control) -> str:
    """Return the result of the A/A control."""
    verdict, start = control.verdict, f"A/A control: {control.first} against itself"
    if verdict.interval is None:
        return f"{start}: not enough data (too few common rounds)."
    observed = (
        f"{start}, ratio {figures.significant(verdict.interval.ratio)} ({figures.interval_words(verdict.interval)})"
    )
    margin = figures.percent(verdict.margin)
    if verdict.doubts:
        return f"{observed}: no verdict. {doubts_words(verdict.doubts)}"
    if control.false_difference:
        return f"{observed}: a false difference. Trust no difference of this size in this contest."
    if verdict.finding is Finding.EQUIVALENT:
        return f"{observed}: no difference above {margin}, as it must be."
    return f"{observed}: no false difference, but too noisy to exclude one of {margin}."
