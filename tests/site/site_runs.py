"""Runs for the site: what a nightly job leaves in a store, with names that files and pages must survive."""

import random
from datetime import datetime, timedelta

from sample_run import Player, event, write_blocks, write_certificate, write_entry

from rosettabench.plan.request import RunRequest
from rosettabench.store.record import Finished, Stopped, UsedData
from rosettabench.store.schema import Contest, Run

ALIKE = ("team/one", "team one", "Team-One")
"""Names of frameworks that become the same name of a file if only their safe characters are kept."""

RESERVED = "nul"
"""A name that Windows gives to a device."""

NIGHTS = 8
CHANGED = 4
"""The night from which on the first contender takes 1.5 times as long."""

FIRST_DAY = datetime.fromisoformat("2026-03-01T02:00:00+00:00")


def write_night(store, name, night, processor, labels, slow=1.0, workload="fashion-mlp", finished=True):
    """Write a run with one contest of contenders with the same names as their frameworks."""
    at = (FIRST_DAY + timedelta(days=night)).isoformat(timespec="microseconds")
    machine = {"processor": processor, "cores": 2, "cores_in_machine": 4, "memory_bytes": 8e9, "gpus": []}
    request = RunRequest(workloads=(workload,), control=False).model_dump(mode="json")
    store.add(Run(id=name, at=at, version="0.1.0", command=["rosetta", "run"], request=request, machine=machine))
    setting = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 1, "threads": 2}
    stopping = {"confidence": 0.95, "margin": 0.02, "precision": 0.02, "rounds": [5, 40], "seconds": 40.0}
    contest = store.add(Contest(run_id=name, workload=workload, setting=setting, stopping=stopping))
    data = {
        "name": "fashion-mnist",
        "origin": "original",
        "note": "",
        "digest": "9f" * 32,
        "train": 60_000,
        "test": 100,
    }
    event(store, name, UsedData(**data), contest)
    draw = random.Random(night)  # noqa: S311
    machine_change = [draw.lognormvariate(0, 0.05) for _ in range(13)]
    for place, label in enumerate(labels):
        player = Player(label, (1.5e-3 * slow if place == 0 else 2.1e-3 + 1e-4 * place))
        entry = write_entry(store, name, contest, player)
        write_blocks(store, entry, player, place, machine_change, 1.0, draw)
        write_certificate(store, entry, workload, player)
    if finished:
        event(store, name, Stopped(why="precise enough", rounds=12), contest)
        event(store, name, Finished())
    return contest


def write_history(store):
    """Write eight nights of one machine, one of another machine, a run that has not ended, and an empty one."""
    for night in range(NIGHTS):
        slow = 1.5 if night >= CHANGED else 1.0
        write_night(store, f"night-{night}", night, "Imaginary 9000", ("jax", "pytorch"), slow)
    write_night(store, "elsewhere", 3, "Other & Sons <b>1</b>", ("pytorch", *ALIKE, RESERVED))
    write_night(store, "un/ended", 20, "Imaginary 9000", ("jax", "pytorch"), finished=False)
    at = (FIRST_DAY + timedelta(days=21)).isoformat(timespec="microseconds")
    request = RunRequest(control=False).model_dump(mode="json")
    store.add(Run(id="un ended", at=at, version="0.1.0", command=["rosetta"], request=request, machine={}))
