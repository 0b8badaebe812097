"""Runs with a known truth, written through the real store: contenders whose seconds per step are given."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))
from sample_run import Player, event, write_blocks, write_certificate, write_figures

from rosettabench.catalogue.framework import find_framework
from rosettabench.published.summary import summarise_whole
from rosettabench.store.record import Finished, ReadBack, Stopped, UsedData
from rosettabench.store.schema import Contest, Entry, Run
from rosettabench.store.store import Store, now

STOPPING = {"confidence": 0.95, "margin": 0.02, "precision": 0.02, "rounds": [8, 40], "seconds": 40.0}
SETTING = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 0, "threads": 2}
MODES = {"keras[tensorflow]": "compiled", "jax": "compiled"}
DATA = {"name": "a set", "origin": "original", "note": "", "digest": "9f" * 32, "train": 60_000, "test": 10_000}


def machine_with(processor="Imaginary 9000", gpus=()):
    """The facts of a machine."""
    return {"processor": processor, "cores": 2, "memory_bytes": 8_589_934_592, "gpus": list(gpus)}


def measured_run(
    folder, *contests, run_id="first", request=None, gpus=(), origin="original", processor="Imaginary 9000"
):
    """Write a run and return its summary. A contest is (workload, setting, {label: seconds per step or Player})."""
    store = Store(f"sqlite:///{folder}/results.sqlite")
    machine = machine_with(processor, gpus)
    command = ["rosetta", "run"]
    store.add(Run(id=run_id, at=now(), version="0", command=command, request=request or {}, machine=machine))
    draw = random.Random(len(run_id))  # noqa: S311 (drawn for show)
    for workload, setting, contenders in contests:
        write_contest(store, run_id, workload, setting, contenders, draw, origin)
    event(store, run_id, Finished())
    return summarise_whole(store.run(run_id))


def write_contest(store, run_id, workload, setting, contenders, draw, origin):
    """Write one contest; the weather of a round is common to all its contenders."""
    row = Contest(run_id=run_id, workload=workload, setting={**SETTING, **setting}, stopping=STOPPING)
    contest = store.add(row)
    event(store, run_id, UsedData(**{**DATA, "origin": origin}), contest)
    machine_change = [draw.lognormvariate(0, 0.1) for _ in range(50)]
    for place, (label, truth) in enumerate(contenders.items()):
        player = truth if isinstance(truth, Player) else Player(label, truth)
        versioned, _, mode = label.partition(":")
        framework, _, release = versioned.partition("@")
        entry = store.add(
            Entry(
                contest_id=contest.id,
                label=label,
                framework=framework,
                mode=mode or MODES.get(framework, "eager"),
                lock=find_framework(framework).releases[release] if release else f"{framework}@1.0",
                python=None,
                control_of=player.control_of,
            )
        )
        event(store, run_id, ReadBack.of({"threads": 2}), contest, entry)
        write_blocks(store, entry, player, place, machine_change, 1.0, draw)
        write_figures(store, entry, player, 1.0)
        if player.proof != "none":
            write_certificate(store, entry, workload, player)
    event(store, run_id, Stopped(why="limit on rounds", rounds=12), contest)
