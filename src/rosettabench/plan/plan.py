"""Make the plan of a request: its contests, and the contenders of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rosettabench.catalogue.as_shipped import AS_SHIPPED, variants_of
from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.learning_rate import COSINE, stated_schedule
from rosettabench.plan.own import check_own
from rosettabench.plan.request import ContestRequest, ExplainRequest, ProveRequest
from rosettabench.plan.series import on_series
from rosettabench.plan.setting import Setting, most_devices, settings, why_too_large

CellKey = tuple[str, str, str]
"""The key of a cell: workload, framework (with its release if that is not the default), mode."""


def cell_key(workload: Workload, contender: Contender) -> CellKey:
    """Return the key of a cell."""
    return workload.name, contender.installation, contender.mode


@dataclass(frozen=True)
class PlannedContest:
    """One workload in one setting, with its contenders.

    `missing` is {label: why} for the contenders that cannot take part.
    """

    workload: Workload
    setting: Setting
    contenders: tuple[Contender, ...]
    missing: dict[str, str]


def make_plan(request: ContestRequest) -> list[PlannedContest]:
    """Return the contests of a request, in its order. Raises UsageError for an unknown name, or without any contest."""
    contenders = [parse_contender(text, request.interpreter(text)) for text in request.contenders]
    twice = [label for label, times in Counter(contender.label for contender in contenders).items() if times > 1]
    if twice:
        raise UsageError(
            f"{', '.join(twice)} is entered twice", "The A/A control enters one contender twice by itself."
        )
    workloads = [find_workload(name) for name in dict.fromkeys(request.workloads)]
    for workload in workloads:
        if workload.is_own:
            check_own(workload)
    contests = [
        plan_contest(on_series(workload, setting.series), setting, meant, request.copies)
        for _ in range(request.times)
        for workload in workloads
        for meant in [[one for one in contenders if request.means(workload.name, one.label)]]
        for setting in settings(workload, axes_of(request, workload))
        if meant and not request.leaves_out(workload.name, setting.as_json())
    ]
    check_length(contests, request)
    check_examined(contests, request)
    if not any(contest.contenders for contest in contests):
        reasons = dict.fromkeys(why for contest in contests for why in contest.missing.values())
        told = "; ".join(reasons) or "every contest is left out"
        raise UsageError(f"nothing to run: {told}", "rosetta list frameworks")
    return contests


def axes_of(request: ContestRequest, workload: Workload) -> dict[str, list[int | str]]:
    """Return the values that a request sets on the axes of a workload.

    The devices of a proof share its processors. A full training follows a schedule that changes in every step without
    being asked: published results depend on it.
    """
    asked = request.axes_of(workload.name)
    if isinstance(request, ProveRequest) and request.cores is not None:
        asked = {"threads": [max(1, request.cores // most_devices(asked, workload))], **asked}
    if request.trains_fully and stated_schedule(workload) == COSINE:
        return {"schedule": [COSINE], **asked}
    return asked


def check_length(contests: list[PlannedContest], request: ContestRequest) -> None:
    """Raise UsageError if a setting states the length of the training, but the request is not a full training."""
    for setting in (contest.setting for contest in contests if not request.trains_fully):
        for axis, value in (("epochs", setting.epochs), ("steps", setting.steps)):
            if value:
                raise UsageError(
                    f"{axis}={value} states how long to train, but this run stops when the times are known well enough",
                    "Add --full to rosetta run.",
                )


def check_examined(contests: list[PlannedContest], request: ContestRequest) -> None:
    """Raise UsageError if the parts of a step are asked for on several devices, whose passes include communication."""
    if isinstance(request, ExplainRequest) and any(contest.setting.devices > 1 for contest in contests):
        raise UsageError(
            "rosetta explain takes a step apart on one device; on several, communication belongs to no part",
            "Leave devices out, or compare devices=1,2 with rosetta run.",
        )


def at_proof(contest: PlannedContest) -> PlannedContest:
    """Return a contest with the extents of its workload's proof; the same contest if none are stated."""
    extents = contest.workload.proof
    if extents.batch_size is None and not extents.form and not extents.optimizer:
        return contest
    setting = replace(contest.setting, batch_size=extents.batch_size or contest.setting.batch_size)
    return replace(contest, workload=contest.workload.proven, setting=setting)


def plan_contest(
    workload: Workload, setting: Setting, contenders: list[Contender], copies: Sequence[float]
) -> PlannedContest:
    """Return one contest, with further copies of its first contender, each with the given extra work."""
    missing = {one.label: why for one in contenders if (why := why_missing(workload, one) or why_alone(one, setting))}
    able = [one for one in contenders if one.label not in missing]
    able += [replace(able[0], copy=number, extra=extra) for number, extra in enumerate(copies, start=2) if able]
    return PlannedContest(workload, setting, tuple(able), missing)


def why_alone(contender: Contender, setting: Setting) -> str | None:
    """Return why a contender cannot train on the devices of a setting; None if it can."""
    if setting.devices == 1:
        return None
    if (why := why_too_large(setting)) is not None:
        return why
    if contender.mode == AS_SHIPPED:
        return f"{contender.label} runs copies of its files, on one device only"
    if (why := contender.entry.why_on_one_device()) is None:
        return None
    able = ", ".join(one.name for one in competing_frameworks().values() if one.why_on_one_device() is None)
    return f"{contender.framework} {why}. Several devices train in: {able}"


def why_missing(workload: Workload, contender: Contender) -> str | None:
    """Return why a contender cannot run a workload; None if it can.

    Its framework may have no implementation, or one that does not run in its release or mode; the workload states why.
    """
    if contender.mode == AS_SHIPPED:
        known = variants_of(contender.framework, contender.release)
        if workload.name not in known:
            others = ", ".join(known) or "no workload"
            return f"{contender.label} differs from the default mode in {others}, and not in {workload.name}"
    exported = contender.entry.exported
    if exported is not None and workload.inference is None:
        return f"{contender.framework} only infers, and {workload.name} trains"
    implementation = contender.framework if exported else contender.entry.implementation_name
    why = workload.absent.get(f"{implementation}@{contender.release}")
    if why:
        return f"{workload.name} as it is written does not run in {contender.framework} {contender.release}: {why}"
    why = workload.absent.get(f"{implementation}:{contender.mode}")
    if why:
        return f"{contender.label} does not do {workload.name}: {why}"
    if contender.entry.does(workload):
        return None
    why = workload.absent.get(contender.framework) or workload.absent.get(implementation)
    if exported is not None and why is None:
        return f"{contender.framework} runs what is exported of {exported.framework}, and {workload.name} is not in it"
    return f"{contender.framework} has no implementation of {workload.name}" + (f": {why}" if why else "")
