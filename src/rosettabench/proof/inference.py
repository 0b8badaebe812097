"""The proof of a workload that infers: compare the outputs of the timed request with the reference."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosettabench.client.session import Session, Work
from rosettabench.proof.causes.model import layer_causes
from rosettabench.proof.check import Check, make_check
from rosettabench.proof.comparison import Deviation, relative
from rosettabench.proof.first_walk import Evaluation
from rosettabench.proof.margins import Margin
from rosettabench.proof.reference import PERTURBATION_SEED, ROUNDED, Reference, Start
from rosettabench.proof.tolerance import MIXED, Tolerances, exactness
from rosettabench.proof.walk import Array, Files, read_array
from rosettabench.proof.weights import Weights, perturb, save_weights

WHOLE_BATCHES = 2
"""Whole batches before the partial one. Two show their order, and whether a batch affects the next."""

SAME = 1e-3
"""Relative deviation below which outputs count as equal in the search for a cause: far above round-off."""


def proof_samples(batch_size: int) -> int:
    """Return how many samples a proof infers: two and a half batches, so that the last is partial (3 for size 1)."""
    return WHOLE_BATCHES * batch_size + max(1, batch_size // 2)


def make_inference_reference(framework: str, work: Work, start: Start, weights: Weights, folder: Path) -> Reference:
    """Infer with the reference in float64, then twice in the requested precision to measure the noise.

    Its files stay in `folder`. If texts are written, the reference has the margin of their tokens.
    """
    begin = save_weights(weights, folder / "start")
    lower = work.setting.precision
    exact = infer_once(start("float64", None, folder / "float64"), begin, folder / "float64")
    other = save_weights(perturb(weights, PERTURBATION_SEED), folder / "perturbed")
    found = [
        infer_once(start(lower, rounded, folder / rounded), own, folder / rounded)
        for own, rounded in zip((begin, other), ROUNDED, strict=True)
    ]
    noise = (deviation for one in found for deviation in compare_outputs(one, exact))
    tolerances = Tolerances(noise, lower, work.setting.device)
    made = Reference(framework, begin, [], exact, tolerances, start, folder)
    inference = work.workload.inference
    if inference is None or inference.tokens is None:
        return made
    outputs, target = ([read_array(one.files, "outputs") for one in ones] for ones in (found, [exact]))
    return replace(made, margins=[margin_of_tokens(target[0], outputs)])


def margin_of_tokens(exact: Array, found: Sequence[Array]) -> Margin:
    """Return how near the two likeliest tokens come at any place of any text, and how far lower precision moves them.

    All arrays are logits, (texts, places, tokens). Both of the two may move. Where round-off cannot exchange them,
    every honest contender goes on with the tokens of the reference. Everything is relative to the root mean square of
    the logits.
    """
    largest = np.sort(exact, axis=-1)[..., -2:]
    scale = np.sqrt(np.mean(np.square(exact)))
    moved = max(np.abs(one - exact).max() for one in found)
    return Margin(0, float((largest[..., 1] - largest[..., 0]).min() / scale), float(2 * moved / scale))


def infer_once(session: Session, weights: Files, folder: Path) -> Evaluation:
    """Return a session's outputs for the samples of a proof; end the session."""
    try:
        session.build(weights)
        return infer(session, folder)
    finally:
        session.process.close()


def infer(session: Session, folder: Path) -> Evaluation:
    """Infer the samples of a proof, the last batch of them partial."""
    reply = session.infer(0, proof_samples(session.work.setting.batch_size), folder)
    return Evaluation(reply["files"], reply["samples"], 0)


def compare_outputs(found: Evaluation, exact: Evaluation) -> Iterator[Deviation]:
    """Yield the deviations of the number of samples and of the outputs."""
    yield Deviation("samples", None, "inference", 0.0 if found.samples == exact.samples else np.inf)
    outputs, target = read_array(found.files, "outputs"), read_array(exact.files, "outputs")
    yield Deviation("outputs", None, None, relative(outputs, target))


def is_reordered(outputs: Array, exact: Array) -> bool:
    """Return whether outputs deviate, and no more once those of all samples are sorted."""
    return relative(np.sort(outputs, axis=0), np.sort(exact, axis=0)) < SAME < relative(outputs, exact)


class InferenceProof:
    """The proof of one session that infers. `run` fills `checks`, up to the first stage that diverges.

    It compares the outputs for two and a half batches, the outputs of a second pass, and the parameters afterwards,
    including running means and variances, which must not have changed. Where texts are written, round-off must not be
    able to exchange the two likeliest tokens of any place (the quantity `margin`).
    """

    steps = 0
    guided = range(0)
    excused: Sequence[Check] = ()

    def __init__(self, session: Session, reference: Reference, folder: Path) -> None:
        """Ask the worker nothing before `run`, which writes its files to `folder` and then deletes that folder."""
        self.checks: list[Check] = []
        self.cause: str | None = None
        self._session = session
        self._reference = reference
        self._folder = folder

    @property
    def passed(self) -> bool:
        """Whether something was compared and nothing failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def run(self) -> None:
        """Compare; at the first failure, search for the cause."""
        try:
            self._session.build(self._reference.start)
            for deviation in self._deviations():
                self.checks.append(make_check(deviation, self._reference.tolerances.of(deviation)))
                if not self.checks[-1].passed:
                    self.cause = next(self._causes(self.checks[-1]), None)
                    return
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _deviations(self) -> Iterator[Deviation]:
        """Yield the deviations of the margins, of the outputs, of a second pass, and of the parameters."""
        precision = self._session.work.setting.precision
        if precision not in MIXED:
            yield from (one.deviation for one in self._reference.margins)
        found = infer(self._session, self._folder / "first")
        deviations = list(compare_outputs(found, self._reference.evaluation))
        yield from deviations
        if precision in MIXED:
            yield exactness(deviations[-1].value, precision)
        again = infer(self._session, self._folder / "again")
        off = relative(read_array(again.files, "outputs"), read_array(found.files, "outputs"))
        yield Deviation("outputs again", None, None, off)
        after: dict[str, Any] = self._session.ask("parameters", folder=str(self._folder / "after"))["files"]
        for name in self._reference.start:
            same = name in after and np.array_equal(read_array(after, name), read_array(self._reference.start, name))
            yield Deviation("kept", None, name, 0.0 if same else np.inf)

    # -- the likely cause ----------------------------------------------------------------------------------------------

    def _causes(self, failed: Check) -> Iterator[str]:
        """Yield the possible causes of a failed check."""
        if failed.quantity == "samples":
            yield "inference does not return every sample: the last, partial batch is dropped, or padded"
        if failed.quantity == "reduced precision":
            precision = self._session.work.setting.precision
            yield f"the outputs are as exact as in float32: {precision} is not in force"
        if failed.quantity == "outputs again":
            yield "two passes over the same samples differ: dropout, or another random layer, is active"
        if failed.quantity == "kept":
            yield f"inference changes {failed.tensor}: the model is in training mode"
        if failed.quantity != "outputs":
            return
        first = self._outputs(proof_samples(self._session.work.setting.batch_size))
        exact = read_array(self._reference.evaluation.files, "outputs")
        workload = self._session.work.workload
        if first.shape == exact.shape and is_reordered(first, exact):
            yield "the outputs are right, and those of the samples in another order"
        if relative(self._outputs(1), first[:1]) > SAME:
            yield "what comes out for a sample depends on the others of its batch: " + (
                "the normalisation takes the batch's own mean and variance, not those that are kept"
                if workload.normalisation
                else "something is computed over the batch, or kept from the one before"
            )
        yield from layer_causes(self._reference.start, workload.recurrent, normalised=bool(workload.normalisation))

    def _outputs(self, samples: int) -> Array:
        """Return the outputs of the first `samples` samples."""
        files = self._session.infer(0, samples, self._folder / f"outputs-{samples}")["files"]
        return np.array(read_array(files, "outputs"))
