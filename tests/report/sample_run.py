"""A run like a real one, written through the real store: three contests, failures, a failed proof, hostile names.

The numbers are drawn, not measured: they are there to be shown, and each has a known truth behind it.
"""

import random
from dataclasses import dataclass, field

from rows import add_all, event_of, figure_of

from rosettabench.plan.request import RunRequest
from rosettabench.store.digest import digest
from rosettabench.store.record import (
    FigureName,
    Finished,
    ReadBack,
    Stopped,
    Unreadable,
    UsedData,
    UsedEnvironment,
    Watched,
    WatchedMove,
)
from rosettabench.store.schema import Block, Certificate, Certification, Contest, Entry, Failure, Run
from rosettabench.store.store import now

HOSTILE = "<script>alert(1)</script>"
HOSTILE_ERROR = "it died: </script><script>alert(2)</script><img src=x onerror=alert(3)> \u2028 `|` \x1b[31mred"
ROUNDS = 12
SAME = {"device": "cpu", "precision": "float32"}


@dataclass
class Player:
    """A contender as it truly is: seconds per step, and what is wrong with it."""

    label: str
    step: float
    threads: int = 2
    proof: str = "passed"
    rounds: int = ROUNDS
    control_of: str | None = None
    import_s: float = 2.9
    first_step_s: float = 0.02
    memory: float = 5.1e8
    accuracies: list = field(default_factory=list)


def quick_players():
    """Return the contenders of a contest in which everything went well."""
    return [
        Player("pytorch", 2.1e-3),
        Player("keras[tensorflow]", 3.0e-3, import_s=6.1, first_step_s=1.4, memory=7.9e8),
        Player("jax", 1.5e-3, import_s=1.9, first_step_s=0.81, memory=4.4e8),
        Player("mxnet-gluon", 2.11e-3, import_s=1.6, memory=3.2e8),
        Player("pytorch#2", 2.1e-3, control_of="pytorch"),
    ]


def write_sample_run(store, run_id="2f6c1d3a", seed=1):
    """Write the run and return its id."""
    draw = random.Random(seed)  # noqa: S311 (drawn for show)
    command = ["rosetta", "run", "quick", "--data-dir", "/data/with a space"]
    machine = {
        "processor": "Imaginary 9000, 2.4 GHz",
        "cores": 2,
        "memory_bytes": 8_589_934_592,
        "system": "Linux 6.1",
        "python": "3.11.9",
        "gpus": [],
    }
    request = RunRequest(workloads=("fashion-mlp", "fashion-cnn", "imdb-gru"), control=True).model_dump(mode="json")
    store.add(Run(id=run_id, at=now(), version="0.1.0", command=command, request=request, machine=machine))
    fashion = {"name": "fashion-mnist", "origin": "original", "note": "read from the user's folder"}
    write_contest(store, run_id, "fashion-mlp", quick_players(), fashion, draw)
    write_contest(store, run_id, "fashion-cnn", flawed_players(), fashion, draw, scale=9)
    stand_in = {"name": "imdb", "origin": "stand-in", "note": "drawn, because nothing could be downloaded"}
    write_contest(store, run_id, "imdb-gru", hostile_players(), stand_in, draw, scale=14, stopped="limit on time")
    store.add(
        Failure(
            run_id=run_id,
            contest_id=None,
            entry_id=None,
            at=now(),
            stage="environment",
            kind="environment",
            what="chainer needs Python 3.6, and there is none on this machine",
            hint="rosetta env make chainer --download-python",
            details="",
        )
    )
    event(store, run_id, Finished())
    return run_id


def flawed_players():
    """One contender whose proof failed, one without a proof, two that are equally fast."""
    equal = [Player("pytorch", 2.1e-3), Player("jax", 2.1e-3, import_s=1.9, first_step_s=0.9)]
    failed = Player("keras[tensorflow]", 1.2e-3, proof="failed", threads=1, import_s=6.0)
    return [
        *equal,
        failed,
        Player("mxnet-gluon", 4.0e-3, proof="none"),
        Player("pytorch#2", 2.1e-3, control_of="pytorch"),
    ]


def hostile_players():
    """A contender named like an attack, one that crashed at the start, and one that could not go on."""
    return [
        Player("pytorch", 2.1e-3, accuracies=[0.71, 0.804, 0.852]),
        Player("jax", 1.61e-3, accuracies=[0.71, 0.803, 0.851], import_s=1.9, first_step_s=1.7),
        Player("mxnet-gluon", 2.4e-3, rounds=0, proof="none"),
        Player(HOSTILE, 2.2e-3, rounds=4),
        Player("pytorch#2", 2.1e-3, control_of="pytorch"),
    ]


def write_contest(store, run_id, workload, players, data, draw, scale=1.0, stopped="precise enough", **axes):
    """Write a contest with all its rows; `axes` are values of later axes."""
    setting = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 1, "threads": 2, **axes}
    stopping = {"confidence": 0.95, "margin": 0.02, "precision": 0.02, "rounds": [5, 40], "seconds": 40.0}
    contest = store.add(Contest(run_id=run_id, workload=workload, setting=setting, stopping=stopping))
    counts = {"digest": "9f" * 32, "train": 60_000, "test": 10_000}
    event(store, run_id, UsedData(**data, **counts), contest)
    machine_change = [draw.lognormvariate(0, 0.12) for _ in range(ROUNDS + 1)]
    for place, player in enumerate(players):
        entry = write_entry(store, run_id, contest, player)
        write_blocks(store, entry, player, place, machine_change, scale, draw)
        write_figures(store, entry, player, scale)
        if player.proof != "none":
            write_certificate(store, entry, workload, player)
        if player.rounds < ROUNDS:
            write_crash(store, run_id, contest, entry, player)
    event(store, run_id, Stopped(why=stopped, rounds=ROUNDS), contest)
    seen = Watched(process=1, seconds=0.4, outputs=4e-7)
    seen.moves.append(WatchedMove(when="the first 6 steps", distance=2e-6, ratio=1.0, reference=True))
    seen.moves.append(WatchedMove(when="round 5", distance=0.2, ratio=1.03, reference=False))
    event(store, run_id, seen, contest)


def write_entry(store, run_id, contest, player):
    """Write a contender with its environment and settings."""
    framework = player.label.removesuffix("#2")
    entry = store.add(
        Entry(
            contest_id=contest.id,
            label=player.label,
            framework=framework,
            mode="eager",
            lock=f"{framework}@1.0",
            python=None,
            control_of=player.control_of,
        )
    )
    packages = {framework: "1.0.0", "numpy": "2.4.6"}
    event(store, run_id, UsedEnvironment(interpreter="3.11.9", packages=packages), contest, entry)
    event(store, run_id, Unreadable.of({"cpu_energy_j": "this machine shows no energy counter"}), contest, entry)
    event(store, run_id, ReadBack.of({**SAME, "threads": player.threads, "mode": "eager"}), contest, entry)
    return entry


def session_of(number):
    """Which process takes a round: two rounds each, and the warm-up is the first one's."""
    return 1 + max(0, number - 1) // 2


def write_blocks(store, entry, player, place, machine_change, scale, draw):
    """Write a warm-up and the turns; the weather of a round is common to all contenders."""
    blocks = []
    for turn in range(-1, 2 * player.rounds):  # the warm-up, then there and back in each round
        number = turn // 2 + 1
        elapsed = 10 * scale * player.step * machine_change[number] * draw.lognormvariate(0, 0.006)
        blocks.append(
            Block(
                entry_id=entry.id,
                at=now(),
                session=session_of(number),
                phase="turn" if turn >= 0 else "warm-up",
                round=number,
                position=place,
                first=10 * (turn + 1),
                steps=10,
                samples=320,
                elapsed_s=elapsed,
                cpu_s=1.8 * elapsed,
                loss=2.3 * 0.96 ** (turn + 1) * (1 + 1e-5 * place) * (1.2 if player.proof == "failed" else 1),
                learning_rate=1e-3,
            )
        )
    add_all(store, blocks)


def write_figures(store, entry, player, scale):
    """Write the costs of a contender and its evaluations."""
    costs = {
        FigureName.IMPORT: player.import_s,
        FigureName.BUILD: 0.04,
        FigureName.LOAD: 0.31,
        FigureName.FIRST_STEP: player.first_step_s,
        FigureName.PEAK_MEMORY: player.memory,
    }
    for name, value in costs.items():
        add_figure(store, entry, name, value)
    write_resources(store, entry, player)
    for epoch, accuracy in enumerate(player.accuracies, start=1):
        detail = {"samples": 10_000, "correct": round(10_000 * accuracy), "epoch": epoch}
        add_figure(store, entry, FigureName.EVALUATE, 0.31 * scale, detail)
        add_figure(store, entry, FigureName.ACCURACY, accuracy, detail)


def write_resources(store, entry, player):
    """Write what a contender used in its turns, and what could not be read."""
    if not player.rounds:
        return
    window = {"windows": 2 * player.rounds, "seconds": 20 * player.rounds * player.step}
    used = {
        FigureName.CPU_USER: 1.6,
        FigureName.CPU_SYSTEM: 0.2,
        FigureName.MINOR_FAULTS: 12_345.0,
        FigureName.MAJOR_FAULTS: 0.0,
        FigureName.READ: 4096.0,
    }
    for name, value in used.items():
        add_figure(store, entry, name, value, window)
    for name, share in ((FigureName.RESIDENT, 0.9), (FigureName.PSS, 0.7)):
        add_figure(store, entry, name, share * player.memory)


def add_figure(store, entry, name, value, detail=None):
    """Write one figure."""
    store.add(figure_of(entry, name, value, detail))


def write_certificate(store, entry, workload, player):
    """Write the entry's certificate: passed, or failed with a first divergence that has a hostile name."""
    passed = player.proof == "passed"
    check = {"step": 3, "quantity": "gradient", "tensor": "conv1.kernel", "deviation": 2.1e-6, "tolerance": 1e-4}
    checks = [
        {**check, "passed": True},
        {**check, "quantity": "loss", "tensor": None, "deviation": 3e-8, "passed": True},
    ]
    divergence = None
    if not passed:
        divergence = {**check, "step": 0, "tensor": f"bias {HOSTILE}", "deviation": float("nan"), "passed": False}
        checks.append(divergence)
    body = {
        "workload": workload,
        "framework": entry.framework,
        "mode": entry.mode,
        "setting": {"batch_size": 32},
        "proof_version": 0,
        "packages": {},
        "hashes": {"weights": "ab" * 32, "implementation": "cd" * 32},
        "steps": 10,
        "passed": passed,
        "checks": checks,
        "first_divergence": divergence,
        "cause": None if passed else "a bias is missing </script>",
        "tightest": {check["quantity"]: check for check in checks},
    }
    key = digest({"workload": workload, "label": player.label, "contest": entry.contest_id})
    certificate = store.add(Certificate(key=key, at=now(), passed=passed, body=body, digest=digest(body)))
    for session in range(1, session_of(max(ROUNDS, player.rounds)) + 1):
        store.add(Certification(entry_id=entry.id, certificate_id=certificate.id, session=session))


def write_crash(store, run_id, contest, entry, player):
    """Write why a contender did not take part to the end."""
    start = player.rounds == 0
    store.add(
        Failure(
            run_id=run_id,
            contest_id=contest.id,
            entry_id=entry.id,
            at=now(),
            stage="build" if start else "turn",
            kind="out_of_memory" if start else "crash",
            what="it needed more memory than there is" if start else HOSTILE_ERROR,
            hint="Choose a smaller batch_size." if start else "",
            details="",
        )
    )


def event(store, run_id, record, contest=None, entry=None):
    """Write an event."""
    store.add(event_of(record, run_id, contest, entry))
