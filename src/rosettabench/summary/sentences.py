"""What the numbers allow to say, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rosettabench.statistics.between import PRIOR
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.forecast import MOST_PROCESSES, MOST_ROUNDS
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import Ranked
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.store.record import Stopped
from rosettabench.summary import figures
from rosettabench.summary.records import DataNote, Headline

FEW_PAIRS = 3
"""So many pairs are told one by one in a headline. Of more, it counts what was found; the report has each, without
repeating in all of them what was odd of one contender."""

ONE_PROCESS = (
    f"One process of each was measured: the interval allows for processes that differ by {PRIOR.deviation:.0%} "
    "(--processes 5 measures it)."
)
"""What the headline of such a contest says once."""


def interval_words(interval: Interval) -> str:
    """Return ``95%: 1.27 to 1.35``."""
    return f"{figures.percent(interval.confidence)}: {figures.span(interval.low, interval.high)}"


def verdict_sentence(verdict: Verdict) -> str:
    """Return what can be said about a pair, with its interval."""
    if verdict.finding is Finding.FASTER and verdict.interval is not None:
        by = figures.ratio(verdict.interval.ratio)
        found = f"{verdict.faster} is faster than {verdict.slower} by {by} ({interval_words(verdict.interval)})."
        return f"{found}{mean_words(verdict)}"
    return f"{verdict.faster} and {verdict.slower}: {level_words(verdict)}.{mean_words(verdict)}"


def mean_words(verdict: Verdict) -> str:
    """Return the ratio of mean times beside that of usual rounds, with a space before it; nothing where it is told."""
    if verdict.mean is None or verdict.means_disagree:
        return ""
    return f" Mean time: {figures.ratio(verdict.mean.ratio)} ({interval_words(verdict.mean)})."


def means_words(verdict: Verdict) -> str:
    """Return that usual rounds and the whole contest disagree, with the ratio of each."""
    assert verdict.interval is not None
    assert verdict.mean is not None
    usual = (
        f"in usual rounds {verdict.slower} took {figures.ratio(verdict.interval.ratio)} the time of {verdict.faster}"
    )
    whole = f"over the whole contest {figures.ratio(verdict.mean.ratio)} ({interval_words(verdict.mean)})"
    return f"{usual[0].upper()}{usual[1:]}, {whole}: some turns of one alone took far longer."


def level_words(verdict: Verdict) -> str:
    """Return what can be said about a pair of which none is surely faster."""
    if verdict.interval is None:
        return "not enough data (too few common rounds)"
    words = interval_words(verdict.interval)
    if verdict.finding is Finding.EQUIVALENT:
        return f"no difference above {figures.percent(verdict.margin)} ({words})"
    observed = f"(ratio {figures.significant(verdict.interval.ratio)}, {words})"
    if verdict.doubt:
        return f"no verdict {observed}. {verdict.doubt.removesuffix('.')}"
    return f"not enough data {observed}"


def needed_words(rounds: int | None) -> str:
    """Return what would decide an open pair; `rounds` is None where no number that one could wait for would."""
    if rounds is None:
        return f"At this noise, not even {figures.count(MOST_ROUNDS)} rounds would decide it."
    return f"At this noise, about {figures.count(rounds)} rounds would decide it."


def other_processes_words() -> str:
    """Return what would decide a pair that a single process of each keeps open, however many its rounds."""
    return "More rounds of one process would not decide it: --processes 5 may."


def fresh_words(processes: int | None) -> str:
    """Return what would decide a pair that several processes leave open; None: no number that one could wait for.

    Means of processes scatter by the noise of their rounds, too, so this does not say that processes differ.
    """
    if processes is None:
        return f"At this noise, not even {figures.count(MOST_PROCESSES)} fresh processes would decide it."
    return f"At this noise, about {figures.count(processes)} fresh processes would decide it."


def scope_headline(headline: Headline, processes: int) -> Headline:
    """Return the headline of a contest of so many processes; that of a single one says what it supposes of others."""
    if processes != 1:
        return headline
    return replace(headline, evidence=f"{headline.evidence} {ONE_PROCESS}")


def headline(ranking: Sequence[Ranked], verdicts: Sequence[Verdict]) -> Headline:
    """Return the answer of a contest. Whoever is not surely slower than the first in the table shares its place."""
    if not ranking:
        reason = f"No contender was both proven to do equal work and timed in {FEWEST_ROUNDS} rounds."
        return Headline("Nobody can be ranked", reason)
    first = ranking[0].label
    if len(ranking) == 1:
        return Headline(f"Only {first} can be ranked", "There is nobody to compare it with.")
    against = {other(verdict, first): verdict for verdict in verdicts if first in (verdict.faster, verdict.slower)}
    level = [row.label for row in ranking[1:] if against[row.label].finding is not Finding.FASTER]
    if not level:
        return Headline(f"{first} is fastest", lead(min(against.values(), key=distance)))
    pairs = [verdict for verdict in verdicts if {verdict.faster, verdict.slower} <= {first, *level}]
    names = enumerate_words([first, *level])
    equal = all(verdict.finding is Finding.EQUIVALENT for verdict in pairs)
    answer = f"{names} are equally fast" if equal else f"No difference found yet between {names}"
    return Headline(answer, level_evidence(pairs))


def distance(verdict: Verdict) -> float:
    """Return the ratio between the two of a pair."""
    return verdict.interval.ratio if verdict.interval else 1.0


def lead(verdict: Verdict) -> str:
    """Return by how much the fastest leads the nearest of the others."""
    if verdict.interval is None:
        return verdict_sentence(verdict)
    by = figures.ratio(verdict.interval.ratio)
    found = f"Faster than {verdict.slower}, the nearest, by {by} ({interval_words(verdict.interval)})."
    return f"{found}{mean_words(verdict)}"


def level_evidence(pairs: Sequence[Verdict]) -> str:
    """Return the evidence for a shared place; a single pair has been named already, and many are counted."""
    if len(pairs) > FEW_PAIRS:
        return f"Of their {len(pairs)} pairs, {enumerate_words(pair_counts(pairs))}."
    if len(pairs) > 1:
        return " ".join(map(verdict_sentence, pairs))
    words = level_words(pairs[0])
    return f"{words[0].upper()}{words[1:]}.{mean_words(pairs[0])}"


def pair_counts(pairs: Sequence[Verdict]) -> list[str]:
    """Return what was found of pairs, each with the number of them: ``2 have not enough data``."""
    apart = sum(verdict.finding is Finding.FASTER for verdict in pairs)
    level = sum(verdict.finding is Finding.EQUIVALENT for verdict in pairs)
    doubted = sum(bool(verdict.doubt) for verdict in pairs)
    counted = (
        (apart, "a difference"),
        (level, f"no difference above {figures.percent(pairs[0].margin)}"),
        (doubted, "no verdict (a doubt about their rounds)"),
        (len(pairs) - apart - level - doubted, "not enough data"),
    )
    return [f"{number} {'has' if number == 1 else 'have'} {what}" for number, what in counted if number]


def other(verdict: Verdict, label: str) -> str:
    """Return the pair's other label."""
    return verdict.slower if verdict.faster == label else verdict.faster


def enumerate_words(names: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def control_sentence(verdict: Verdict, original: str) -> str:
    """Return what the A/A control found: it must not find anything."""
    start = f"A/A control: {original} against itself"
    if verdict.interval is None:
        return f"{start}: not enough data (too few common rounds)."
    observed = f"{start}, ratio {figures.significant(verdict.interval.ratio)} ({interval_words(verdict.interval)})"
    margin = figures.percent(verdict.margin)
    if verdict.doubt:
        return f"{observed}: no verdict. {verdict.doubt}"
    if verdict.finding is Finding.FASTER:
        return f"{observed}: a false difference. Trust no difference of this size in this contest."
    if verdict.finding is Finding.EQUIVALENT:
        return f"{observed}: no difference above {margin}, as it must be."
    return f"{observed}: no false difference, but too noisy to exclude one of {margin}."


def data_warning(data: DataNote | None) -> str:
    """Return what every table has to say if the data was made up, or not all of the set; empty if it was all real."""
    if data is not None and data.incomplete:
        return f"Incomplete data: {data.note} Times of a step are comparable, accuracies are those of a smaller set."
    if data is None or not data.stand_in:
        return ""
    return f"Stand-in data: not the real {data.name}. Times are comparable, losses and accuracies mean nothing."


def stopped_sentence(end: Stopped | None, waits: bool) -> str:
    """Return why a contest stopped, from its last record of an end; None is a contest without one.

    `waits` is whether it has none because there was no time left to begin.
    """
    if waits:
        return "The budget was used up before it began. rosetta resume continues it."
    if end is None:
        return "Interrupted before the result was sure enough. rosetta resume continues it."
    rounds = "" if end.rounds is None else f" after {end.rounds} rounds"
    return f"Stopped{rounds}: {end.why}."
