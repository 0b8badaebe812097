"""Smaller batches if time or memory would leave out a workload: a table with fewer samples is better than none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from rosettabench.errors import UsageError
from rosettabench.plan.budget import ALL, FittedRequest
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import LeftOut, RunRequest

Fit = Callable[[RunRequest], FittedRequest]
"""Returns the part of a request that fits. Raises UsageError if nothing does."""

BATCH = "batch_size"
"""The axis of the batch size."""


def with_smaller_batches(request: RunRequest, sizes: Mapping[str, Sequence[int]], fit: Fit) -> FittedRequest:
    """Return the part of a request that fits, with smaller batches as long as something does not.

    `sizes` are the batch sizes to try for each workload, the largest first. Each attempt reduces the batches of the
    workloads that do not fit. If all fit, but without enough rounds for verdicts, it reduces the batches of all
    workloads. The result is the attempt with the most workloads; among equals, one with verdicts, then the earliest.
    The replaced settings are left out with a reason. A batch size that the user states is never changed. If nothing
    fits, raises the UsageError of the original request.
    """
    rest = {} if BATCH in request.axes else {name: list(sizes.get(name, ())) for name in request.workloads}
    tried = request
    attempts: list[FittedRequest | UsageError] = []
    while True:
        attempts.append(attempt(fit, tried))
        smaller = {name: rest[name].pop(0) for name in short_of(attempts[-1], rest) if rest[name]}
        if not smaller:
            break
        tried = with_batches(tried, smaller)
    first, found = attempts[0], [one for one in attempts if isinstance(one, FittedRequest)]
    if isinstance(first, UsageError) and not found:
        raise first
    best = max(found, key=lambda one: (len(workloads_of(one.request)), one.verdicts))
    left_out = (*settings_replaced(request, best.request, first), *best.request.left_out)
    return replace(best, request=best.request.model_copy(update={"left_out": left_out}))


def attempt(fit: Fit, request: RunRequest) -> FittedRequest | UsageError:
    """Return the part of a request that fits, or the error if nothing does."""
    try:
        return fit(request)
    except UsageError as error:
        return error


def short_of(attempted: FittedRequest | UsageError, workloads: Iterable[str]) -> list[str]:
    """Return the workloads that may fit with a smaller batch: the lost ones; all if there are too few rounds."""
    if isinstance(attempted, UsageError):
        return list(workloads)
    kept = workloads_of(attempted.request)
    lost = [name for name in workloads if name not in kept]
    return lost or ([] if attempted.verdicts == ALL else list(workloads))


def workloads_of(request: RunRequest) -> set[str]:
    """Return the names of the workloads in a request's contests."""
    return {planned.workload.name for planned in make_plan(request)}


def with_batches(request: RunRequest, batches: Mapping[str, int]) -> RunRequest:
    """Return a request with other batch sizes for some of its workloads."""
    own = {name: {**request.own_axes.get(name, {}), BATCH: [size]} for name, size in batches.items()}
    return request.model_copy(update={"own_axes": {**request.own_axes, **own}})


def settings_replaced(request: RunRequest, best: RunRequest, first: FittedRequest | UsageError) -> list[LeftOut]:
    """Return the settings of a request that `best` replaces by a smaller batch, each with the reason.

    The reason is that of the `first` attempt, with the request as it was.
    """
    usual, before = "no time for enough rounds for a verdict", {}
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
    """Return a setting as a hashable key."""
    return tuple(sorted(setting.items()))
