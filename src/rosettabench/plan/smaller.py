"""Smaller batches, where time or memory leaves a workload out: a table of few samples is more than none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rosettabench.errors import UsageError
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import LeftOut, Request

Fit = Callable[[Request], tuple[Request, str]]
"""Returns what of a request fits, and in words how long it takes. Raises UsageError where nothing does."""

BATCH = "batch_size"
"""The axis."""


def with_smaller_batches(request: Request, sizes: Mapping[str, Sequence[int]], fit: Fit) -> tuple[Request, str]:
    """Return what of a request fits, where workloads that do not fit at all are tried with smaller and smaller batches.

    `sizes` are those of each workload, the largest first. Of all that is tried, what has the most workloads is
    returned; among equals what was tried first. A setting whose place a smaller batch takes is left out, and says so.
    Whoever names a batch gets no other. Raises UsageError, that of the request as it is, where nothing fits.
    """
    rest = {} if BATCH in request.axes else {name: list(sizes.get(name, ())) for name in request.workloads}
    tried = request
    found: list[tuple[Request, str]] = []
    refusals: list[UsageError] = []
    while True:
        kept: set[str] = set()
        try:
            found.append(fit(tried))
            kept = workloads_of(found[-1][0])
        except UsageError as error:
            refusals.append(error)
        smaller = {name: left.pop(0) for name, left in rest.items() if left and name not in kept}
        if not smaller:
            break
        tried = with_batches(tried, smaller)
    if not found:
        raise refusals[0]
    best, told = max(found, key=lambda one: len(workloads_of(one[0])))
    why = refusals[0].what if refusals else ""
    replaced = settings_replaced(request, best, found[0][0].left_out, why)
    return best.model_copy(update={"left_out": (*replaced, *best.left_out)}), told


def workloads_of(request: Request) -> set[str]:
    """Return the names of the workloads that a request has a contest of."""
    return {planned.workload.name for planned in make_plan(request)}


def with_batches(request: Request, batches: Mapping[str, int]) -> Request:
    """Return a request with another batch for some of its workloads."""
    own = {name: {**request.own_axes.get(name, {}), BATCH: [size]} for name, size in batches.items()}
    return request.model_copy(update={"own_axes": {**request.own_axes, **own}})


def settings_replaced(request: Request, best: Request, left_out: Sequence[LeftOut], refusal: str) -> list[LeftOut]:
    """Return the settings of a request that `best` has a smaller batch for, and why each is left out.

    That is what `left_out` says of it, as the request was tried as it is, or the `refusal` where nothing fitted.
    """
    before = {(one.workload, tuple(one.setting.items())): one for one in left_out}
    kept = workloads_of(best)
    replaced = []
    for planned in make_plan(request):
        name, setting = planned.workload.name, planned.setting.as_json()
        batches = best.own_axes.get(name, {}).get(BATCH)
        if batches is None or batches == request.own_axes.get(name, {}).get(BATCH):
            continue
        one = before.get((name, tuple(setting.items()))) or LeftOut(workload=name, setting=setting, why=refusal)
        stand_in = f", and batch size {batches[0]} in its place" if name in kept else ""
        replaced.append(one.model_copy(update={"why": one.why + stand_in}))
    return replaced
