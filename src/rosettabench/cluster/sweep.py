"""A sweep: the contests of one run are spread over the nodes of a cluster, and their rows stored as they arrive.

A contest has its node for itself. If the node dies, all that was stored is kept, and the contest goes on: on a machine
of the same kind where it stopped, on another kind anew.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import compress
from secrets import token_hex
from time import monotonic
from typing import Any

from rosettabench import errors
from rosettabench.cluster.connection import ClusterNode, RayCluster, lend_cluster
from rosettabench.cluster.mailbox import Remarks, Rows
from rosettabench.cluster.node import NodeFault
from rosettabench.cluster.parcel import Inbox, pack
from rosettabench.errors import EnvironmentFault, FailureKind, RosettaError, UsageError, WorkerError
from rosettabench.lab.journal import Journal
from rosettabench.lab.owner import at_work
from rosettabench.lab.place import counted_rounds
from rosettabench.lab.run import Laboratory, left_contests, title
from rosettabench.plan.request import Request, RunRequest, read_request
from rosettabench.plan.setting import Setting, with_defaults
from rosettabench.store.command import resume
from rosettabench.store.machine import same_kind
from rosettabench.store.record import FailureStage, Finished, Interrupted, MeasuredOn, Resumed, Stopped
from rosettabench.store.schema import Contest, Run
from rosettabench.store.store import events_of, machine_of

GLANCE_S = 0.5
"""Seconds that the controller waits for news before it looks after the nodes."""

SHUNNED_S = 30.0
"""Seconds for which a node gets nothing after something died there: Ray may need as long to see that it is gone."""

MOST_DEATHS = 5
"""A contest during which more nodes died is given up."""

ENDING_S = 10.0
"""Seconds that tasks have to end when the run is interrupted."""


@dataclass(frozen=True)
class Attempt:
    """A contest on a node: the row of the contest, the node, and Ray's handle of the task."""

    contest: int
    node: ClusterNode
    ref: Any


def check_request(request: Request) -> RunRequest:
    """Return the request of a run that can be spread. Raises UsageError for what needs one machine."""
    if not isinstance(request, RunRequest):
        raise UsageError(f"--on is for rosetta run, and this run is one of rosetta {request.kind}", "Leave --on out.")
    refused = {
        "a budget": (request.budget is not None, "Leave --budget out; --seconds limits each contest."),
        "a published study": (bool(request.study), "Its claims are judged on one machine: leave --on out."),
        "trainings as shipped": (request.shipped is not None, "Name contenders that are proven with -f."),
        "a GPU": (any(asks_gpu(axes) for axes in (request.axes, *request.own_axes.values())), "Add --set device=cpu."),
    }
    for what, (is_asked, hint) in refused.items():
        if is_asked:
            raise UsageError(f"--on does not go together with {what}", hint)
    return request


def asks_gpu(axes: Mapping[str, Sequence[int | str]]) -> bool:
    """Return whether values on the axes name a GPU. Contests on GPUs have not been tried over Ray."""
    return any(device != "cpu" for device in axes.get("device", ()))


@contextmanager
def cluster_at(address: str | None, request: Request) -> Iterator[RayCluster | None]:
    """Lend the Ray cluster at an address on which a request is done; None without an address."""
    if address is None:
        yield None
        return
    check_request(request)
    with lend_cluster(address) as cluster:
        yield cluster


def spread(
    laboratory: Laboratory, run: Run, cluster: RayCluster, ended: Callable[[Contest], None] = lambda contest: None
) -> None:
    """Do what is left of a run on the nodes of a cluster. `ended` is called after each contest but the last."""
    left = left_contests(run, check_request(read_request(run.request)))
    if not left:
        raise UsageError(f"run {run.id} is finished", "rosetta report shows it; rosetta run makes another.")
    store = laboratory.store
    with at_work(store, run, laboratory.cache, laboratory.display.tell):
        if run.events:
            Journal(store, run.id).event(Resumed())
        sweep = Sweep(laboratory, cluster, run.id, {row.id: title(planned, run.contests) for planned, row in left})
        try:
            sweep.go_on(ended)
        except KeyboardInterrupt:
            Journal(store, run.id).event(Interrupted())
            raise
        finally:
            sweep.end()
        Journal(store, run.id).event(Finished())


class Sweep:
    """The contests of one run on their way."""

    def __init__(self, laboratory: Laboratory, cluster: RayCluster, run: str, titles: Mapping[int, str]) -> None:
        """`run` is the id of the run; `titles` has the contests to do, by the ids of their rows."""
        self._store = laboratory.store
        self._display = laboratory.display
        self._cluster = cluster
        self._ray = cluster.ray
        self._run = run
        self._again = resume(self._store, run, cluster.address)
        self._titles = titles
        self._waiting = list(titles)
        self._attempts: dict[str, Attempt] = {}
        self._doing: dict[str, str] = {}
        self._deaths: Counter[int] = Counter()
        self._shunned: dict[str, float] = {}
        self._inbox = Inbox(self._store)
        self._begun = 0
        self._mailbox: Any = None

    def go_on(self, ended: Callable[[Contest], None]) -> None:
        """Measure all contests. Raises EnvironmentFault if no node is left, or the cluster goes away."""
        self._welcome(self._cluster.nodes())
        self._mailbox = self._cluster.mailbox()
        stored: list[bool] = []
        while self._waiting or self._attempts:
            self._begin()
            over = self._over()  # before the mailbox is emptied: all rows of these are in it
            rows, said = self._take(stored, 0.0 if over else GLANCE_S)
            stored = self._keep(rows)
            self._show(said)
            for token in over:
                contest = self._close(token)
                if contest is not None and (self._waiting or self._attempts):
                    ended(self._contest(contest)[1])

    def end(self) -> None:
        """End what still runs on nodes, and wait for it."""
        refs = [attempt.ref for attempt in self._attempts.values()]
        with suppress(self._ray.exceptions.RayError):  # if the cluster is gone, so are they
            for ref in refs:
                self._ray.cancel(ref, force=True)
            if refs:
                self._ray.wait(refs, num_returns=len(refs), timeout=ENDING_S)

    def _welcome(self, nodes: Sequence[ClusterNode]) -> None:
        """Say which nodes there are. Raises EnvironmentFault if there is none, or one that does not fit."""
        if self._cluster.unfit:
            raise EnvironmentFault("; ".join(self._cluster.unfit.values()), "Correct it, or take the node out.")
        if not nodes:
            raise EnvironmentFault(
                f"no node of the cluster at {self._cluster.address} offers the resource rosetta",
                "Start each with: ray start --address=HOST:PORT --resources='{\"rosetta\": 1}'",
            )
        self._display.tell(f"{len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}: {', '.join(n.name for n in nodes)}")
        for node in nodes:
            if node.niceness > os.getpriority(os.PRIO_PROCESS, 0):
                self._display.tell(
                    f"node {node.name} has a low priority (niceness {node.niceness}): start its Ray with "
                    "RAY_worker_niceness=0"
                )

    # -- beginning and ending ----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin contests on free nodes."""
        if not self._waiting:
            return
        nodes = self._cluster.nodes()
        busy = {attempt.node.id for attempt in self._attempts.values()}
        for contest in list(self._waiting):
            if self._attempts and busy.issuperset(node.id for node in nodes):
                return
            run, row = self._contest(contest)
            able = able_nodes(run, row, nodes)
            if not able and not self._attempts:
                raise EnvironmentFault(
                    f"no node of the cluster can measure {self._titles[contest]}: it takes {cores_of(row)} "
                    f"processors, and {len(nodes)} nodes are left",
                    f"{self._again} continues when there are some.",
                )
            node = next((one for one in able if one.id not in busy and not self._is_shunned(one)), None)
            if node is not None:
                self._send(run, row, node)
                busy.add(node.id)

    def _contest(self, contest: int) -> tuple[Run, Contest]:
        """Return a contest, and the run around it."""
        run = self._store.run_around(contest)
        return run, next(one for one in run.contests if one.id == contest)

    def _send(self, run: Run, row: Contest, node: ClusterNode) -> None:
        """Send a contest to a node."""
        token = token_hex(4)
        parcel = pack(run, row)
        ref = self._cluster.begin(node, parcel, run.id, row.id, token, node.name, self._mailbox)
        self._attempts[token] = Attempt(row.id, node, ref)
        self._waiting.remove(row.id)
        if not self._deaths[row.id]:
            self._begun += 1
        self._display.contest(f"{self._titles[row.id]} on {node.name}", self._begun, len(self._titles))

    def _is_shunned(self, node: ClusterNode) -> bool:
        """Return whether something died on a node a moment ago."""
        return monotonic() < self._shunned.get(node.id, 0.0) + SHUNNED_S

    def _over(self) -> list[str]:
        """Return the attempts whose tasks have ended or died."""
        tokens = {attempt.ref: token for token, attempt in self._attempts.items()}
        if not tokens:
            return []
        done, _ = self._ray.wait(list(tokens), num_returns=len(tokens), timeout=0)
        return [tokens[ref] for ref in done]

    def _close(self, token: str) -> int | None:
        """Take in the end of an attempt; return the contest if that has ended. Raises what must stop the run."""
        attempt = self._attempts.pop(token)
        self._doing.pop(token, None)
        exceptions = self._ray.exceptions
        try:
            fault = self._ray.get(attempt.ref)
        except exceptions.RayTaskError:  # an error in Rosettabench
            raise
        except exceptions.RayError as death:
            if not self._has_ended(attempt.contest):
                self._mourn(attempt, death)
                return None
            fault = None  # it died after its last row
        if fault is not None:
            raise error_of(fault, attempt.node)
        return attempt.contest

    def _has_ended(self, contest: int) -> bool:
        """Return whether the last attempt at a contest has stored its end."""
        happened = events_of(*self._contest(contest))
        kinds = [event.kind for event in happened if event.kind in (MeasuredOn.KIND, Stopped.KIND)]
        return kinds[-1:] == [Stopped.KIND]

    def _mourn(self, attempt: Attempt, death: Exception) -> None:
        """Let a contest whose node or process died go on elsewhere, unless that happened too often."""
        name, node = self._titles[attempt.contest], attempt.node
        self._shunned[node.id] = monotonic()
        self._deaths[attempt.contest] += 1
        if self._deaths[attempt.contest] <= MOST_DEATHS:
            self._display.tell(f"{name}: node {node.name} died; its blocks are kept, and the contest goes on elsewhere")
            self._waiting.insert(0, attempt.contest)
            return
        what = f"its node died {MOST_DEATHS + 1} times; the last one was {node.name}"
        self._display.tell(f"{name} is given up: {what}")
        Journal(self._store, self._run, attempt.contest).failure(
            FailureStage.START,
            WorkerError(FailureKind.CRASH, what, "Look at the logs of Ray on the nodes.", str(death)),
        )

    # -- the mailbox -------------------------------------------------------------------------------------------------

    def _take(self, stored: Sequence[bool], seconds: float) -> tuple[Rows, Remarks]:
        """Return what came from the nodes, after saying what was stored."""
        try:
            rows, said = self._ray.get(self._mailbox.take.remote(stored, seconds))
        except self._ray.exceptions.RayError as error:
            raise EnvironmentFault(
                f"the Ray cluster at {self._cluster.address} went away: {type(error).__name__}",
                f"All finished blocks are kept: {self._again}",
            ) from error
        return rows, said

    def _keep(self, rows: Rows) -> list[bool]:
        """Store rows; return of each whether it counts. If its attempt is over, the contest goes on elsewhere."""
        counts = [token in self._attempts for token, _ in rows]
        self._inbox.add(list(compress(rows, counts)))
        return counts

    def _show(self, said: Remarks) -> None:
        """Show what all contests do in one line, and what is to stay above it."""
        for token, words, is_lasting in said:
            if token not in self._attempts:
                continue
            if is_lasting:
                attempt = self._attempts[token]
                self._display.tell(f"{self._titles[attempt.contest]} on {attempt.node.name}: {words}")
            else:
                self._doing[token] = words
        lines = [
            f"{self._titles[attempt.contest]} on {attempt.node.name}: {self._doing.get(token, 'starting')}"
            for token, attempt in self._attempts.items()
        ]
        done = len(self._titles) - len(self._waiting) - len(self._attempts)
        self._display.several(lines, done, len(self._titles))


def cores_of(row: Contest) -> int:
    """Return how many processors a contest takes."""
    return Setting(**with_defaults(row.setting)).cores


def able_nodes(run: Run, row: Contest, nodes: Sequence[ClusterNode]) -> list[ClusterNode]:
    """Return the nodes that can measure a contest; if it has rounds, only those of their kind, if there are some."""
    able = [node for node in nodes if node.machine["cores"] >= cores_of(row)]
    if not counted_rounds(run, row):
        return able
    return [node for node in able if same_kind(node.machine, machine_of(run, row))] or able


def error_of(fault: NodeFault, node: ClusterNode) -> RosettaError:
    """Return the error of a node as it would have been raised here, with the node's name."""
    name, what, hint = fault
    kind = getattr(errors, name, RosettaError)
    said = f"node {node.name}: {what}"
    if issubclass(kind, WorkerError):
        return WorkerError(FailureKind.ERROR, said, hint)
    found: RosettaError = kind(said, hint)
    return found
