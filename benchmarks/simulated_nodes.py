"""How a sweep goes over many simulated nodes of Ray: what one controller, its mailbox and its store take.

    .venv/bin/python benchmarks/simulated_nodes.py [--nodes 100] [--contests 200] [--blocks 100] [--block-seconds 1]

It needs Ray: .venv/bin/python -m uv pip install --python .venv/bin/python 'ray[client]~=2.60' psutil

Simulated: the nodes are on this machine, told apart by loopback addresses, and a contest measures nothing. It writes as
many blocks as a real one, and waits in place of each. Real: the head, a raylet for each node, messages over TCP, the
mailbox, the controller with its display, and the rows: in the file of the node, then in the user's store on disk.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "lab"))

from ray_nodes import RayNodes

from rosettabench.cluster.connection import RESOURCE, ClusterNode, RayCluster, lend_cluster
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


def simulate(words: tuple[Any, ...], blocks: int, seconds: float, folder: str) -> None:
    """Do what a node does for a contest, but for measuring. A task of Ray."""
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
    """A cluster whose nodes do everything for a contest but measure it."""

    how: tuple[int, float, str]
    """Blocks of each contender, seconds of each, and the folder for the files of the nodes."""

    def begin(self, node: ClusterNode, *words: Any) -> Any:
        """Begin a simulated contest, in a fresh process as a real one."""
        task = self.ray.remote(num_cpus=0, resources={RESOURCE: 1}, max_retries=0, max_calls=1)(simulate)
        return task.options(scheduling_strategy=self._on(node.id)).remote(words, *self.how)


class Printed(Silent):
    """Prints what stays on the screen, but not the hundred names of the nodes."""

    def tell(self, what: str) -> None:
        """Print the beginning."""
        print(what[:100], flush=True)


@contextmanager
def nodes_of_ray(count: int, folder: Path) -> Iterator[RayNodes]:
    """Start a head and some nodes; end them afterwards."""
    (folder / "cache" / "environments").mkdir(parents=True)
    nodes = RayNodes(folder, {**os.environ, "ROSETTA_CACHE": str(folder / "cache")})
    try:
        names = [f"n{number}" for number in range(count)]
        at_once = os.cpu_count() or 1
        for first in range(0, count, at_once):
            for name in names[first : first + at_once]:
                nodes.begin(name)
            for name in names[first : first + at_once]:
                nodes.wait_for_node(name)
        nodes.open()
        yield nodes
    finally:
        nodes.end()


def run_sweep(address: str, contests: int, how: tuple[int, float, str], store: Store) -> Run:
    """Spread a run over the nodes, and return it from the store."""
    sizes = list(range(1, contests + 1))
    request = RunRequest(workloads=("fashion-mlp",), contenders=CONTENDERS, axes={"batch_size": sizes, "threads": [1]})
    run = begin_run(store, request, ["rosetta", "run"])
    laboratory = Laboratory(store, Path(how[-1]), Printed())
    with lend_cluster(address) as lent:
        cluster = SimulatedNodes(lent.ray, address)
        cluster.how = how
        begun = time.perf_counter()
        cluster.nodes()
        print(f"all nodes have answered after {time.perf_counter() - begun:.0f} s", flush=True)
        spread(laboratory, run, cluster, lambda contest: None)
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
    parser.add_argument("--contests", type=int, default=200)
    parser.add_argument("--blocks", type=int, default=100, help="of each of two contenders")
    parser.add_argument("--block-seconds", type=float, default=1.0)
    asked = parser.parse_args()
    memory, begun = psutil.virtual_memory().available, time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryDirectory(dir="/dev/shm") as fast,
        nodes_of_ray(asked.nodes, Path(place)) as nodes,
    ):
        taken = (memory - psutil.virtual_memory().available) / 2**30
        print(f"{asked.nodes} nodes after {time.perf_counter() - begun:.0f} s, with {taken:.1f} GiB", flush=True)
        store = Store(str(Path(place) / "results.sqlite"))
        begun, processor = time.perf_counter(), time.process_time()
        run = run_sweep(nodes.address, asked.contests, (asked.blocks, asked.block_seconds, fast), store)
        tell(run, Path(fast), time.perf_counter() - begun, time.process_time() - processor)
        assert all(len(entry.blocks) == asked.blocks for contest in run.contests for entry in contest.entries)


if __name__ == "__main__":
    main()
