"""The float64 reference of a contest, and the noise that float32 has around it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosettabench.lab.session import Session
from rosettabench.plan.learning_rate import PROOF_PACE
from rosettabench.proof.comparison import Deviation, compare_parameters, compare_step, relative
from rosettabench.proof.tolerance import Tolerances
from rosettabench.proof.walk import STEPS, Array, Files, Walked, evaluation_samples, read, walk
from rosettabench.proof.weights import Weights, perturb, save_weights

Start = Callable[[str, str | None, Path], Session]
"""Starts and opens the reference's worker: at a precision, with one kind of constants rounded to it, in a folder."""

ROUNDED = ("corrections", "weights")
"""Frameworks compute either the bias corrections or the weights of new gradients in float32; each is measured."""

PERTURBATION_SEED = 1


@dataclass(frozen=True)
class Evaluation:
    """Logits of the first test samples after the last step, and how many of them are right."""

    files: Files
    samples: int
    correct: int


@dataclass(frozen=True)
class Reference:
    """What equal work is: every quantity of every step in float64, and how far honest float32 may be from it."""

    framework: str
    start: Files
    steps: list[Walked]
    evaluation: Evaluation
    tolerances: Tolerances
    start_session: Start
    folder: Path

    def logits(self, step: int, weights: Weights) -> Array:
        """Return what the reference says to the batch of `step` under other weights: the means to test a suspicion."""
        place = self.folder / "what-if"
        session = self.start_session("float64", None, place)
        try:
            session.build(save_weights(weights, place / "weights"))
            files = session.ask("gradients", step=step, folder=str(place / "out"))["files"]
            return np.array(read(files, "logits"))
        finally:
            session.process.close()
            shutil.rmtree(place)


def make_reference(framework: str, start: Start, weights: Weights, folder: Path) -> Reference:
    """Walk the reference in float64 from `weights`, then twice in float32 for the noise; its files stay in `folder`."""
    begin = save_weights(weights, folder / "start")
    exact = start("float64", None, folder / "float64")
    try:
        exact.build(begin, pace=PROOF_PACE)
        steps = list(walk(exact, folder / "float64" / "walk"))
        evaluation = evaluate(exact, folder / "float64" / "evaluation")
    finally:
        exact.process.close()
    noise = list(measure_noise(start, weights, folder / "float32", steps, evaluation, begin))
    tolerances = Tolerances(noise, without_gradient(steps[0]))
    return Reference(framework, begin, steps, evaluation, tolerances, start, folder)


def without_gradient(step: Walked) -> set[str]:
    """Return the names of the tensors whose gradient is zero, exactly: so the references have it by mathematics."""
    return {name for name in step.gradients if not read(step.gradients, name).any()}


def measure_noise(
    start: Start, weights: Weights, folder: Path, exact: list[Walked], evaluation: Evaluation, begin: Files
) -> Iterator[Deviation]:
    """Yield how far the reference in float32 is from itself in float64, from the weights and from perturbed ones."""
    for own, rounded in zip(
        (begin, save_weights(perturb(weights, PERTURBATION_SEED), folder / "own")), ROUNDED, strict=True
    ):
        session = start("float32", rounded, folder / rounded)
        try:
            session.build(own, pace=PROOF_PACE)
            yield from follow(session, folder / rounded, exact, begin)
            yield from compare_evaluations(evaluate(session, folder / rounded), evaluation)
        finally:
            session.process.close()
    shutil.rmtree(folder)


def follow(session: Session, folder: Path, exact: list[Walked], begin: Files) -> Iterator[Deviation]:
    """Walk a session and yield its deviations step by step, keeping only the files of the present step.

    The last step's parameters count for the block as well, which ends where single steps end.
    """
    for found in walk(session, folder):
        yield from compare_step(found, exact[found.step], begin)
        if found.step == STEPS - 1:
            last = exact[found.step].parameters
            yield from compare_parameters(found.parameters, last, begin, None, "block parameter")
        shutil.rmtree(folder / str(found.step))


def evaluate(session: Session, folder: Path) -> Evaluation:
    """Evaluate a few test samples, the last batch of them partial."""
    wanted = evaluation_samples(session.work.setting.batch_size, session.work.data.test.samples)
    reply = session.evaluate(wanted, folder)
    return Evaluation(reply["files"], reply["samples"], reply["correct"])


def compare_evaluations(found: Evaluation, exact: Evaluation) -> Iterator[Deviation]:
    """Yield the deviations of the evaluation.

    Accuracy may differ by the samples whose two best classes are closer together than the logits are off; what differs
    beyond those is the deviation.
    """
    yield Deviation("samples", None, "evaluation", 0.0 if found.samples == exact.samples else np.inf)
    logits, target = read(found.files, "logits"), read(exact.files, "logits")
    yield Deviation("evaluation logits", None, None, relative(logits, target))
    if logits.shape == target.shape:
        off = float(np.abs(np.subtract(logits, target, dtype=np.float64)).max())
        best = np.sort(target, axis=1)
        undecided = int((best[:, -1] - best[:, -2] <= 2 * off).sum())
        yield Deviation("accuracy", None, None, float(max(0, abs(found.correct - exact.correct) - undecided)))
