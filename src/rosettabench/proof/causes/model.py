"""Likely causes where the forward pass differs."""

from __future__ import annotations

from collections.abc import Iterator

from rosettabench.proof.causes.case import FITS, Case, numbers, softmax
from rosettabench.proof.causes.rearrangement import GATES, rearrangements
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import Files, read


def random_forward(case: Case) -> Iterator[str]:
    """Two passes over one batch that differ."""
    first, second = case.again(), case.again()
    if relative(first, second) > FITS:
        yield "two passes over the same batch differ: dropout, or another random layer, is active"


def softmax_in_model(case: Case) -> Iterator[str]:
    """Probabilities where logits are due."""
    found, exact = numbers(case, "logits")
    if found.shape == exact.shape and relative(found, softmax(exact)) < case.fits:
        yield "the model ends in a softmax, and the loss applies it again: it must return logits"


def other_weights(case: Case) -> Iterator[str]:
    """The reference under rearranged weights says what the contender says: the ties, or the layer, rearrange them."""
    found, _ = numbers(case, "logits")
    weights = case.weights()
    for sentence, changed in rearrangements(weights):
        if relative(found, case.reference.logits(case.divergence.step or 0, weights | changed)) < FITS:
            yield sentence


def structure(case: Case) -> Iterator[str]:
    """Nothing that can be tested fits: say what differs in practice."""
    yield from layer_causes(case.reference.start, normalised=bool(case.normalisation))


def layer_causes(tensors: Files, *, normalised: bool) -> Iterator[str]:
    """Yield what usually differs in a model with these tensors, and with a normalisation or none."""
    layers = {name.partition(".")[0] for name in tensors}
    conv = any(read(tensors, name).ndim == 4 for name in tensors)
    usual = ["another activation", "a layer too many or too few"]
    if "gru" in layers:  # the form that resets before the product has one bias set
        there, here = ("before", "after") if "gru.recurrent_bias" in tensors else ("after", "before")
        usual.append(f"the reset gate applied {there} the recurrent product instead of {here}")
    usual += ["another last step"] if layers & GATES.keys() else []
    usual += ["padding on the other side", "another stride"] if conv else []
    usual += ["another epsilon of a normalisation"] if normalised else []
    yield "the model itself differs; usual causes are " + ", ".join(usual)


def evaluation_mode(case: Case) -> Iterator[str]:
    """Evaluation alone is off."""
    if relative(case.again(), case.again()) > FITS:
        yield "two evaluations differ: dropout is active in evaluation"
    yield "the model computes otherwise in evaluation than in training: a layer is in the wrong mode"


def dropping(case: Case) -> Iterator[str]:
    """What a dropout layer does otherwise than it should; the tensor is the layer that it follows."""
    layer = case.divergence.tensor
    yield {
        "dropout evaluation": "dropout is active in evaluation",
        "dropout repeats": f"the dropout behind {layer} drops the same elements in every pass: its random state stays",
        "dropout scale": f"the dropout behind {layer}, or one after it, has another rate than the workload states",
        "dropout share": f"the dropout behind {layer}, or one after it, drops another share than it makes up for",
        "dropout loss": f"the steps that are timed drop another share behind {layer} than a single pass does",
    }[case.divergence.quantity]
