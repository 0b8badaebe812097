"""The jobs before contests: prepare each data set and make each environment once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rosettabench.catalogue.data_entry import OWN
from rosettabench.data.prepare import prepare_data
from rosettabench.data.prepared import Prepared
from rosettabench.environments.environment import Environment, Environments
from rosettabench.environments.lock import load_lock
from rosettabench.lab.preparation import Job, Key
from rosettabench.plan.estimate import DATA_S, ENVIRONMENT_S
from rosettabench.plan.plan import PlannedContest, at_proof
from rosettabench.plan.request import ContestRequest, ProveRequest


@dataclass(frozen=True)
class Jobs:
    """The jobs of one request; their results are kept in the cache."""

    cache: Path
    request: ContestRequest

    def list_needs(self, plan: Sequence[PlannedContest]) -> list[Job]:
        """Return the data sets and environments that contests need, each once, in the order of need."""
        found: dict[Key, Job] = {}
        proves = isinstance(self.request, ProveRequest)
        for planned in plan:
            for extents in (at_proof(planned),) if proves else (planned, at_proof(planned)):
                key = data_key(extents)
                found.setdefault(
                    key, Job(key, f"data {planned.workload.data.set}", partial(self._prepare, extents), DATA_S)
                )
            for lock in locks_of(planned):
                key = ("environment", lock)
                if key not in found:
                    found[key] = self.environment(lock)
        return list(found.values())

    def environment(self, lock: str) -> Job:
        """Return the job that makes the environment of a lock."""
        made = Environments(self.cache / "environments").find(load_lock(lock)) is not None
        return Job(("environment", lock), lock, partial(self._make, lock), 0.0 if made else ENVIRONMENT_S)

    def _make(self, lock: str, progress: Callable[..., None]) -> Environment:
        """Make the environment of a lock."""
        return Environments(self.cache / "environments").make(load_lock(lock), progress)

    def _prepare(self, planned: PlannedContest, progress: Callable[..., None]) -> Prepared:
        """Prepare the data of a contest."""
        return prepare_data(
            planned.workload,
            data_dir=self.request.data_dir,
            cache=self.cache,
            offline=self.request.offline,
            asked=planned.setting.data,
            progress=progress,
            pictures=planned.setting.input == "files",
        )


def locks_of(planned: PlannedContest) -> Iterator[str]:
    """Yield the managed environments that a contest needs: those of its contenders, and of who exports for them."""
    for contender in planned.contenders:
        if contender.lock is not None:
            yield contender.lock
        if contender.entry.exported is not None:
            yield contender.entry.exported.lock


def data_key(planned: PlannedContest) -> Key:
    """Return the key of the job that prepares the data of a contest."""
    data = planned.workload.data
    folder = str(planned.workload.folder) if data.set == OWN else ""
    return "data", data.set, repr(data.form), folder, planned.setting.data, planned.setting.input == "files"
