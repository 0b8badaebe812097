"""Likely causes of a deviating forward pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rosettabench.catalogue.workload import RecurrentLayer
from rosettabench.proof.causes.case import FITS, UNKNOWN_CAUSE, Case, numbers, softmax
from rosettabench.proof.causes.rearrangement import rearrangements
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import Files, read_array


def random_forward(case: Case) -> Iterator[str]:
    """Test whether two passes over one batch differ."""
    first, second = case.again(), case.again()
    if relative(first, second) > FITS:
        yield "two passes over the same batch differ: dropout, or another random layer, is active"


def not_alike(case: Case) -> Iterator[str]:
    """Outputs that cannot be compared: of another shape, or not finite."""
    found, exact = numbers(case, "logits")
    if found.shape != exact.shape:
        yield f"the outputs of a batch have the shape {found.shape}, and {exact.shape} is meant"
    elif not np.isfinite(found).all():
        yield "the outputs hold numbers that are not finite"


def softmax_in_model(case: Case) -> Iterator[str]:
    """Test for probabilities instead of logits."""
    found, exact = numbers(case, "logits")
    if found.shape == exact.shape and relative(found, softmax(exact)) < case.fits:
        yield "the model ends in a softmax, and the loss applies it again: it must return logits"


def other_weights(case: Case) -> Iterator[str]:
    """Test whether the reference has these logits with rearranged weights, as wrong ties or a wrong layer cause."""
    found, _ = numbers(case, "logits")
    weights = case.weights()
    with case.reference.answering(case.divergence.step or 0) as answer:
        for sentence, changed in rearrangements(weights, case.recurrent):
            off = relative(found, answer(weights | changed))
            if off < FITS and case.explains(off):  # what changes little fits a small deviation without explaining it
                yield sentence


def structure(case: Case) -> Iterator[str]:
    """Say that no tested suspicion fits, and name the usual differences."""
    yield from layer_causes(case.reference.start, case.recurrent, normalised=bool(case.normalisation))


def layer_causes(tensors: Files, recurrent: Mapping[str, RecurrentLayer], *, normalised: bool) -> Iterator[str]:
    """Yield the usual differences in a model with these tensors and layers, with or without a normalisation."""
    conv = any(read_array(tensors, name).ndim == 4 for name in tensors)
    usual = ["a layer too many or too few", "another activation in one of many layers"]
    for layer in recurrent.values():
        if layer.reset is not None:
            other = "before" if layer.reset == "after" else "after"
            usual.append(f"the reset gate applied {other} the recurrent product instead of {layer.reset}")
    usual += ["another last step"] if recurrent else []
    usual += ["padding on the other side", "another stride"] if conv else []
    usual += ["another epsilon of a normalisation"] if normalised else []
    yield f"{UNKNOWN_CAUSE}. Usual causes where a model differs are {', '.join(usual)}"


def evaluation_mode(case: Case) -> Iterator[str]:
    """Explain why only the evaluation deviates."""
    if relative(case.again(), case.again()) > FITS:
        yield "two evaluations differ: dropout is active in evaluation"
    yield "the model computes otherwise in evaluation than in training: a layer is in the wrong mode"


def dropping(case: Case) -> Iterator[str]:
    """Yield the mistake of a dropout layer; the divergence's tensor is the layer that it follows."""
    layer = case.divergence.tensor
    yield {
        "dropout evaluation": "dropout is active in evaluation",
        "dropout repeats": f"the dropout behind {layer} drops the same elements in every pass: its random state stays",
        "dropout scale": f"the dropout behind {layer}, or one after it, has another rate than the workload states",
        "dropout share": f"the dropout behind {layer}, or one after it, drops another share than it makes up for",
        "dropout together": f"the dropout behind {layer}, or one after it, drops the same in several samples or units",
        "dropout loss": f"the steps that are timed drop another share behind {layer} than a single pass does",
    }[case.divergence.quantity]
