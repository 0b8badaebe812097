"""Smaller batches, where time or memory leaves a workload out: a table of few samples is more than none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from rosettabench.errors import UsageError
from rosettabench.plan.budget import ALL, Fitted
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import LeftOut, RunRequest

Fit = Callable[[RunRequest], Fitted]
"""Returns what of a request fits. Raises UsageError where nothing does."""

BATCH = "batch_size"
"""The axis."""


def with_smaller_batches(request: RunRequest, sizes: Mapping[str, Sequence[int]], fit: Fit) -> Fitted:
    """Return what of a request fits, tried with smaller and smaller batches as long as something is missing.

    `sizes` are those of each workload, the largest first. Workloads that do not fit at all get the next smaller one;
    where all fit, but not with rounds enough for verdicts, all that have one do. Of all that is tried, what has the
    most workloads is returned, and among equals what has verdicts, and then what was tried first. A setting whose place
    a smaller batch takes is left out, and says so. Whoever names a batch gets no other. Raises UsageError, that of the
    request as it is, where nothing fits.
    """
    rest = {} if BATCH in request.axes else {name: list(sizes.get(name, ())) for name in request.workloads}
    tried = request
    attempts: list[Fitted | UsageError] = []
    while True:
        attempts.append(attempt(fit, tried))
        smaller = {name: rest[name].pop(0) for name in short_of(attempts[-1], rest) if rest[name]}
        if not smaller:
            break
        tried = with_batches(tried, smaller)
    first, found = attempts[0], [one for one in attempts if isinstance(one, Fitted)]
    if isinstance(first, UsageError) and not found:
        raise first
    best = max(found, key=lambda one: (len(workloads_of(one.request)), one.verdicts))
    left_out = (*settings_replaced(request, best.request, first), *best.request.left_out)
    return replace(best, request=best.request.model_copy(update={"left_out": left_out}))


def attempt(fit: Fit, request: RunRequest) -> Fitted | UsageError:
    """Return what of a request fits, or why nothing does."""
    try:
        return fit(request)
    except UsageError as error:
        return error


def short_of(attempted: Fitted | UsageError, workloads: Iterable[str]) -> list[str]:
    """Return the workloads for which a smaller batch may help: the lost ones; all where rounds are too few."""
    if isinstance(attempted, UsageError):
        return list(workloads)
    kept = workloads_of(attempted.request)
    lost = [name for name in workloads if name not in kept]
    return lost or ([] if attempted.verdicts == ALL else list(workloads))


def workloads_of(request: RunRequest) -> set[str]:
    """Return the names of the workloads that a request has a contest of."""
    return {planned.workload.name for planned in make_plan(request)}


def with_batches(request: RunRequest, batches: Mapping[str, int]) -> RunRequest:
    """Return a request with another batch for some of its workloads."""
    own = {name: {**request.own_axes.get(name, {}), BATCH: [size]} for name, size in batches.items()}
    return request.model_copy(update={"own_axes": {**request.own_axes, **own}})


def settings_replaced(request: RunRequest, best: RunRequest, first: Fitted | UsageError) -> list[LeftOut]:
    """Return the settings of a request that `best` has a smaller batch for, and why each is left out.

    That is what was said of it in the `first` attempt, which was with the request as it is.
    """
    usual, before = "no time for rounds enough for a verdict", {}
    if isinstance(first, UsageError):
        usual = first.what
    else:
        before = {(one.workload, whole_setting(one.setting)): one for one in first.request.left_out}
    kept = workloads_of(best)
    replaced = []
    for planned in make_plan(request):
        name, setting = planned.workload.name, planned.setting.as_json()
        batches = best.own_axes.get(name, {}).get(BATCH)
        if batches is None or batches == request.own_axes.get(name, {}).get(BATCH):
            continue
        one = before.get((name, whole_setting(setting))) or LeftOut(workload=name, setting=setting, why=usual)
        stand_in = f", and batch size {batches[0]} in its place" if name in kept else ""
        replaced.append(one.model_copy(update={"why": one.why + stand_in}))
    return replaced


def whole_setting(setting: Mapping[str, int | str]) -> tuple[tuple[str, int | str], ...]:
    """Return a setting as a key."""
    return tuple(sorted(setting.items()))
