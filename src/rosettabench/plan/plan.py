"""A request becomes a plan: the contests, and who takes part in each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.request import Request
from rosettabench.plan.setting import Setting, settings, whole


@dataclass(frozen=True)
class PlannedContest:
    """One workload under one setting, with its contenders.

    `missing` says of each contender that cannot take part why: its framework has no implementation of the workload.
    """

    workload: Workload
    setting: Setting
    contenders: tuple[Contender, ...]
    missing: dict[str, str]


def make_plan(request: Request) -> list[PlannedContest]:
    """Return the contests of a request, in its order. Raises UsageError where a name is unknown or nothing is left."""
    python = Path(request.python).absolute() if request.python else None
    contenders = [parse_contender(text, python) for text in request.contenders]
    twice = [label for label, times in Counter(contender.label for contender in contenders).items() if times > 1]
    if twice:
        raise UsageError(
            f"{', '.join(twice)} is entered twice", "The A/A control enters one contender twice by itself."
        )
    contests = [
        plan_contest(workload, setting, contenders, request.control, request.planted)
        for _ in range(request.repeats)
        for workload in map(find_workload, dict.fromkeys(request.workloads))
        for setting in settings(workload, request.own_axes.get(workload.name, {}) | request.axes)
        if not is_left_out(workload, setting, request)
    ]
    if not any(contest.contenders for contest in contests):
        raise UsageError("nothing to run: no contender implements any of the workloads", "rosetta list frameworks")
    return contests


def is_left_out(workload: Workload, setting: Setting, request: Request) -> bool:
    """Whether the request leaves this contest out."""
    return any(one.workload == workload.name and whole(one.setting) == setting.as_json() for one in request.left_out)


def plan_contest(
    workload: Workload, setting: Setting, contenders: list[Contender], control: bool, planted: float
) -> PlannedContest:
    """Return one contest. The control is a second copy of the first contender; a third has the planted work."""
    able = [one for one in contenders if workload.implementation(one.entry.implementation_name)]
    missing = {
        one.label: f"{one.framework} has no implementation of {workload.name}" for one in contenders if one not in able
    }
    if control and able:
        able.append(replace(able[0], copy=2))
    if planted and able:
        able.append(replace(able[0], copy=3, extra=planted))
    return PlannedContest(workload, setting, tuple(able), missing)
