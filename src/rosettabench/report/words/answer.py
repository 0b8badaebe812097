"""The answer of a contest, or of a set that libraries trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rosettabench.report.words import figures
from rosettabench.report.words.enumeration import enumerate_words
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.reasons import pair_headlines
from rosettabench.report.words.trainings import set_headline
from rosettabench.report.words.verdict import level_words, mean_words, verdict_sentence
from rosettabench.statistics.between import PRIOR
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.summary.answer import ContestAnswer
from rosettabench.summary.doubts import FEW_PAIRS
from rosettabench.summary.records import ContestSummary, TrainedSet

ONE_PROCESS = (
    f"One process of each was measured: the interval allows for processes that differ by {PRIOR.deviation:.0%} "
    "(--processes 5 measures it)."
)
"""A sentence in the headline of a contest with one process of each contender."""

FEW_PROCESSES = (
    "{assumed} of {intervals} intervals assume that processes differ by about "
    f"{PRIOR.deviation:.0%}, since {{processes}} of each say too little about that."
)
"""A sentence in the headline of a contest with several processes of each contender, but too few."""


def headline(found: ContestSummary | TrainedSet) -> Headline:
    """Return the answer of a contest, with remarks if the machine was busy, or if one process was measured.

    For an examination it is the finding on the first pair; for a set, the library that trained fastest.
    """
    if isinstance(found, TrainedSet):
        return set_headline(found)
    if found.reasons and found.reasons.pairs:
        return pair_headlines(found.reasons)[0]
    said = answer_words(found.answer)
    if len(found.ranked) < 2:
        return said
    more = [found.busy.sentence] if found.busy else []
    return replace(said, evidence=" ".join([said.evidence, *more, *assumption_words(found)]))


def assumption_words(found: ContestSummary) -> list[str]:
    """Return, in a sentence or none, what the intervals of a contest assume about the differences of processes."""
    if found.processes == 1:
        return [ONE_PROCESS]
    intervals = [verdict.interval for verdict in found.verdicts if verdict.interval is not None]
    assumed = sum(interval.assumed for interval in intervals)
    said = FEW_PROCESSES.format(assumed=assumed, intervals=len(intervals), processes=found.processes)
    return [said] if assumed else []


def answer_words(answer: ContestAnswer) -> Headline:
    """Return the answer of a contest in words."""
    if not answer.labels:
        reason = f"No contender was both proven to do equal work and timed in {FEWEST_ROUNDS} rounds or more."
        return Headline("No contender can be ranked", reason)
    names = enumerate_words(answer.labels)
    if not answer.pairs:
        return Headline(f"Only {names} can be ranked", "There is no other contender to compare it with.")
    if len(answer.labels) == 1:
        return Headline(f"{names} is fastest", lead(answer.pairs[0]))
    return Headline(
        shared_place_words(names, answer.pairs), " ".join([level_evidence(answer.pairs), *behind_words(answer.behind)])
    )


def shared_place_words(names: str, pairs: Sequence[Verdict]) -> str:
    """Return what is known of contenders, named together, that share the first place."""
    if all(verdict.finding is Finding.EQUIVALENT for verdict in pairs):
        return f"{names} are equally fast"
    if all(verdict.doubts for verdict in pairs):
        return f"No verdict on {names}"
    return f"No difference found yet between {names}"


def lead(verdict: Verdict) -> str:
    """Return by how much the fastest contender leads the nearest other one."""
    if verdict.interval is None:
        return verdict_sentence(verdict)
    by = figures.ratio(verdict.interval.ratio)
    found = f"Faster than {verdict.slower}, the nearest, by {by} ({figures.interval_words(verdict.interval)})."
    return f"{found}{mean_words(verdict)}"


def level_evidence(pairs: Sequence[Verdict]) -> str:
    """Return the evidence for a shared first place. A single pair is not named again, and many are only counted."""
    if len(pairs) > FEW_PAIRS:
        return f"Of their {len(pairs)} pairs, {enumerate_words(pair_counts(pairs))}."
    if len(pairs) > 1:
        return " ".join(map(verdict_sentence, pairs))
    words = level_words(pairs[0])
    return f"{words[0].upper()}{words[1:]}.{mean_words(pairs[0])}"


def behind_words(behind: Sequence[Verdict]) -> list[str]:
    """Return, in a sentence or none, by how much one of the first contenders leads others behind them."""
    found = {one.slower: one.interval for one in behind if one.interval is not None}
    if not found:
        return []
    if len(found) > FEW_PAIRS:
        ratios = [interval.ratio for interval in found.values()]
        others = f"{len(ratios)} others, by {figures.ratio(min(ratios))} to {figures.ratio(max(ratios))}"
    else:
        others = enumerate_words(
            [
                f"{slower} by {figures.ratio(one.ratio)} ({figures.span(one.low, one.high)})"
                for slower, one in found.items()
            ]
        )
    return [f"{behind[0].faster} is faster than {others}."]


def pair_counts(pairs: Sequence[Verdict]) -> list[str]:
    """Return the findings on pairs, each with its number of pairs: ``2 have not enough data``."""
    apart = sum(verdict.finding is Finding.FASTER for verdict in pairs)
    level = sum(verdict.finding is Finding.EQUIVALENT for verdict in pairs)
    doubted = sum(bool(verdict.doubts) for verdict in pairs)
    counted = (
        (apart, "a difference"),
        (level, f"no difference above {figures.percent(pairs[0].margin)}"),
        (doubted, "no verdict (a doubt about their rounds)"),
        (len(pairs) - apart - level - doubted, "not enough data"),
    )
    return [f"{number} {'has' if number == 1 else 'have'} {what}" for number, what in counted if number]
