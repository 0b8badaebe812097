"""Remarks on a contest: its data, its settings, oddities, watched blocks, and why it stopped."""

from __future__ import annotations

from rosettabench.lab.fairness import PartlyCompiled, SettingDifference
from rosettabench.report.words import figures
from rosettabench.report.words.verdict import control_sentence
from rosettabench.store.record import ALL_DECIDED, Watched
from rosettabench.summary.records import ContestSummary, PeakSummary


def warning(contest: ContestSummary) -> str:
    """Return the warning for every table if a stand-in was used or the data are incomplete; "" otherwise."""
    data = contest.data
    if data is not None and data.incomplete:
        return f"Incomplete data: {data.note} Times of a step are comparable, accuracies are those of a smaller set."
    if data is None or not data.stand_in:
        return ""
    return f"Stand-in data: not the real {data.name}. Times are comparable, losses and accuracies mean nothing."


def difference_sentences(contest: ContestSummary) -> tuple[str, ...]:
    """Return a sentence for each setting that wrongly differs, and for each contender that was only partly compiled."""
    return tuple(map(difference_sentence, contest.differences))


def difference_sentence(found: SettingDifference | PartlyCompiled) -> str:
    """Return the sentence on a differing setting, or on what was not compiled in a contender."""
    if isinstance(found, SettingDifference):
        return found.sentence
    return (
        f"{found.label} is compiled only in part: Python runs what {found.compiler} left out (graph breaks: "
        f"{found.graph_breaks}, functions given up: {found.fallbacks})."
    )


def oddity_sentences(contest: ContestSummary) -> tuple[str, ...]:
    """Return the oddities: dropped rounds, and what the rounds themselves show."""
    left_out = [f"Round {one.round} does not count: {one.why}." for one in contest.dropped]
    return (*left_out, *(one.sentence for one in contest.oddities))


def doubt_sentences(contest: ContestSummary) -> list[str]:
    """Return the doubts about its times, each once."""
    control = [control_sentence(contest.control)] if contest.control and contest.control.false_difference else []
    settings, oddities = difference_sentences(contest), oddity_sentences(contest)
    return [*dict.fromkeys([*settings, *oddities, *unwatched_sentences(contest), *control])]


def watched_sentence(contest: ContestSummary) -> str:
    """Return what was watched, the largest difference between agreeing contenders, and what was not; "" without any.

    Blocks are watched while all contenders are timed.
    """
    seen = contest.watched
    if not seen:
        return ""
    blocks = "counts, losses and clocks"
    if contest.inference:
        blocks = "samples and clocks"
    elif any(Watched.ALONE in one.unchecked for one in seen):
        blocks = "counts and clocks"
    parts = [f"{blocks} of every block"]
    moves = [move for one in seen for move in one.moves]
    first = [move for move in moves if move.when.startswith("the first")]
    later = [move for move in moves if move not in first]
    if first:
        beside = " beside the reference" if all(move.reference for move in first) else ""
        parts.append(f"{first[0].when}{beside} (parameters within {max(move.distance for move in first):.1g})")
    if later:
        furthest = max(move.ratio for move in later)
        parts.append(f"{len(later)} of the rounds (parameters went as far, within {furthest - 1:.1%})")
    parts.append(f"outputs (within {max(one.outputs for one in seen):.1g})")
    seconds = sum(one.seconds for one in seen)
    told = f"Watched while timed: {', '.join(parts)}; that took {seconds:.2g} s."
    return " ".join([told, *unwatched_sentences(contest)])


def unwatched_sentences(contest: ContestSummary) -> tuple[str, ...]:
    """Return a sentence for everything that could not be watched, each once."""
    return tuple(dict.fromkeys(sentence for one in contest.watched for sentence in one.unchecked))


def stopped_sentence(contest: ContestSummary) -> str:
    """Return why a contest stopped, and how many pairs that its rounds decided have no verdict because of doubts."""
    if contest.waits:
        return "The budget had not enough time left for it. rosetta resume continues it."
    if contest.end is None:
        return "Interrupted before the result was sure enough. rosetta resume continues it."
    rounds = "" if contest.end.rounds is None else f" after {contest.end.rounds} rounds"
    doubted = sum(bool(verdict.doubts) for verdict in contest.verdicts)
    told = f", but doubts leave {doubted} of {len(contest.verdicts)} without a verdict"
    return f"Stopped{rounds}: {contest.end.why}{told if doubted and contest.end.why == ALL_DECIDED else ''}."


def peak_sentence(peak: PeakSummary) -> str:
    """Return the operations of a step and the ceiling of the machine, as far as they are known."""
    if peak.per_sample is None:
        return f"The operations of {peak.workload} are not counted: its statement has none."
    threads, device, precision = (peak.setting[name] for name in ("threads", "device", "precision"))
    operations = figures.operations(peak.per_sample * peak.setting["batch_size"])
    asked = f"The products of a {'batch' if peak.inference else 'step'} are {operations}, counted from the workload"
    where = f"{precision} with {threads} {'thread' if threads == 1 else 'threads'} on {device}"
    if peak.ceiling is None:
        command = f"rosetta peak --threads {threads}" + (f" --device {device}" if device != "cpu" else "")
        return f"{asked}. The ceiling of this machine in {where} is not measured yet: {command} does it."
    reached = f"{figures.speed(peak.ceiling)}, which {peak.library} reached in matrix products"
    return f"{asked}; the ceiling in {where} is {reached}."
