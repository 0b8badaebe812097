"""Begin a run: store its request, its machine and its plan. Nothing is started yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from secrets import token_hex

from rosettabench import __version__
from rosettabench.client.machine import describe_machine
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.lab.journal import Journal
from rosettabench.plan.plan import PlannedContest, make_plan
from rosettabench.plan.request import ContestRequest, Request
from rosettabench.store.record import FailureStage
from rosettabench.store.schema import Contest, Entry, Run
from rosettabench.store.store import Store


def begin_run(store: Store, request: Request, command: Sequence[str]) -> Run:
    """Store a new run, with all its contests if it has some. `command` holds the words that the user typed.

    Raises UsageError if the plan is empty.
    """
    plan = [(request, one) for one in make_plan(request)] if isinstance(request, ContestRequest) else []
    at = store.moment()
    identity = f"{at[:19].replace('-', '').replace(':', '').replace('T', '-')}-{token_hex(4)}"
    run = Run(
        id=identity,
        at=at,
        version=__version__,
        command=list(command),
        request=request.model_dump(mode="json"),
        machine=describe_machine(),
    )
    with store.together():  # half a plan could not be resumed
        store.add(run)
        for asked, planned in plan:
            write_contest(store, run, planned, asked)
    return store.run(identity)


def write_contest(store: Store, run: Run, planned: PlannedContest, request: ContestRequest) -> None:
    """Store one contest, its entries, and the reasons why other contenders are missing."""
    stopping = request.stopping.model_dump(mode="json")
    stopping |= {"confidence": request.confidence, "margin": request.margin}
    row = store.add(
        Contest(run_id=run.id, workload=planned.workload.name, setting=planned.setting.as_json(), stopping=stopping)
    )
    for one in planned.contenders:
        store.add(
            Entry(
                contest_id=row.id,
                label=one.label,
                framework=one.framework,
                mode=one.mode,
                lock=one.lock,
                python=str(one.python) if one.python else None,
                control_of=replace(one, copy=1, extra=0.0).label if one.copy > 1 else None,
            )
        )
    for what in planned.missing.values():
        Journal(store, run.id, row.id).failure(FailureStage.PLAN, WorkerError(FailureKind.UNSUPPORTED, what))
