"""What was odd about a contest, and which verdicts it casts doubt on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rosettabench.report.entry import turns
from rosettabench.statistics.oddities import Drift, Impossible, Oddity, Shift, gaps, oddities
from rosettabench.statistics.rounds import Rounds
from rosettabench.statistics.verdict import Finding, Verdict

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest

CONTRADICTION = "Its rounds contradict each other: no single ratio fits all of them."


def seen_in(contest: Contest, rounds: Mapping[str, Rounds], dropped: Iterable[int], margin: float) -> list[Oddity]:
    """Return what was odd: contenders that drift, blocks that were interrupted, clocks that jumped.

    Each process is looked at by itself: a pause before a fresh one is no news, nor is another level from there on. A
    round that was dropped has been told of already.
    """
    moments: dict[int, float] = {}
    sessions: dict[int, int] = {}
    for block in [block for entry in contest.entries for block in turns(entry)]:
        ended = datetime.fromisoformat(block.at).timestamp()
        moments[block.round] = max(ended, moments.get(block.round, 0.0))
        sessions[block.round] = max(block.session, sessions.get(block.round, 0))
    told = set(dropped)
    found: list[Oddity] = []
    for session in sorted(set(sessions.values())):
        numbers = {number for number in moments if sessions[number] == session}
        found += [gap for gap in gaps({number: moments[number] for number in numbers}) if gap.round not in told]
        found += oddities({label: within(one, numbers) for label, one in rounds.items()}, margin)
    return found


def within(rounds: Rounds, numbers: set[int]) -> Rounds:
    """Return the rounds of one process: another process may well be faster for as long as it lives."""
    return {number: seconds for number, seconds in rounds.items() if number in numbers}


def doubted(verdicts: Sequence[Verdict], seen: Sequence[Oddity]) -> list[Verdict]:
    """Return the verdicts, those that cannot be trusted as open ones with the reason for the doubt."""
    suspects = {one.contender: one.sentence for one in seen if isinstance(one, Drift | Shift | Impossible)}
    return [with_doubt(verdict, suspects) for verdict in verdicts]


def with_doubt(verdict: Verdict, suspects: Mapping[str, str]) -> Verdict:
    """Return a verdict, open if one of the two is suspect or if its rounds contradict each other."""
    reasons = [suspects[label] for label in (verdict.faster, verdict.slower) if label in suspects]
    if verdict.interval is not None and not verdict.interval.steady:
        reasons.append(CONTRADICTION)
    return replace(verdict, finding=Finding.OPEN, doubt=" ".join(reasons)) if reasons else verdict
