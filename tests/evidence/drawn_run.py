"""A run whose plan is real, and whose times are drawn: its verdicts are known beforehand."""

import random

from rows import add_all, event_of, figure_of

from rosettabench.catalogue.suite import Stopping
from rosettabench.environments.lock import load_lock
from rosettabench.lab.begin import begin_run
from rosettabench.plan.request import RunRequest
from rosettabench.store.digest import digest
from rosettabench.store.record import FigureName, Finished, ReadBack, RoundLoad, Stopped, UsedData, UsedEnvironment
from rosettabench.store.schema import Block, Certificate, Certification, Failure
from rosettabench.store.store import now

ROUNDS = 24
PROCESSES = 6
SECONDS = {"pytorch": 2e-3, "jax": 3e-3, "mxnet-gluon": 2e-3}
"""{contender: seconds per step}: jax takes 1.5 times as long, and the other two are equal."""

HOME = "/home/ada lovelace/secret-project"


def request(contenders=("pytorch", "jax", "mxnet-gluon"), **more):
    """Return a request for these contenders on fashion-mlp."""
    told = {
        "axes": {"threads": [1]},
        "stopping": Stopping(processes=1, turns=2, rounds=(20, 40)),
        "control": False,
        "margin": 0.1,
    }
    return RunRequest(workloads=("fashion-mlp",), contenders=contenders, **(told | more))


def write_drawn_run(store, asked=None, seconds=SECONDS, data="9f" * 32, command=("rosetta", "run"), variables=None):
    """Write a run; return its id. `seconds` are {framework or label: seconds per step}."""
    run = begin_run(store, asked or request(), command)
    draw = random.Random(7)  # noqa: S311 (drawn for show)
    (contest,) = run.contests
    machine_change = [draw.lognormvariate(0, 0.05) for _ in range(ROUNDS)]
    add(store, run, UsedData(name="fashion-mnist", origin="original", note=f"{HOME}/data", digest=data), contest)
    for number in range(1, ROUNDS + 1):
        add(store, run, RoundLoad(round=number, seconds=1.0, processors=2, others=0.0, stolen=0.0), contest)
    for place, entry in enumerate(contest.entries):
        step = seconds.get(entry.label) or seconds[entry.framework]
        write_entry(store, run, contest, entry, variables)
        add_all(
            store, [block(entry, place, turn, step * machine_change[turn // 2], draw) for turn in range(2 * ROUNDS)]
        )
    add(store, run, Stopped(why="all pairs decided", rounds=ROUNDS), contest)
    add(store, run, Finished())
    return run.id


def write_entry(store, run, contest, entry, variables):
    """Write what belongs to a contender, beside its blocks."""
    packages = {}
    if entry.lock:
        packages = {name: next(iter(pin.specifier)).version for name, pin in load_lock(entry.lock).pins.items()}
    add(store, run, UsedEnvironment(kind="managed", interpreter="3.11.7", packages=packages), contest, entry)
    add(store, run, ReadBack.of({"threads": 1, "device": "cpu"}), contest, entry)
    store.add(figure_of(entry, FigureName.MEAN_NLL, float("inf"), {"samples": 9}))
    check = {"step": 3, "quantity": "loss", "tensor": None, "deviation": 3e-8, "tolerance": 1e-4, "passed": True}
    hashes = {"weights": "ab" * 32, "implementation": "cd" * 32}
    body = {"framework": entry.framework, "hashes": hashes, "steps": 10, "passed": True, "checks": [check]}
    body |= {"first_divergence": None, "cause": None, "tightest": {"loss": check}, "variables": variables or {}}
    row = Certificate(key=digest(body), at=now(), passed=True, body=body, digest=digest(body))
    kept = store.add(row)
    for session in range(1, PROCESSES + 1):
        store.add(Certification(entry_id=entry.id, certificate_id=kept.id, session=session))


def block(entry, place, turn, step, draw):
    """Return one turn of ten steps."""
    elapsed = 10 * step * draw.lognormvariate(0, 0.002)
    told = {"position": place, "first": 10 * turn, "steps": 10, "samples": 320, "elapsed_s": elapsed, "cpu_s": elapsed}
    return Block(
        entry_id=entry.id,
        at=now(),
        session=1 + turn * PROCESSES // (2 * ROUNDS),
        phase="turn",
        round=turn // 2 + 1,
        loss=2.3 * 0.97**turn,
        learning_rate=1e-3,
        **told,
    )


def add(store, run, record, contest=None, entry=None):
    """Write an event."""
    store.add(event_of(record, run.id, contest, entry))


def add_failure(store, run_id, what, details=""):
    """Write a failure of a whole run."""
    told = {"stage": "environment", "kind": "environment", "what": what, "hint": "", "details": details}
    store.add(Failure(run_id=run_id, contest_id=None, entry_id=None, at=now(), **told))
