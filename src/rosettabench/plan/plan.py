"""A request becomes a plan: the contests, and who takes part in each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from rosettabench.catalogue.as_shipped import AS_SHIPPED, variants_of
from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.request import Request
from rosettabench.plan.series import on_series
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
        plan_contest(on_series(workload, setting.series), setting, meant, request.control, request.planted)
        for _ in range(request.repeats)
        for workload in map(find_workload, dict.fromkeys(request.workloads))
        for meant in [meant_of(contenders, workload.name, request)]
        for setting in settings(workload, request.own_axes.get(workload.name, {}) | request.axes)
        if meant and not is_left_out(workload, setting, request)
    ]
    check_length(contests, request)
    if not any(contest.contenders for contest in contests):
        reasons = dict.fromkeys(why for contest in contests for why in contest.missing.values())
        told = "; ".join(reasons) or "every contest is left out"
        raise UsageError(f"nothing to run: {told}", "rosetta list frameworks")
    return contests


def meant_of(contenders: list[Contender], workload: str, request: Request) -> list[Contender]:
    """Return the contenders whose cells of a workload the request means."""
    if not request.only:
        return contenders
    return [one for one in contenders if (workload, one.label) in request.only]


def check_length(contests: list[PlannedContest], request: Request) -> None:
    """Raise UsageError where a setting says how long to train and the request is for no full training."""
    for setting in (contest.setting for contest in contests if not request.full):
        for axis, value in (("epochs", setting.epochs), ("steps", setting.steps)):
            if value:
                raise UsageError(
                    f"{axis}={value} says how long to train, and this trains until the times are known well enough",
                    "Add --full to rosetta run.",
                )


def at_proof(contest: PlannedContest) -> PlannedContest:
    """Return a contest at the extents that its workload states for proofs; the same contest where it states none."""
    extents = contest.workload.proof
    if extents.batch_size is None and not extents.form and not extents.optimizer:
        return contest
    setting = replace(contest.setting, batch_size=extents.batch_size or contest.setting.batch_size)
    return replace(contest, workload=contest.workload.proven, setting=setting)


def is_left_out(workload: Workload, setting: Setting, request: Request) -> bool:
    """Whether the request leaves this contest out."""
    return any(one.workload == workload.name and whole(one.setting) == setting.as_json() for one in request.left_out)


def plan_contest(
    workload: Workload, setting: Setting, contenders: list[Contender], control: bool, planted: float
) -> PlannedContest:
    """Return one contest. The control is a second copy of the first contender; a third has the planted work."""
    missing = {one.label: why for one in contenders if (why := why_missing(workload, one))}
    able = [one for one in contenders if one.label not in missing]
    if control and able:
        able.append(replace(able[0], copy=2))
    if planted and able:
        able.append(replace(able[0], copy=3, extra=planted))
    return PlannedContest(workload, setting, tuple(able), missing)


def why_missing(workload: Workload, contender: Contender) -> str | None:
    """Return why a contender does not do a workload; None if it does.

    Its framework has no implementation, or one that does not run in its release; the workload says why.
    """
    if contender.mode == AS_SHIPPED:
        known = variants_of(contender.framework, contender.release)
        if workload.name not in known:
            others = ", ".join(known) or "no workload"
            return f"{contender.label} differs in {others}, as far as is known, and not in {workload.name}"
    implementation = contender.entry.implementation_name
    why = workload.absent.get(f"{implementation}@{contender.release}")
    if why:
        return f"{workload.name} as it is written does not run in {contender.framework} {contender.release}: {why}"
    why = workload.absent.get(f"{implementation}:{contender.mode}")
    if why:
        return f"{contender.label} does not do {workload.name}: {why}"
    if contender.entry.does(workload):
        return None
    why = workload.absent.get(contender.framework) or workload.absent.get(implementation)
    return f"{contender.framework} has no implementation of {workload.name}" + (f": {why}" if why else "")
