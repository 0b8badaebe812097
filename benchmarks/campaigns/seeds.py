"""Proves honest frameworks, and mistakes that were planted into one, with many seeds: both errors of the proof.

    .venv/bin/python benchmarks/campaigns/seeds.py [WORKLOAD …] [--first 0] [--seeds 20] [--no-plants] [--results FILE]

Each seed draws other weights and other batches. With each of them, three frameworks that are honest must be proven, and
each planted mistake (tests/proof/whole_plants.py, on the networks as they are) must fail. One reference serves all of a
workload and seed, at the extents of the proof.

One line for each proof is added to `--results`; what stands there already is not proven again, and --summary alone
counts what stands there. The exit code is 1 where an honest framework failed, a mistake passed, or a proof did not
come to its end.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import Queue, get_context
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "proof")]

from laboratory import make_work, proven, reference
from test_plants import prove
from whole_plants import whole_plants

from rosetta_worker.children import die_with_parent
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.client.machine import kept_programs
from rosettabench.errors import RosettaError
from rosettabench.places import cache_dir

HONEST = ("pytorch", "jax", "mxnet-gluon", "tensorflow", "keras[tensorflow]", "chainer")
"""Of these, the first three that implement a workload are proven."""


def honest(workload: str) -> list[str]:
    """Return the three frameworks that are proven in a workload."""
    entries = all_frameworks()
    present = [one for one in HONEST if entries[one].file_of(find_workload(workload))]
    return present[:3]


def subjects(workload: str, plants: bool) -> list[tuple[str, str]]:
    """Return what is proven in a workload: ("honest", framework) and ("plant", name of a mistake)."""
    own = [("plant", plant.name) for plant in whole_plants() if plants and plant.workload == workload]
    return [("honest", one) for one in honest(workload)] + own


def prove_seed(task: tuple[str, int], left: list[tuple[str, str]]) -> list[dict]:
    """Return a line for each of the subjects that are `left` of one workload and seed."""
    workload, seed = task
    planted = {plant.name: plant for plant in whole_plants() if plant.workload == workload}
    lines = []
    with tempfile.TemporaryDirectory(prefix="seeds-") as place:
        folder = Path(place)
        stated = find_workload(workload)
        work = make_work(stated, folder / "work", seed=seed, devices=stated.devices)
        start = monotonic()
        exact = reference(work, folder / "reference")
        lines.append(line(workload, seed, "reference", "reference-pytorch", monotonic() - start))
        for number, (kind, name) in enumerate(left):
            start, room = monotonic(), folder / str(number)
            room.mkdir()
            if kind == "honest":
                entry = all_frameworks()[name]
                proof, _ = proven(entry, entry.mode, work, exact, room)
            else:
                proof = prove(planted[name], lambda _: (work, exact), room)
            worst = next((check for check in proof.checks if not check.passed), None)
            worst = worst or max(proof.checks, key=lambda check: check.share)
            told = {
                "passed": proof.passed,
                "quantity": worst.quantity,
                "step": worst.step,
                "tensor": worst.tensor,
                "share": float(f"{worst.share:.3g}"),
                "cause": proof.cause,
            }
            lines.append(line(workload, seed, kind, name, monotonic() - start, **told))
    return lines


def line(workload: str, seed: int, kind: str, name: str, seconds: float, **told: object) -> dict:
    """Return one line of the results."""
    return {"workload": workload, "seed": seed, "kind": kind, "name": name, "seconds": round(seconds, 1), **told}


def settle(lanes: "Queue[set[int]]") -> None:
    """Keep a process, and whatever it starts, on processors of its own. It ends with the campaign."""
    die_with_parent()
    os.sched_setaffinity(0, lanes.get())


def lanes_of(devices: int) -> list[set[int]]:
    """Return the usable processors in groups of as many as there are `devices`: a device has one for itself."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < devices:
        raise SystemExit(f"{devices} processors are needed, and {len(usable)} are usable")
    return [set(usable[first : first + devices]) for first in range(0, len(usable) - devices + 1, devices)]


def run(workloads: list[str], seeds: range, plants: bool, results: Path) -> bool:
    """Prove whatever `results` has not: one seed of all workloads after the other, those on one device first.

    Return whether all came to their ends. What did not is not written down, and is tried again the next time.
    """
    done = {(one["workload"], one["seed"], one["kind"], one["name"]) for one in read(results)}
    tasks: dict[int, dict[tuple[str, int], list[tuple[str, str]]]] = defaultdict(dict)
    for seed in seeds:
        for workload in workloads:
            left = [one for one in subjects(workload, plants) if (workload, seed, *one) not in done]
            if left:
                tasks[find_workload(workload).devices][workload, seed] = left
    # a list, so that one failure does not keep the rest from being tried
    with kept_programs(cache_dir() / "compiled"):
        whole = [prove_seeds(tasks[devices], lanes_of(devices), results) for devices in sorted(tasks)]
    return all(whole)


def prove_seeds(tasks: dict[tuple[str, int], list[tuple[str, str]]], lanes: list[set[int]], results: Path) -> bool:
    """Prove each of the `tasks`, one at a time on each of the `lanes`, and return whether all came to their ends."""
    whole, context = True, get_context("spawn")
    free = context.Queue()
    for lane in lanes:
        free.put(lane)
    with ProcessPoolExecutor(len(lanes), context, settle, (free,)) as pool, results.open("a") as file:
        try:
            for future in as_completed([pool.submit(prove_seed, *task) for task in tasks.items()]):
                if isinstance(error := future.exception(), RosettaError):
                    print(f"a proof did not come to its end: {error.what}", flush=True)
                    whole = False
                    continue
                for one in future.result():
                    file.write(json.dumps(one) + "\n")
                    if one["kind"] != "reference" and one["passed"] != (one["kind"] == "honest"):
                        print(json.dumps(one), flush=True)
                file.flush()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # else all that is left would be proven, and not written down
            raise
    return whole


def read(results: Path) -> Iterator[dict]:
    """Yield the lines of a file of results, if it is there."""
    if results.is_file():
        yield from map(json.loads, results.read_text(encoding="utf-8").splitlines())


def summarise(results: Path) -> bool:
    """Print what became of each workload, and return whether nothing is wrong."""
    lines = list(read(results))
    good = True
    print("| workload | seeds | honest proofs | failed | nearest to a tolerance | planted mistakes | passed | least |")
    print("|---|---|---|---|---|---|---|---|")
    for workload in sorted({one["workload"] for one in lines}):
        own = [one for one in lines if one["workload"] == workload]
        right = [one for one in own if one["kind"] == "honest"]
        wrong = [one for one in own if one["kind"] == "plant"]
        failed = [one for one in right if not one["passed"]]
        missed = [one for one in wrong if one["passed"]]
        good &= not failed and not missed
        near = max((one["share"] for one in right), default=0.0)
        least = min(wrong, key=lambda one: one["share"], default=None)
        told = f"{least['share']:.3g} × ({least['name']})" if least else ""
        seeds = len({one["seed"] for one in own})
        row = (f"`{workload}`", seeds, len(right), len(failed), f"{near:.2g}", len(wrong), len(missed), told)
        print("| " + " | ".join(map(str, row)) + " |")
    return good


def main() -> int:
    """Run the campaign, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--seeds", type=int, default=20, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first of these seeds")
    parser.add_argument("--no-plants", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--results", type=Path, default=Path("seeds.jsonl"))
    asked = parser.parse_args()
    whole = True
    if not asked.summary:
        named = asked.workloads or list(all_workloads())
        seeds = range(asked.first, asked.first + asked.seeds)
        whole = run(named, seeds, not asked.no_plants, asked.results)
    return 0 if summarise(asked.results) and whole else 1


if __name__ == "__main__":
    sys.exit(main())
