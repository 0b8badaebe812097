"""How a sweep goes over many simulated nodes of Ray: what one controller, its mailbox and its store take.

    .venv/bin/python benchmarks/simulated_nodes.py [--nodes 100] [--raylets 4] [--contests 200] [--block-seconds 1]

It needs Ray: .venv/bin/python -m uv pip install --python .venv/bin/python 'ray[client]~=2.60' psutil

Simulated: the nodes are threads of one process for each raylet, all on this machine, and a contest measures nothing. It
writes as many blocks as a real one, and waits in place of each. Real: the head, the raylets, messages over TCP, the
mailbox, the controller, and the rows: in the file of the node, then in the user's store on disk.

A raylet for each node does not fit: it takes 0.2 GiB, and a process for a contest 0.1 GiB.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "lab"))

from ray_nodes import RayNodes

from rosettabench.cluster.connection import ClusterNode, RayCluster, lend_cluster
from rosettabench.cluster.sweep import spread
from rosettabench.lab.begin import begin_run
from rosettabench.lab.display import Silent
from rosettabench.lab.run import Laboratory
from rosettabench.plan.request import RunRequest
from rosettabench.store.record import MeasuredOn
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, events_of

CONTENDERS = ("pytorch",)
"""Nothing of them is started; the control makes two contenders of a contest."""


class Host:
    """An actor of Ray: some simulated nodes, each call a thread."""

    def measure(self, words: tuple[Any, ...], blocks: int, seconds: float, folder: str) -> None:
        """Write the rows of a contest, and wait in place of each block."""
        import ray

        from rosettabench.client.machine import describe_machine
        from rosettabench.cluster.node import NodeStore
        from rosettabench.cluster.parcel import unpack
        from rosettabench.lab.journal import Journal
        from rosettabench.lab.place import settle
        from rosettabench.store.record import Stopped
        from rosettabench.store.schema import Block
        from rosettabench.store.store import now

        parcel, run_id, contest, attempt, node, mailbox = words
        took: list[float] = []

        def send(row: str) -> None:
            """Send a row, and note how long that took."""
            begun = time.perf_counter()
            assert ray.get(mailbox.put.remote(attempt, row))
            took.append(time.perf_counter() - begun)

        own = Path(folder) / attempt
        store = NodeStore(own.with_suffix(".sqlite"), Store(f"{own}-shelf.sqlite"), send)
        unpack(parcel, store.engine)
        run = store.run(run_id)
        row = next(one for one in run.contests if one.id == contest)
        settle(store, run, row, node, describe_machine())
        facts = {"session": 1, "phase": "turn", "first": 0, "steps": 10, "samples": 320, "learning_rate": 1e-3}
        for number in range(blocks):
            for position, entry in enumerate(row.entries):
                mailbox.say.remote(attempt, f"round {number}", False)
                time.sleep(seconds)
                place = {"entry_id": entry.id, "round": number, "position": position, "at": now()}
                store.add(Block(**place, **facts, elapsed_s=seconds, cpu_s=seconds, loss=0.5))
        Journal(store, run_id, contest).event(Stopped(why="simulated"))
        own.with_suffix(".json").write_text(json.dumps(took))


class SimulatedNodes(RayCluster):
    """A cluster of which each raylet is several nodes. They do everything for a contest but measure it."""

    def __init__(self, ray: Any, address: str, shares: int, how: tuple[int, float, str]) -> None:
        """Each raylet is `shares` nodes. `how`: blocks of each contender, seconds of each, a folder for files."""
        super().__init__(ray, address)
        self.shares = shares
        self.how = how
        self.hosts: dict[str, Any] = {}

    def nodes(self) -> list[ClusterNode]:
        """Return the nodes, several of each raylet, after these were checked as usual."""
        return [
            replace(raylet, id=f"{raylet.id} {share}", name=f"{raylet.name}.{share}")
            for raylet in super().nodes()
            for share in range(self.shares)
        ]

    def begin(self, node: ClusterNode, *words: Any) -> Any:
        """Begin a simulated contest."""
        raylet = node.id.split()[0]
        if raylet not in self.hosts:
            kind = self.ray.remote(num_cpus=0, max_concurrency=self.shares)(Host)
            self.hosts[raylet] = kind.options(scheduling_strategy=self._on(raylet)).remote()
        return self.hosts[raylet].measure.remote(words, *self.how)


class Printed(Silent):
    """Prints what stays on the screen, but not the hundred names of the nodes."""

    def tell(self, what: str) -> None:
        """Print the beginning."""
        print(what[:100], flush=True)


@contextmanager
def nodes_of_ray(count: int, folder: Path) -> Iterator[RayNodes]:
    """Start a head and some raylets; end them afterwards."""
    (folder / "cache" / "environments").mkdir(parents=True)
    nodes = RayNodes(folder, {**os.environ, "ROSETTA_CACHE": str(folder / "cache")})
    try:
        for number in range(count):  # one at a time: those of one machine share files of Ray, and their starts fail
            nodes.add(f"n{number}")
        nodes.open()
        yield nodes
    finally:
        nodes.end()


def run_sweep(address: str, shares: int, contests: int, how: tuple[int, float, str], store: Store) -> Run:
    """Spread a run over the nodes, and return it from the store."""
    sizes = list(range(1, contests + 1))
    request = RunRequest(workloads=("fashion-mlp",), contenders=CONTENDERS, axes={"batch_size": sizes, "threads": [1]})
    run = begin_run(store, request, ["rosetta", "run"])
    laboratory = Laboratory(store, Path(how[-1]), Printed())
    begun = time.perf_counter()
    with lend_cluster(address) as lent:
        cluster = SimulatedNodes(lent.ray, address, shares, how)
        print(f"{len(cluster.nodes())} nodes have answered after {time.perf_counter() - begun:.0f} s", flush=True)
        spread(laboratory, run, cluster)
    return store.run(run.id)


def tell(run: Run, folder: Path, seconds: float, processor_s: float) -> None:
    """Print what the sweep took, and check that nothing is lost."""
    took = [one for file in folder.glob("*.json") for one in json.loads(file.read_text())]
    blocks = [block for contest in run.contests for entry in contest.entries for block in entry.blocks]
    used = {MeasuredOn.last_of(events_of(run, contest)).node for contest in run.contests}
    cuts = quantiles(took, n=100)
    print(f"{len(run.contests)} contests on {len(used)} nodes, {len(blocks)} blocks, in {seconds:.0f} s")
    print(
        f"{len(took) / seconds:.0f} rows a second; a row takes {cuts[49]:.3f} s (median), {cuts[98]:.3f} s (1 of 100)"
    )
    print(f"the controller computed for {processor_s:.0f} s: {1e3 * processor_s / len(took):.1f} ms a row")


def main() -> None:
    """Start the nodes, run the sweep, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--raylets", type=int, default=4)
    parser.add_argument("--contests", type=int, default=200)
    parser.add_argument("--blocks", type=int, default=50, help="of each of two contenders")
    parser.add_argument("--block-seconds", type=float, default=1.0)
    asked = parser.parse_args()
    memory, begun = psutil.virtual_memory().available, time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryDirectory(dir="/dev/shm") as fast,
        nodes_of_ray(asked.raylets, Path(place)) as nodes,
    ):
        taken = (memory - psutil.virtual_memory().available) / 2**30
        print(f"{asked.raylets} raylets after {time.perf_counter() - begun:.0f} s, with {taken:.1f} GiB", flush=True)
        store = Store(str(Path(place) / "results.sqlite"))
        begun, processor = time.perf_counter(), time.process_time()
        how = (asked.blocks, asked.block_seconds, fast)
        run = run_sweep(nodes.address, asked.nodes // asked.raylets, asked.contests, how, store)
        tell(run, Path(fast), time.perf_counter() - begun, time.process_time() - processor)
        assert all(len(entry.blocks) == asked.blocks for contest in run.contests for entry in contest.entries)


if __name__ == "__main__":
    main()
