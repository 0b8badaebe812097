"""When the contests of ``rosetta verify`` and ``rosetta calibrate`` end."""

from __future__ import annotations

from rosettabench.catalogue.suite import Stopping
from rosettabench.statistics.evidence import FEWEST_ROUNDS

PROCESSES = 5
"""Fresh processes of each installation: processes may differ by as much as the margin (statistics/between.py)."""

SHARED_ROUNDS = 20
"""The rounds that these processes share before the first look."""


def stopping_of_verify(rounds: int, seconds: float, round_seconds: float, margin: float) -> Stopping:
    """Return when a contest of an installation and its managed release ends: at a quarter of the margin, at the best.

    `rounds` are the most.
    """
    return Stopping(
        rounds=(min(SHARED_ROUNDS, rounds), rounds),
        seconds=seconds,
        round_seconds=round_seconds,
        precision=margin / 4,
        processes=PROCESSES,
        turns=2,
    )


def stopping_of_calibrate(rounds: int, round_seconds: float, processes: int) -> Stopping:
    """Return when a contest between equals ends: as that of a run with as many `processes`. `rounds` are the most."""
    fewest = Stopping().rounds[0] if processes > 1 else FEWEST_ROUNDS
    return Stopping(rounds=(min(fewest, rounds), rounds), round_seconds=round_seconds, processes=processes)
