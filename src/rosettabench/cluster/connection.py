"""The connection to a Ray cluster: one that is there, or a Ray of this machine for one command.

Ray is an extra, imported late. Between our own processes it pickles names of functions, texts and numbers; nothing from
outside is unpickled. The cluster is the user's: whoever reaches its ports can run code on its nodes.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rosettabench import __version__
from rosettabench.cluster.mailbox import Mailbox
from rosettabench.cluster.node import describe_node, measure
from rosettabench.errors import EnvironmentFault, UsageError
from rosettabench.resources.processors import usable_cores

LOCAL = "ray"
"""The address that means: a Ray of this machine, started and ended by the command."""

ADDRESS = re.compile(r"(?:ray://)?(?P<host>[\w.-]+):(?P<port>\d{1,5})")
"""The address of a cluster."""

RESOURCE = "rosetta"
"""The resource that a node offers once: a contest claims it, and has the machine for itself."""

OFFER = f"""--resources='{{"{RESOURCE}": 1}}'"""
"""The option of `ray start` that offers it."""

REQUIREMENT = "ray[client]~=2.60"
"""Ray, as the extra `ray` of pyproject.toml states it."""

OURS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "RAY_memory_monitor_refresh_ms": "0"}
"""Variables of a Ray of our own: nothing is reported to Ray's makers, contests have the usual priority, and Ray ends no
process for lack of memory, which is a result of a contender."""

SAME = "All nodes need the same Ray and Python. If the cluster asks for a token: RAY_AUTH_MODE=token rosetta …"
"""What to do where a cluster refuses. Ray does not tell a missing token from a version."""

MEMORY = 128 * 2**20
"""Bytes of the object store of a Ray of our own; rows are small."""

MOST_SKEW_S = 5.0
"""Seconds by which the clock of a node may differ."""

ANSWER_S = 120.0
"""Seconds in which a node must answer; starting a process there takes some."""


@dataclass(frozen=True)
class ClusterNode:
    """A node that may measure: its id in Ray, its name, its machine, and the niceness of its processes."""

    id: str
    name: str
    machine: Mapping[str, Any]
    niceness: int


def check_address(address: str) -> None:
    """Raise UsageError for what is no address, EnvironmentFault if nothing answers there."""
    if address == LOCAL:
        return
    found = ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 2**16:
        raise UsageError(
            f"--on {address!r} is not the address of a Ray cluster",
            "Write --on ray for this machine alone, HOST:PORT on a node of the cluster, or ray://HOST:PORT elsewhere.",
        )
    try:
        socket.create_connection((found["host"], int(found["port"])), timeout=10).close()
    except OSError as error:
        raise EnvironmentFault(
            f"no Ray cluster answers at {address}: {error}", f"Start one there: ray start --head {OFFER}"
        ) from error


def load_ray() -> Any:  # noqa: ANN401 (a module without types)
    """Return the module of Ray. Raises EnvironmentFault with the command that installs it."""
    for name, value in OURS.items():
        os.environ.setdefault(name, value)
    try:
        return import_module("ray")
    except ImportError as error:
        raise EnvironmentFault(
            f"--on needs Ray: {error}",
            f"{sys.executable} -m uv pip install --python {sys.executable} '{REQUIREMENT}'",
        ) from error


@contextmanager
def lend_cluster(address: str) -> Iterator[RayCluster]:
    """Lend the cluster at an address; for `ray`, a Ray of this machine, which ends afterwards."""
    check_address(address)
    ray = load_ray()
    how: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        offered = {"num_cpus": usable_cores(), "resources": {RESOURCE: 1}, "object_store_memory": MEMORY}
        how |= {"address": "local", "include_dashboard": False, **offered}
    on_end = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**how)
    except (ConnectionError, RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
        told = " ".join(str(error).split())
        raise EnvironmentFault(f"the Ray cluster at {address} refused: {told}", SAME) from error
    signal.signal(signal.SIGTERM, on_end)  # Ray takes it
    try:
        yield RayCluster(ray, address)
    finally:
        ray.shutdown()


class RayCluster:
    """A cluster that this process is connected to."""

    def __init__(self, ray: Any, address: str) -> None:  # noqa: ANN401 (a module without types)
        """`ray` is Ray's module, already connected to `address`. Nodes are first checked in `nodes`."""
        self.ray = ray
        self.address = address
        self._known: dict[str, ClusterNode] = {}
        self.unfit: dict[str, str] = {}
        """{id of a node that may not measure: why}."""

    def nodes(self) -> list[ClusterNode]:
        """Return the nodes that live, offer the resource and fit. Those that joined since the last call are checked."""
        living = [one for one in self.ray.nodes() if one["Alive"] and one["Resources"].get(RESOURCE)]
        new = [one for one in living if one["NodeID"] not in (*self._known, *self.unfit)]
        if new:
            self._check(new)
        return [self._known[one["NodeID"]] for one in living if one["NodeID"] in self._known]

    def _check(self, new: Sequence[Mapping[str, Any]]) -> None:
        """Ask nodes to describe themselves, twice: starting a process takes a while, which would blur the clocks."""
        self._ask(new)
        for offered, (sent, facts, received) in zip(new, self._ask(new), strict=True):
            name = offered["NodeName"] or offered["NodeManagerHostname"]
            why = facts if isinstance(facts, str) else why_unfit(offered["Resources"][RESOURCE], facts, sent, received)
            if why:
                self.unfit[offered["NodeID"]] = f"node {name} {why}"
            else:
                assert not isinstance(facts, str)
                self._known[offered["NodeID"]] = ClusterNode(
                    offered["NodeID"], name, facts["machine"], facts["niceness"]
                )

    def _ask(self, nodes: Sequence[Mapping[str, Any]]) -> list[tuple[float, dict[str, Any] | str, float]]:
        """Return for each node when it was asked, what it answered or why it did not, and when that arrived."""
        ask = self.ray.remote(num_cpus=0, max_retries=0)(describe_node)
        sent = time.time()
        refs = [ask.options(scheduling_strategy=self._on(one["NodeID"])).remote() for one in nodes]
        answers: list[tuple[float, dict[str, Any] | str, float]] = []
        for ref in refs:
            facts: dict[str, Any] | str
            try:
                facts = self.ray.get(ref, timeout=ANSWER_S)
            except self.ray.exceptions.RayError as error:
                facts = f"does not answer: {str(error).strip().splitlines()[-1]}. It needs Rosettabench {__version__}"
            answers.append((sent, facts, time.time()))
        return answers

    def _on(self, node: str) -> Any:  # noqa: ANN401 (a class of Ray)
        """Return the scheduling strategy that means this node alone."""
        strategies = import_module("ray.util.scheduling_strategies")
        return strategies.NodeAffinitySchedulingStrategy(node_id=node, soft=False)

    def mailbox(self) -> Any:  # noqa: ANN401 (an actor of Ray)
        """Return a new mailbox, beside this process: no node that measures can take it along when it dies."""
        here = self.ray.get_runtime_context().get_node_id()
        kind = self.ray.remote(num_cpus=0, max_restarts=0)(Mailbox)
        return kind.options(scheduling_strategy=self._on(here)).remote()

    def begin(self, node: ClusterNode, *words: Any) -> Any:  # noqa: ANN401 (arguments and a handle of Ray)
        """Begin to measure a contest on a node, in a fresh process; `words` are the arguments of `measure`."""
        task = self.ray.remote(num_cpus=0, resources={RESOURCE: 1}, max_retries=0, max_calls=1)(measure)
        return task.options(scheduling_strategy=self._on(node.id)).remote(*words)


def why_unfit(offered: float, facts: Mapping[str, Any], sent: float, received: float) -> str:
    """Return why a node may not measure; "" if it may.

    It offers the resource `offered` times. It was asked at `sent`, and its answer was here at `received`.
    """
    if offered != 1:
        return f"offers the resource {RESOURCE} {offered:g} times, and a machine has one contest at a time: {OFFER}"
    if facts["rosettabench"] != __version__:
        return f"has Rosettabench {facts['rosettabench']}, and this command is {__version__}"
    if minor_version(facts["python"]) != minor_version(platform.python_version()):
        return f"has Python {facts['python']}, and this command runs on {platform.python_version()}"
    ahead = max(facts["clock"] - received, 0.0) - max(sent - facts["clock"], 0.0)
    if abs(ahead) > MOST_SKEW_S:
        return f"has a clock that is {abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}: set it, by NTP say"
    return ""


def minor_version(version: str) -> tuple[str, ...]:
    """Return major and minor version."""
    return tuple(version.split(".")[:2])
