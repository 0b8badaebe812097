"""What a contest will take: time and memory, told before anything is started.

From what the same workload took on this machine before, where the store knows it; else from guesses that are told as
such. Environments that are to be made, and data to be fetched, come on top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from rosettabench.catalogue.suite import Stopping
from rosettabench.catalogue.workload import Workload
from rosettabench.ceilings.operations import operations
from rosettabench.lab.schedule import Schedule
from rosettabench.plan.plan import PlannedContest
from rosettabench.proof.walk import STEPS

START_S = 15.0
"""Guess for a contender that never ran here: start, import, and what a proof costs beside its steps."""

OPERATIONS_PER_S = 1e10
"""Guess of what one processor does at the products of a training step. Models of few channels do less, others more."""

START_STEPS = 13
"""Steps, or as much work, that each process takes beside its turns: the first, the warm-up, an evaluation."""

PROOF_STEPS = 3 * STEPS
"""Passes of a proof, once for each contender: gradients and step, one by one, and all steps again as a block."""

REFERENCE_STEPS = 8 * STEPS
"""As much work as the reference takes, once for each contest: its steps in float64, and twice in float32."""

MEMORY_BYTES = 300_000_000
"""Guess for a contender that never ran here: what an imported framework takes before it has a model."""

BYTES_PER_PARAMETER = 16
"""Least memory that training takes for a parameter in float32: value, gradient, and two moments of Adam."""

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
class Estimate:
    """What a contest takes: `start_s` beside its turns for each of its processes, `step_s` for a step of everybody.

    `proof_s` is what comes once, with the first process: proofs, as far as `start_s` does not hold them already.
    `memory` is that of all contenders at once, in bytes. `guessed` names what is not from earlier contests: the time of
    starts or of rounds, or the memory, which is then a lower bound.
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
        """Return the seconds of the contest up to its cap on time, or on rounds if that comes first."""
        rounds = stopping.rounds[1] * self.round(stopping)
        return max(self.least(stopping), self.starts(stopping) + min(stopping.seconds, rounds))


def estimate(planned: PlannedContest, past: Past) -> Estimate:
    """Return what a contest will take. All its contenders are alive at once, so their memory adds up."""
    name = planned.workload.name
    labels = [one.label.partition("#")[0] for one in planned.contenders]
    samples = [past.sample_s.get((name, label)) for label in labels]
    known = [planned.setting.batch_size * seconds for seconds in samples if seconds is not None]
    step = sum(known) / len(known) if known else guessed_step(planned)
    start, proof = past.start_s.get(name), 0.0
    if start is None:
        start = START_S + START_STEPS * step
        proof = (PROOF_STEPS * len(labels) + REFERENCE_STEPS) * step
    memories = [past.memory.get((name, label)) for label in labels]
    least = least_memory(planned.workload, planned.setting.batch_size)
    guesses = {
        "start": name not in past.start_s,
        "rounds": len(known) < len(labels),
        "memory": None in memories,
    }
    return Estimate(
        start_s=start * len(labels),
        step_s=step * len(labels),
        memory=sum(least if one is None else one for one in memories),
        guessed=tuple(what for what, guessed in guesses.items() if guessed),
        proof_s=proof,
    )


def guessed_step(planned: PlannedContest) -> float:
    """Return the seconds of a step of one contender, from the operations that the workload states; 0 without any."""
    found = operations(planned.workload)
    if found is None:
        return 0.0
    processors = planned.setting.threads
    return planned.setting.batch_size * found.training / (OPERATIONS_PER_S * processors)


def least_memory(workload: Workload, batch_size: int) -> float:
    """Return the least bytes of a contender that trains: framework, parameters, and what a step keeps for its way back.

    That is what comes out of each product, in float32, for every sample of the batch.
    """
    rows = {tensor.name: tensor.shape for tensor in workload.tensors}
    kept = sum(
        prod(product.positions) * rows[name][product.kind == "embedding"]
        for name, product in workload.operations.items()
    )
    return MEMORY_BYTES + BYTES_PER_PARAMETER * workload.parameters + 4.0 * batch_size * kept
