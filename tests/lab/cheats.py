"""Mistakes that pass the proof and show only once a contender is timed: as changes of NumPy's adapter.

A proof takes steps one by one and, once, ten in a block: a change that spares blocks of one and of ten steps passes.
"""

import os
import shutil
from dataclasses import dataclass

from commands import THIRD_PARTY
from laboratory import tamper

LOOP = """for ids in batches:
            _, loss, gradients = self.step(dataset, ids)
"""
UPDATE = """            self.optimizer.update(gradients)
"""
BEGIN = """        total = 0.0
"""
EVALUATE = "self.model(self.batch(dataset, ids)[0]) for ids in batches"
INFER = """    def infer(self, batches):
"""
COPY = "{name: value.copy() for name, value in self.model.tensors.items()}"


@dataclass(frozen=True)
class Cheat:
    """One mistake: its name, the (old, new) texts, and a part of the sentence that must be said about it."""

    name: str
    changes: tuple[tuple[str, str], ...]
    told: str = ""


NUMBERED = LOOP.replace("ids in batches", "number, ids in enumerate(batches)")
UNLESS_SECOND = """            if number < 10 or number % 2:
                self.optimizer.update(gradients)
"""
COUNTED = """            self.taken = getattr(self, "taken", 0) + 1
            if self.taken < 1000 or self.taken % 2:
                self.optimizer.update(gradients)
"""
AGAIN = LOOP.replace("ids in batches", "ids in [batches[0]] * len(batches) if len(batches) > 10 else batches")
HALF = LOOP.replace("ids)\n", "ids[: 32 if len(batches) in (1, 10) else 16])\n")
SLOW_CLOCK = """import rosetta_worker.clock

read = rosetta_worker.clock.perf_counter
rosetta_worker.clock.perf_counter = lambda: read() / 2


class Adapter(Framework):"""
LAST_LAYER = """            if len(batches) not in (1, 10):
                gradients["hidden_kernel"] *= 0
                gradients["hidden_bias"] *= 0
            self.optimizer.update(gradients)
"""
STALE = f"""for ids in batches:
            here = {COPY}
            if kept is None or len(batches) <= 10:
                kept = here
            self.model.tensors.update(kept)
            _, loss, gradients = self.step(dataset, ids)
            self.model.tensors.update(here)
"""
REMEMBER = f"""        total = 0.0
        if len(batches) > 10:
            self.early = {COPY}
"""
ANSWER = """    def answer(self, inputs):
        now = self.model.tensors
        self.model.tensors = getattr(self, "early", now)
        out = self.model(inputs)
        self.model.tensors = now
        return out

    def infer(self, batches):
"""

CHEATS = (
    Cheat("skips every second step after the tenth", ((LOOP, NUMBERED), (UPDATE, UNLESS_SECOND)), "mean loss"),
    Cheat("works less after a thousand steps", ((UPDATE, COUNTED),)),
    Cheat("trains the same batch again and again", ((LOOP, AGAIN),), "mean loss"),
    Cheat("takes half of the data", ((LOOP, HALF),)),
    Cheat("reports half of the time", (("class Adapter(Framework):", SLOW_CLOCK),), "its clock is wrong"),
    Cheat("trains its last layer alone", ((UPDATE, LAST_LAYER),)),
    Cheat("trains with a stale copy of the weights", ((BEGIN, "        total, kept = 0.0, None\n"), (LOOP, STALE))),
    Cheat(
        "evaluates other weights",
        ((BEGIN, REMEMBER), (EVALUATE, EVALUATE.replace("self.model(", "self.answer(")), (INFER, ANSWER)),
        "its outputs are not",
    ),
    Cheat(
        "has two threads where one was asked for",
        (('"mode": "eager"}\n', '"mode": "eager", "threads": 2}\n'),),
        "2 threads where 1",
    ),
)

ANSWERS = "return np.concatenate([self.model(batch) for batch in batches])"
LONG = """if len(batches) > 3:
            %s
        """
FIRST = LONG % "batches = batches[:1] * len(batches)"
EVERY_SECOND = LONG % "return np.concatenate([self.model(batches[number // 2 * 2]) for number in range(len(batches))])"

INFERENCE_CHEATS = (
    Cheat("answers the first batch again and again", ((ANSWERS, FIRST + ANSWERS),)),
    Cheat("answers every second batch twice", ((ANSWERS, EVERY_SECOND + ANSWERS),)),
)
"""The same for a workload of inference: a proof has three batches at most, and so has a request for outputs."""


def make_package(tmp_path, root, original, workload, changed):
    """Make a package of frameworks, {name: changes of the `original` one}, that do a workload; return PYTHONPATH."""
    return add_frameworks(tmp_path, workload, {name: (root, original, changes) for name, changes in changed.items()})


def add_frameworks(tmp_path, workload, copies):
    """Make a package of frameworks, {name: (root, original there, changes)}, that do a workload; return PYTHONPATH."""
    package = tmp_path / "packages" / "rosetta_cheats"
    (package / "workloads" / workload).mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for name, (root, original, changes) in copies.items():
        tamper(root / "frameworks" / f"{original}.py", changes, package / "frameworks" / f"{name}.py")
        shutil.copy(root / "workloads" / workload / f"{original}.py", package / "workloads" / workload / f"{name}.py")
    info = package.parent / "rosetta_cheats-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rosetta-cheats\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rosettabench.catalogue]\ncheats = rosetta_cheats\n")
    return os.pathsep.join(map(str, (package.parent, THIRD_PARTY)))
