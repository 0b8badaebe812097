"""Runs as the laboratory would have stored them, of which the truth is known: levels, processes, weather, versions."""

from dataclasses import dataclass, field

import numpy as np
from rows import add_all, event_of

from rosettabench.client.machine import describe_machine
from rosettabench.plan.request import RunRequest
from rosettabench.store.digest import digest
from rosettabench.store.record import ReadBack, UsedEnvironment
from rosettabench.store.schema import Block, Certificate, Certification, Contest, Entry, Run

SETTING = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 0, "threads": 1}


@dataclass
class Player:
    """A contender as it truly is."""

    framework: str
    step: float
    version: str = "1.0"
    proven: bool = True
    python: str | None = None
    settings: dict = field(default_factory=lambda: {"threads": 1, "device": "cpu"})


def three(**steps):
    """Return three contenders; `steps` changes one: pytorch=1.5 makes its step 1.5 times as long."""
    usual = {"pytorch": 2.0e-3, "jax": 1.5e-3, "mxnet-gluon": 2.5e-3}
    return [Player(name, step * steps.get(name.split("-")[0], 1.0)) for name, step in usual.items()]


def write_run(
    store,
    number,
    players,
    machine_change=1.0,
    rounds=16,
    processes=1,
    born=0.01,
    noise=0.005,
    control=True,
    workload="fashion-mlp",
    machine=None,
):
    """Write one run of one contest and return its id.

    `born` is by how much processes differ for life, relative; `noise` that of rounds; `weather` the machine's slowness.
    """
    random = np.random.default_rng(number)
    identity, at = f"202601{number:02d}-080000-{number:04x}", f"2026-01-{number:02d}T08:00:00.000000+00:00"
    described = describe_machine() | (machine or {})
    request = RunRequest(workloads=(workload,)).model_dump(mode="json")
    store.add(Run(id=identity, at=at, version="0.1.0", command=["rosetta", "run"], request=request, machine=described))
    stopping = {"confidence": 0.95, "margin": 0.02, "rounds": [8, 40]}
    contest = store.add(Contest(run_id=identity, workload=workload, setting=SETTING, stopping=stopping))
    shared = machine_change * np.exp(np.cumsum(random.normal(0, 0.03, rounds)))
    entered = [(player, None) for player in players] + ([(players[0], "#2")] if control else [])
    for place, (player, copy) in enumerate(entered):
        entry = write_entry(store, identity, contest, at, player, copy, processes)
        levels = player.step * np.exp(random.normal(0, born, processes))
        times = [
            levels[number * processes // rounds] * shared[number] * np.exp(random.normal(0, noise))
            for number in range(rounds)
        ]
        blocks = [
            turns_of(entry, at, number + 1, number * processes // rounds + 1, place, float(seconds))
            for number, seconds in enumerate(times)
        ]
        add_all(store, [one for turns in blocks for one in turns])
    return identity


def write_entry(store, run, contest, at, player, copy, processes):
    """Write an entry with its environment, its settings and its certificate."""
    label = player.framework + (f"@{player.python}" if player.python else "") + (copy or "")
    entry = store.add(
        Entry(
            contest_id=contest.id,
            label=label,
            framework=player.framework,
            mode="eager",
            lock=None if player.python else f"{player.framework}@1",
            python=player.python,
            control_of=label.removesuffix(copy) if copy else None,
        )
    )
    package = {"pytorch": "torch", "mxnet-gluon": "mxnet"}.get(player.framework, player.framework)
    facts = UsedEnvironment(packages={package: player.version, "numpy": "2.4.6"}, interpreter="3.11.7")
    for one in (facts, ReadBack.of(player.settings)):
        store.add(event_of(one, run, contest, entry))
    body = {"hashes": {"implementation": "ab" * 32, "adapter": "cd" * 32}, "passed": player.proven, "steps": 10}
    body |= {"checks": [], "tightest": {}, "first_divergence": None, "cause": None}
    if not player.proven:
        check = {"quantity": "gradient", "step": 0, "tensor": "dense.kernel", "passed": False}
        body["first_divergence"] = {**check, "deviation": 0.1, "tolerance": 1e-4}
    certificate = store.add(Certificate(key=label, at=at, passed=player.proven, body=body, digest=digest(body)))
    for session in range(1, processes + 1):
        store.add(Certification(entry_id=entry.id, certificate_id=certificate.id, session=session))
    return entry


def turns_of(entry, at, number, process, place, seconds):
    """Return the two turns of a round."""
    return [
        Block(
            entry_id=entry.id,
            at=at,
            session=process,
            phase="turn",
            round=number,
            position=place,
            first=20 * number + 10 * turn,
            steps=10,
            samples=320,
            elapsed_s=10 * seconds,
            cpu_s=10 * seconds,
            loss=1.0,
            learning_rate=1e-3,
        )
        for turn in range(2)
    ]
