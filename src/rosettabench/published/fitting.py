"""Fit a run into memory and budget. In a study, the contests that its claims ask for come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rosettabench.client.machine import describe_machine
from rosettabench.lab.jobs import Jobs
from rosettabench.lab.past import read_past
from rosettabench.lab.run import Laboratory
from rosettabench.plan.budget import FittedRequest, fit_contests
from rosettabench.plan.estimate import estimate_each
from rosettabench.plan.plan import PlannedContest, make_plan
from rosettabench.plan.request import RunRequest
from rosettabench.plan.smaller import with_smaller_batches
from rosettabench.published.asked import claims_asking, intervals_together
from rosettabench.published.available import catalogue
from rosettabench.published.claim import all_claims


def fit_run(
    request: RunRequest, laboratory: Laboratory, budget: float | None, batches: Mapping[str, Sequence[int]]
) -> FittedRequest:
    """Return the request reduced to what fits into memory and `budget`, in seconds, and in words what it will take.

    `batches` are the smaller batch sizes that a workload may use instead of being left out. Raises UsageError if
    nothing fits.
    """
    from psutil import virtual_memory

    free = virtual_memory().available
    machine = describe_machine()
    before = read_past(laboratory.store, machine)
    claims = [claim for claim in all_claims() if claim.study == request.study or not request.study]
    here = catalogue(len(machine["gpus"]))

    def claims_of(planned: PlannedContest) -> frozenset[str]:
        """Return the claims that ask for a contest."""
        return claims_asking(claims, planned.workload.name, planned.setting.as_json(), here)

    def fit(tried: RunRequest) -> FittedRequest:
        """Return the part of a request that fits."""
        plan = make_plan(tried)
        contests = list(zip(plan, estimate_each(plan, before), strict=True))
        jobs = Jobs(laboratory.cache, tried).list_needs(plan)
        return fit_contests(tried, contests, budget, free, claims_of, sum(job.seconds for job in jobs))

    if request.study:
        request = request.model_copy(update={"tests": intervals_together(claims, here)})
    return with_smaller_batches(request, batches, fit)
