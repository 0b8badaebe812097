"""Mistakes that pass the proof and show only once a contender is timed: as changes of NumPy's adapter.

A proof takes steps one by one and, once, ten in a block: a change that spares blocks of one and of ten steps passes.
"""

from dataclasses import dataclass

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
