"""The oddities of a contest, and the verdicts that they cast doubt on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rosettabench.statistics.busy import Busy, busy
from rosettabench.statistics.doubt import Contradiction, Doubt, MeansDisagree, SuspectRounds
from rosettabench.statistics.oddities import Gap, Oddity, casts_doubt, gaps, oddities_by_process
from rosettabench.statistics.rounds import Rounds, process_of_round
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.store.record import RoundLoad

if TYPE_CHECKING:
    from rosettabench.store.schema import Event
    from rosettabench.summary.records import Sample

FEW_PAIRS = 3
"""The most pairs that a headline lists one by one. Beyond that it counts, and the report lists each pair without
repeating the oddities of a contender."""


def seen_in(
    turns: Sequence[Sample], rounds: Mapping[str, Rounds], dropped: Iterable[int], margin: float
) -> list[Oddity]:
    """Return the oddities of a contest: contenders that drift, interrupted blocks, and clocks that jumped.

    Pauses before a fresh process are normal, and dropped rounds are reported elsewhere.
    """
    processes, moments = process_of_round(turns), round_ends(turns)
    told = set(dropped)
    pauses = [
        gap
        for process in sorted(set(processes.values()))
        for gap in gaps({number: moments[number] for number in moments if processes[number] == process})
        if gap.round not in told
    ]
    return [*pauses, *oddities_by_process(rounds, processes, margin)]


def load_seen(events: Iterable[Event], dropped: Iterable[int]) -> list[Busy]:
    """Return that the machine was busy during the counted rounds of a contest with `events`; empty if it was not."""
    told = set(dropped)
    found = busy(one for one in RoundLoad.all_of(events) if one.round not in told)
    return [] if found is None else [found]


def round_ends(blocks: Iterable[Sample]) -> dict[int, float]:
    """Return {round: its end in seconds of the wall clock}."""
    moments: dict[int, float] = {}
    for block in blocks:
        moments[block.round] = max(datetime.fromisoformat(block.at).timestamp(), moments.get(block.round, 0.0))
    return moments


def cast_doubts(verdicts: Sequence[Verdict], seen: Sequence[Oddity]) -> list[Verdict]:
    """Return the verdicts; those that cannot be trusted become undecided, with the reason for the doubt.

    If there are many, each only names the odd contender. Its oddities are stated once, beside the verdicts.
    """
    suspects: dict[str, list[Doubt]] = defaultdict(list)
    whole = [SuspectRounds(None) for one in seen if isinstance(one, Busy)]
    for one in seen:
        if not isinstance(one, Gap | Busy) and casts_doubt(one):
            suspects[one.contender].append(one)
    if len(verdicts) > FEW_PAIRS:
        suspects = {label: [SuspectRounds(label)] for label in suspects}
    return [with_doubts(verdict, suspects, whole) for verdict in verdicts]


def with_doubts(verdict: Verdict, suspects: Mapping[str, Sequence[Doubt]], whole: Sequence[Doubt] = ()) -> Verdict:
    """Return a verdict; undecided if one of the pair or the `whole` contest is suspect, or its rounds contradict."""
    doubts = [*whole, *(one for label in (verdict.faster, verdict.slower) for one in suspects.get(label, ()))]
    if verdict.interval is not None and not verdict.interval.steady:
        doubts.append(Contradiction())
    if verdict.interval is not None and verdict.mean is not None and verdict.means_disagree:
        doubts.append(MeansDisagree(verdict.faster, verdict.slower, verdict.interval, verdict.mean))
    return replace(verdict, finding=Finding.OPEN, doubts=tuple(doubts)) if doubts else verdict
