"""Estimate the time and memory of a contest before anything starts.

Estimates come from earlier contests of the same workload on this machine, if the store has them, and otherwise from
guesses, which are reported as such. The expected time serves to fill a budget. The user is shown a bound: the expected
time, with allowance for a slower or busier machine, plus the time to prepare environments and data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.suite import Stopping
from rosettabench.plan.plan import CellKey, PlannedContest, at_proof, cell_key
from rosettabench.plan.proof_steps import steps_of
from rosettabench.plan.schedule import Schedule

START_S = 6.0
"""Guessed seconds for a contender that never ran here: start, import, and its proof without the passes.

In the suites smartia-2019 and then-and-now, everything except the timed blocks took 3.6 to 28 s per contender, passes
included, on two cores. In keras-2026 on a faster machine, a first process took 6.6 to 15 s with its proof, and a later
one 3.5 to 4.7 s (`benchmarks/start_times.py`).
"""

START_STEPS = 13
"""Steps, or equivalent work, of each process outside its timed blocks: the first step, the warm-up, an evaluation."""

PROOF_PASSES = 3
"""Passes for each step of a proof: gradients, the step, and the step as part of a block. Each contender is proven
once."""

REFERENCE_PASSES = 8
"""Passes of the reference for each step of a proof: it runs in float64, which is slow, and twice in float32."""

SAFETY = 2
"""The factor of a bound over the expected time of starts, proofs and rounds."""

REFERENCE_S = 30
"""Guessed seconds for the reference of a contest without its passes: it starts four times and compares every tensor. On
two busy cores, the reference of imdb-gru took 60 s."""

ENVIRONMENT_S = 60
"""Bound in seconds for making one environment. On two busy cores, each environment of the suite quick took 10 to 70 s
to install and compile. A slow network can take longer."""

DATA_S = 30
"""Bound in seconds for preparing one data set. On the same machine, the slowest of the suite quick took 69 s, the
others 10 s."""

MEMORY_BYTES = 300_000_000
"""Guessed bytes for a contender that never ran here: an imported framework without a model."""

BYTES_PER_PARAMETER = 16
"""The least bytes per float32 parameter in training: value, gradient, and Adam's two moments."""

BYTES = 4
"""Bytes of a float32."""

RATES = {"cpu": 3e10, "cuda": 5e12}
"""Guessed operations per second of one CPU thread, and of a GPU: a fraction of the rate of matrix products."""

SLOWER = 2.0
"""The reference takes this many times as long as a guessed step, at least: it computes in float64."""

MORE_MEMORY = 41.0
"""The reference needs up to this many times the memory of a contender's least: it computes in float64, and keeps every
array of its formulas. From 5 times (`imdb-lstm`) to 41 (`cifar-resnet56`), by `benchmarks/memory_of_reference.py`; tiny
networks, whose memory is that of the process, aside."""

Label = tuple[str, str]
"""A workload's name and a contender's label."""


@dataclass(frozen=True)
class Past:
    """The measured time and memory of contests on this machine; the latest contest counts.

    `start_s` is {workload: seconds per contender outside the timed blocks}. `sample_s` is the seconds per sample, and
    `memory` the peak of the process tree in bytes, both by workload and contender. `proof_s` is the seconds that the
    proof of a cell took, wherever that was.
    """

    start_s: dict[str, float] = field(default_factory=dict)
    sample_s: dict[Label, float] = field(default_factory=dict)
    memory: dict[Label, float] = field(default_factory=dict)
    proof_s: Mapping[CellKey, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TimeEstimate:
    """The expected time and memory of a contest.

    `start_s` are the seconds outside the timed blocks, for each of its processes. `step_s` are the seconds of one step
    of every contender, 0 if unknown. `memory` are the bytes of all contenders at once. `proof_s` are seconds that come
    once, with the first process, unless `start_s` includes them. `guessed` names the values that do not come from
    earlier contests: the time of starts; the time of rounds, then computed from the workload's products (RATES); or the
    memory, then a lower bound.
    """

    start_s: float
    step_s: float
    memory: float
    guessed: tuple[str, ...]
    proof_s: float = 0.0

    def starts(self, stopping: Stopping) -> float:
        """Return the seconds outside the timed blocks, with the most processes that a contest may start."""
        return self.proof_s + Schedule(stopping).processes * self.start_s

    def round(self, stopping: Stopping) -> float:
        """Return the seconds of a round. A block has at least one step."""
        return max(stopping.turns * self.step_s, stopping.round_seconds)

    def fewest(self, stopping: Stopping) -> float:
        """Return the seconds of the fewest rounds."""
        return stopping.rounds[0] * self.round(stopping)

    def least(self, stopping: Stopping) -> float:
        """Return the seconds of the contest with its fewest rounds."""
        return self.starts(stopping) + self.fewest(stopping)

    def most(self, stopping: Stopping) -> float:
        """Return the seconds of the contest up to its time limit, or up to its most rounds if they end first."""
        rounds = stopping.rounds[1] * self.round(stopping)
        return max(self.least(stopping), self.starts(stopping) + min(stopping.seconds, rounds))

    def bound(self, stopping: Stopping) -> float:
        """Return the most seconds that the contest should take, with allowance and one additional round.

        It assumes that everything is proven anew, since valid certificates are known only after all contenders have
        started.
        """
        least, most = (number * SAFETY * self.round(stopping) for number in stopping.rounds)
        turns = max(least, min(stopping.seconds, most)) + SAFETY * self.round(stopping)
        return SAFETY * (self.starts(stopping) + REFERENCE_S) + turns


def estimate(planned: PlannedContest, past: Past) -> TimeEstimate:
    """Return the expected time and memory of a contest. All contenders are alive at once, so memory adds up."""
    name = planned.workload.name
    labels = [one.label.partition("#")[0] for one in planned.contenders]
    steps = [past.sample_s.get((name, label)) for label in labels]
    known = [planned.setting.batch_size * seconds for seconds in steps if seconds is not None]
    known = known or [guessed_step(planned)]
    step = sum(known) / len(known)
    start, proof = past.start_s.get(name), 0.0
    if start is None:
        start, proof = START_S + START_STEPS * step, expected_proofs(planned, past)
    starts = len(labels) * (2 if planned.setting.devices > 1 else 1)  # the exchange is measured in processes of its own
    memories = [past.memory.get((name, label)) for label in labels]
    floor = least_memory(planned)
    guesses = {
        "start": name not in past.start_s,
        "rounds": None in steps,
        "memory": None in memories,
    }
    return TimeEstimate(
        start_s=start * starts,
        step_s=step * len(labels),
        memory=sum(floor if one is None else one for one in memories),
        guessed=tuple(what for what, guessed in guesses.items() if guessed),
        proof_s=proof,
    )


def estimate_each(plan: Iterable[PlannedContest], past: Past) -> list[TimeEstimate]:
    """Return the estimate of every contest of a plan. A proof that several of them need counts for the first alone."""
    found, proven = [], set()
    for planned in plan:
        proof = (planned.workload.name, at_proof(planned).setting, planned.contenders)
        one = estimate(planned, past)
        found.append(replace(one, proof_s=0.0) if proof in proven else one)
        proven.add(proof)
    return found


def guessed_step(planned: PlannedContest) -> float:
    """Return the guessed seconds of the products of a step; 0 if the workload does not state them."""
    setting = planned.setting
    count = operations_of_step(planned.workload) or 0
    rate = RATES[setting.device] * (setting.threads if setting.device == "cpu" else 1)
    return count * setting.batch_size / rate


def expected_proofs(planned: PlannedContest, past: Past) -> float:
    """Return the seconds of all proofs of a contest, the reference's passes included.

    A proof takes what that of its cell took elsewhere, but not less than its passes are guessed to take: that was
    perhaps with a smaller batch.
    """
    one_pass = steps_of(planned.workload) * guessed_step(at_proof(planned))
    cells = {cell_key(planned.workload, one) for one in planned.contenders}
    return REFERENCE_PASSES * one_pass + sum(
        max(PROOF_PASSES * one_pass, past.proof_s.get(cell, 0.0)) for cell in cells
    )


def least_memory(planned: PlannedContest) -> float:
    """Return the least bytes that a contender needs, in float32.

    Besides BYTES_PER_PARAMETER, training keeps the output of every product until the backward pass has used it.
    Inference needs only the parameters' values.
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


def reference_seconds(planned: PlannedContest, steps: int) -> float:
    """Return the guessed seconds that the reference takes for some steps of a contest, on the CPU."""
    on_cpu = replace(planned, setting=replace(planned.setting, device="cpu"))
    return SLOWER * steps * guessed_step(on_cpu)


def reference_memory(planned: PlannedContest) -> float:
    """Return about how many bytes the reference needs for a step of a contest."""
    return MEMORY_BYTES + MORE_MEMORY * (least_memory(planned) - MEMORY_BYTES)
