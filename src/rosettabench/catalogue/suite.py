"""Suites: named requests, one TOML file each."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.strict import Strict
from rosettabench.statistics.rounds import TURNS

MAIN = "quick"
"""The suite that `rosetta run` runs without arguments: the main job."""


class Stopping(Strict):
    """When a contest ends, and how finely it is cut.

    `precision` is the half-width of the intervals, relative, at which more rounds would tell nothing that the user
    asked for; `rounds` are the fewest and the most; `seconds` of measuring is the cap in time. In a round every
    contender has `turns`, an even number, and all of them together last about `round_seconds`: short, so that a drift
    of the machine is common to a whole round.
    Everybody is started afresh for each of `processes`, which share the fewest rounds. Where these leave a pair open,
    as many fresh processes again share the rounds up to the most (plan/schedule.py). With one process the contest may
    end after every round, and speaks of that process only.
    """

    precision: float = 0.02
    rounds: tuple[int, int] = (20, 40)
    seconds: float = 600.0
    round_seconds: float = 1.0
    processes: int = 5
    turns: int = TURNS


class Suite(Strict):
    """A named request: which workloads, on which contenders, with a control or not, and when to stop.

    `axes` are the values that each workload is run with, beyond its own setting: {workload: {axis: values}}. A suite
    that runs a published `study` again names what the study had; what of it the catalogue lacks is told, and the rest
    is run (plan/scope.py). `smaller` are the batches that a workload may be cut to where there is no room for it, the
    largest first (plan/smaller.py). `libraries` also train as they are shipped, on the same series (shipped/race.py).
    """

    name: str
    title: str
    workloads: tuple[str, ...]
    contenders: tuple[str, ...]
    study: str = ""
    axes: dict[str, dict[str, list[int | str]]] = {}  # noqa: RUF012 (pydantic copies it)
    smaller: dict[str, tuple[int, ...]] = {}  # noqa: RUF012
    libraries: tuple[str, ...] = ()
    control: bool = True
    stopping: Stopping = Stopping()


@cache
def all_suites() -> dict[str, Suite]:
    """Return every suite by name."""
    files = sorted((Path(__file__).parent / "suites").glob("*.toml"))
    return {path.stem: Suite(name=path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))) for path in files}


def find_suite(name: str) -> Suite:
    """Return the suite `name`; UsageError with the nearest match if there is none."""
    suites = all_suites()
    return suites[nearest("suite", name, suites)]
