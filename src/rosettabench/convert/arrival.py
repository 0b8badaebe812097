"""The proof that weights arrived: both frameworks evaluate the same samples with them, beside the float64 reference.

How far off either may be follows from the noise of the reference in float32 with these very weights, by the rule of
every proof (proof/tolerance.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Session, Work
from rosettabench.convert.carry import TiedCell
from rosettabench.data.prepared import Part, Prepared
from rosettabench.data.readers.weights_file import Tensors
from rosettabench.errors import ProofError
from rosettabench.files import save_array
from rosettabench.plan.setting import canonical_setting
from rosettabench.proof.check import Check, make_check
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.first_walk import Evaluation
from rosettabench.proof.inference import compare_outputs, infer
from rosettabench.proof.reference import PERTURBATION_SEED, ROUNDED, compare_evaluations, evaluate
from rosettabench.proof.tolerance import Tolerances
from rosettabench.proof.walk import Files, read_array
from rosettabench.proof.weights import perturb, save_weights

BATCHES = 3
"""Whole batches of samples that are given: a proof evaluates two and a half."""

OUTPUTS = ("evaluation logits", "outputs")
"""What comes out of a model that trains, and of one that infers."""


@dataclass(frozen=True)
class Arrival:
    """What a framework made of the weights: how far off each check is, and how far off it may be."""

    label: str
    samples: int
    checks: Sequence[Check]

    @property
    def passed(self) -> bool:
        """Whether nothing is further off than it may be."""
        return all(check.passed for check in self.checks)

    @property
    def outputs(self) -> Check:
        """The check of the outputs that is nearest to its tolerance."""
        return max((check for check in self.checks if check.quantity in OUTPUTS), key=lambda check: check.share)

    @property
    def first_failed(self) -> Check:
        """The first check that is further off than it may be."""
        return next(check for check in self.checks if not check.passed)


class ArrivalProof:
    """Evaluates samples in one framework after the other."""

    def __init__(self, refer: TiedCell, work: Work, folder: Path, timeout: float, doing: Callable[[str], None]) -> None:
        """Evaluate nothing yet: call `make_reference` before `examine`.

        `refer` is a cell of the float64 reference. Each reply of a worker may take `timeout` seconds. `doing` receives
        what is being done, in words.
        """
        self._refer = refer
        self._work = work
        self._folder = folder
        self._timeout = timeout
        self._doing = doing
        self._exact: Evaluation | None = None
        self._tolerances = Tolerances([])

    def make_reference(self, weights: Tensors) -> None:
        """Evaluate in float64, then twice in float32, the second time with weights moved by one unit each.

        Raises ProofError where the outputs could prove nothing.
        """
        self._doing("reference in float64")
        begin, folder = self._work.weights, self._folder / "reference"
        self._exact = self._evaluate(self._refer, begin, folder / "float64", "float64")[0]
        check_telling(self._exact, self._work.workload.name)
        moved = save_weights(perturb(weights, PERTURBATION_SEED), folder / "moved")
        noise: list[Deviation] = []
        for own, rounded in zip((begin, moved), ROUNDED, strict=True):
            self._doing("reference in float32")
            found, _ = self._evaluate(self._refer, own, folder / rounded, self._work.setting.precision, rounded)
            noise += compare(found, self._exact)
        self._tolerances = Tolerances(noise)

    def examine(self, cell: TiedCell, name: str) -> Arrival:
        """Let a framework evaluate the samples with the weights, and read back what it then holds."""
        assert self._exact is not None  # make_reference
        self._doing(f"evaluation in {cell.label}")
        found, held = self._evaluate(cell, self._work.weights, self._folder / name)
        deviations = [*compare(found, self._exact), *compare_held(held, self._work.weights)]
        checks = [make_check(deviation, self._tolerances.of(deviation)) for deviation in deviations]
        return Arrival(cell.label, found.samples, checks)

    def _evaluate(
        self,
        cell: TiedCell,
        weights: Files,
        folder: Path,
        precision: str | None = None,
        rounded: str | None = None,
    ) -> tuple[Evaluation, Files]:
        """Return the outputs of a cell with some weights, and the weights that it holds afterwards."""
        work = replace(self._work, weights=weights)
        mode = cell.contender.mode
        session = Session(
            cell.entry, mode, cell.environment, work, folder / "session", self._timeout, precision, rounded
        )
        try:
            session.prepare()
            out = evaluate if work.workload.inference is None else infer
            found = out(session, folder / "outputs")
            return found, session.ask("parameters", folder=str(folder / "held"))["files"]
        finally:
            session.process.kill()


def check_telling(exact: Evaluation, workload: str) -> None:
    """Raise ProofError where the outputs do not depend on the samples: other weights could have the same ones."""
    outputs = read_array(exact.files, "logits" if "logits" in exact.files else "outputs")
    if len(outputs) > 1 and np.array_equal(outputs, np.broadcast_to(outputs[0], outputs.shape)):
        raise ProofError(
            f"with these weights, {workload} has the same outputs for every sample: they prove nothing",
            "Its units may be dead, or the weights those of no training.",
        )


def compare(found: Evaluation, exact: Evaluation) -> Iterator[Deviation]:
    """Yield the deviations of what came out of a model from what comes out of the reference."""
    return compare_evaluations(found, exact) if "logits" in exact.files else compare_outputs(found, exact)


def compare_held(held: Files, weights: Files) -> Iterator[Deviation]:
    """Yield for each tensor whether a framework holds it as it was given: 0, or infinite."""
    for name in weights:
        same = name in held and np.array_equal(read_array(held, name), read_array(weights, name))
        yield Deviation("kept", None, name, 0.0 if same else np.inf)


def sample_work(workload: Workload, data: Prepared, weights: Tensors, folder: Path) -> Work:
    """Return the work of the proof: the first samples of the test part, or of what a workload infers.

    `workload` and `data` have the extents of a proof.
    """
    folder.mkdir(parents=True)
    batch = workload.proof.batch_size or workload.batch_size
    part = data.test if workload.inference is None else data.train
    samples = min(part.samples, BATCHES * batch)
    files = {}
    for name, path in (("inputs", part.inputs), ("labels", part.labels)):
        files[name] = folder / f"{name}.npy"
        save_array(files[name], np.load(path, mmap_mode="r", allow_pickle=False)[:samples])
    own = Part(files["inputs"], files["labels"], samples)
    batches = folder / "batches.npy"
    save_array(batches, np.arange(min(batch, samples))[None])
    setting = replace(canonical_setting(workload), batch_size=batch, devices=1)  # they only evaluate
    data = replace(data, train=own, test=own)
    return Work(workload, setting, data, save_weights(weights, folder / "weights"), batches)


def require(arrivals: Sequence[Arrival], words: str, path: Path) -> None:
    """Raise ProofError where a framework is further off than it may be."""
    failed = [arrival for arrival in arrivals if not arrival.passed]
    if failed:
        raise ProofError(
            f"{words} is not proven, and {path} is not written: {'; '.join(map(failure_words, failed))}",
            "rosetta prove shows whether the workload itself is proven in both frameworks.",
        )


def failure_words(arrival: Arrival) -> str:
    """Return in words what is further off than it may be."""
    check = arrival.first_failed
    if check.quantity == "kept":
        return f"{arrival.label} holds another {check.tensor} than it was given"
    if check.quantity == "samples":
        return f"{arrival.label} does not evaluate every sample"
    what = f"{check.quantity} {check.tensor}" if check.tensor else check.quantity
    return f"{what} of {arrival.label} are off by {check.deviation:.2g} where {check.tolerance:.2g} is allowed"
