"""What a contest will take: time and memory, told before anything is started.

From what the same workload took on this machine before, where the store knows it; else from guesses that are told as
such. What is expected serves to fill a budget. What is told is a bound: that, with room for a machine that is slower or
busier than was expected, and with the environments and data that are to be made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.suite import Stopping
from rosettabench.plan.plan import PlannedContest, at_proof
from rosettabench.plan.proof_steps import steps_of
from rosettabench.plan.schedule import Schedule

START_S = 6.0
"""Guess for a contender that never ran here: start, import, and what its proof costs beside the passes.

In the suites smartia-2019 and then-and-now everything beside the turns took 3.6 to 28 s for each contender, passes
included, on two cores."""

START_STEPS = 13
"""Steps, or as much work, that each process takes beside its turns: the first, the warm-up, an evaluation."""

PROOF_PASSES = 3
"""For each step of a proof: gradients, the step, and once more as part of a block. Each contender is proven once."""

REFERENCE_PASSES = 8
"""For each step of a proof, as many passes as the reference is as slow as: in float64, and twice in float32."""

SAFETY = 2
"""What a bound allows starts, proofs and rounds to take, as a multiple of what is expected."""

REFERENCE_S = 30
"""Guess for the reference of a contest beside its passes: it starts four times and compares every tensor. On two cores
with much other work, that of imdb-gru took 60 s."""

ENVIRONMENT_S = 60
"""Bound for making one environment: on two cores with much other work, each of those of the suite quick took 10 to 70 s
to install and compile. A slow network can take longer."""

DATA_S = 30
"""Bound for preparing one data set: on the same machine, the slowest of the suite quick took 69 s, the others 10 s."""

MEMORY_BYTES = 300_000_000
"""Guess for a contender that never ran here: what an imported framework takes before it has a model."""

BYTES_PER_PARAMETER = 16
"""Least memory that training takes for a parameter in float32: value, gradient, and two moments of Adam."""

BYTES = 4
"""Of a number in float32."""

RATES = {"cpu": 3e10, "cuda": 5e12}
"""Guess for the operations per second of a thread of a CPU, and of a GPU: a fraction of what matrix products reach."""

Label = tuple[str, str]
"""Workload, and a contender's label."""


@dataclass(frozen=True)
class Past:
    """What contests of this machine took, the latest counting.

    `start_s` is the time of a contest beside its turns, per contender, by workload; `step_s` the seconds per sample and
    `memory` the peak of the process tree in bytes, by workload and contender.
    """

    start_s: dict[str, float] = field(default_factory=dict)
    sample_s: dict[Label, float] = field(default_factory=dict)
    memory: dict[Label, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TimeEstimate:
    """What a contest takes: `start_s` beside its turns for each of its processes, `step_s` for a step of everybody.

    `step_s` is 0 where nothing is known of it; `memory` is that of all contenders at once, in bytes. `guessed` names
    what is not from earlier contests: the time of starts or of rounds, which is then that of the workload's products
    (RATES), or the memory, which is then a lower bound. `proof_s` comes once, with the first process, as far as
    `start_s` does not hold it already.
    """

    start_s: float
    step_s: float
    memory: float
    guessed: tuple[str, ...]
    proof_s: float = 0.0

    def starts(self, stopping: Stopping) -> float:
        """Return the seconds beside the turns, if all processes that a contest may take are started."""
        return self.proof_s + Schedule(stopping).processes * self.start_s

    def round(self, stopping: Stopping) -> float:
        """Return the seconds of a round: a turn is a step or more."""
        return max(stopping.turns * self.step_s, stopping.round_seconds)

    def least(self, stopping: Stopping) -> float:
        """Return the seconds of the contest with its fewest rounds."""
        return self.starts(stopping) + stopping.rounds[0] * self.round(stopping)

    def most(self, stopping: Stopping) -> float:
        """Return the seconds of the contest up to its limit on time, or on rounds if that comes first."""
        rounds = stopping.rounds[1] * self.round(stopping)
        return max(self.least(stopping), self.starts(stopping) + min(stopping.seconds, rounds))

    def bound(self, stopping: Stopping) -> float:
        """Return the seconds that the contest takes at most, as far as one can tell: with room, and one round beyond.

        It is as if everything were proven anew: whether certificates stand is known when all have started.
        """
        least, most = (number * SAFETY * self.round(stopping) for number in stopping.rounds)
        turns = max(least, min(stopping.seconds, most)) + SAFETY * self.round(stopping)
        return SAFETY * (self.starts(stopping) + REFERENCE_S) + turns


def estimate(planned: PlannedContest, past: Past) -> TimeEstimate:
    """Return what a contest will take. All its contenders are alive at once, so their memory adds up."""
    name = planned.workload.name
    labels = [one.label.partition("#")[0] for one in planned.contenders]
    steps = [past.sample_s.get((name, label)) for label in labels]
    known = [planned.setting.batch_size * seconds for seconds in steps if seconds is not None]
    known = known or [guessed_step(planned)]
    step = sum(known) / len(known)
    start, proof = past.start_s.get(name), 0.0
    if start is None:
        start, proof = START_S + START_STEPS * step, guessed_proof(planned)
    memories = [past.memory.get((name, label)) for label in labels]
    floor = least_memory(planned)
    guesses = {
        "start": name not in past.start_s,
        "rounds": None in steps,
        "memory": None in memories,
    }
    return TimeEstimate(
        start_s=start * len(labels),
        step_s=step * len(labels),
        memory=sum(floor if one is None else one for one in memories),
        guessed=tuple(what for what, guessed in guesses.items() if guessed),
        proof_s=proof,
    )


def guessed_step(planned: PlannedContest) -> float:
    """Return the seconds that the products of a step may take; 0 where the workload does not count them."""
    setting = planned.setting
    count = operations_of_step(planned.workload) or 0
    rate = RATES[setting.device] * (setting.threads if setting.device == "cpu" else 1)
    return count * setting.batch_size / rate


def guessed_proof(planned: PlannedContest) -> float:
    """Return the seconds that the passes of all proofs of a contest may take, and those of their reference."""
    passes = PROOF_PASSES * len(planned.contenders) + REFERENCE_PASSES
    return steps_of(planned.workload) * passes * guessed_step(at_proof(planned))


def least_memory(planned: PlannedContest) -> float:
    """Return the bytes that a contender needs at least, in float32.

    Besides what BYTES_PER_PARAMETER counts, training keeps what comes out of every product until the backward pass has
    read it. Inference needs the parameters' values alone.
    """
    workload = planned.workload
    if workload.inference is not None:
        return MEMORY_BYTES + BYTES * workload.parameters
    shapes = {tensor.name: tensor.shape for tensor in workload.tensors}
    outputs = sum(
        prod(product.positions) * shapes[name][0]
        for name, product in workload.operations.items()
        if product.kind != "embedding"
    )
    return MEMORY_BYTES + BYTES_PER_PARAMETER * workload.parameters + BYTES * outputs * planned.setting.batch_size
