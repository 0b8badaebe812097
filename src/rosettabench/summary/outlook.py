"""What would decide a pair that is undecided for want of data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rosettabench.statistics.forecast import fresh_processes, rounds_needed
from rosettabench.statistics.ranking import LOOKS, pairs
from rosettabench.statistics.rounds import Processes, Rounds, by_process, ratios
from rosettabench.statistics.verdict import Finding, Verdict


class Remedy(StrEnum):
    """The kinds of additional data."""

    ROUNDS = "rounds"
    PROCESSES = "fresh processes"
    OTHER_PROCESSES = "other processes"


@dataclass(frozen=True)
class Outlook:
    """The additional data that would decide an undecided pair, and about how many; None if no realistic number would.

    The number of OTHER_PROCESSES is never known, since a single process of each contender was measured.
    """

    remedy: Remedy
    number: int | None = None


def find_outlook(
    verdict: Verdict, rounds: Mapping[str, Rounds], processes: Processes, confidence: float
) -> Outlook | None:
    """Return what would decide a pair; None if it is decided, or undecided for another reason.

    The answer is more rounds; or fresh processes, if the present rounds would suffice without the spread of the
    processes.
    """
    if verdict.finding is not Finding.OPEN or verdict.doubts or verdict.interval is None:
        return None
    tests, pair = pairs(len(rounds)), ratios(rounds[verdict.faster], rounds[verdict.slower])
    waited = rounds_needed(pair, verdict.margin, confidence, tests)
    if len(set(processes.values())) == 1 and waited is not None and waited <= len(pair):
        return Outlook(Remedy.OTHER_PROCESSES)
    faster, slower = (by_process(rounds[label], processes) for label in (verdict.faster, verdict.slower))
    if waited is None or waited > len(pair) or len(faster) < 2:
        return Outlook(Remedy.ROUNDS, waited)
    found = fresh_processes(faster, slower, verdict.margin, confidence, LOOKS * tests)
    return Outlook(Remedy.PROCESSES, found)
