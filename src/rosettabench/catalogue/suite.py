"""Suites: named requests, one TOML file each."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.strict import Strict
from rosettabench.statistics.rounds import TURNS

MAIN = "quick"
"""The suite that `rosetta run` runs without arguments."""


class Stopping(Strict):
    """When a contest ends, and how it is divided into rounds.

    `precision` is the relative half-width of the confidence intervals at which further rounds add nothing useful.
    `rounds` are the fewest and the most rounds. `seconds` is the largest measuring time. In a round every contender has
    `turns` blocks, an even number. All blocks of a round together last about `round_seconds`; a short round has the
    same drift of the machine for all contenders.

    Each contender is restarted for each of `processes`, which share the fewest rounds. If a pair is then still
    undecided, as many fresh processes share the remaining rounds (plan/schedule.py). If `looks` is 1, the first ones
    share all rounds, and no others follow. With one process, the contest may end after any round, and its result holds
    for that process only.
    """

    precision: float = 0.02
    rounds: tuple[int, int] = (20, 40)
    seconds: float = 600.0
    round_seconds: float = 1.0
    processes: int = 5
    looks: Literal[1, 2] = 2
    turns: int = TURNS


class Suite(Strict):
    """A named request: workloads, contenders, whether an A/A control runs, and when to stop.

    `axes` are {workload: {axis: values}} to run beyond the workload's own setting. A suite for a published `study`
    names everything that the study had. Parts that the catalogue lacks are reported, and the rest runs (plan/scope.py).
    `smaller` are {workload: batch sizes} to fall back on if memory is short, the largest first (plan/smaller.py).
    `libraries` are also trained as shipped on the same series (shipped/race.py).
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
    """Return {name: suite} of every suite."""
    files = sorted((Path(__file__).parent / "suites").glob("*.toml"))
    return {path.stem: Suite(name=path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))) for path in files}


def find_suite(name: str) -> Suite:
    """Return the suite `name`. Raises UsageError, with the nearest match, if there is none."""
    suites = all_suites()
    return suites[nearest("suite", name, suites)]
