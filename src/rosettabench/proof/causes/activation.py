"""Likely causes: another form of an activation."""

from __future__ import annotations

from collections.abc import Iterator

from rosettabench.proof.causes.case import Case, numbers
from rosettabench.proof.comparison import off_logits

FORMS = {
    "leaky-relu": "a leaky ReLU, which lets a hundredth of what is negative pass, where ReLU is meant",
    "relu6": "a ReLU that ends at 6 where ReLU is meant",
    "elu": "ELU where ReLU is meant",
    "gelu": "GELU where ReLU is meant",
    "gelu-tanh": "GELU in its approximation by tanh where ReLU is meant",
    "silu": "SiLU (swish) where ReLU is meant",
    "softplus": "softplus where ReLU is meant",
    "no-relu": "no activation where ReLU is meant",
    "relu-tanh": "tanh where ReLU is meant",
    "hard-sigmoid-fifth": "a hard sigmoid, 0.2·x + 0.5 cut at 0 and 1 (Keras 2), where the sigmoid is meant",
    "hard-sigmoid-sixth": "a hard sigmoid, x/6 + 0.5 cut at 0 and 1, where the sigmoid is meant",
    "hard-tanh": "a hard tanh, x cut at -1 and 1, where tanh is meant",
    "softsign": "softsign where tanh is meant",
    "tanh-relu": "ReLU where tanh is meant",
    "no-tanh": "no activation where tanh is meant",
}
"""The sentence for each form that ``rosetta_worker/variants`` knows."""


def other_activation(case: Case) -> Iterator[str]:
    """Yield the other form of an activation, in all layers or after one, with which the reference has these logits."""
    found, _ = numbers(case, "logits")
    step, outputs = case.divergence.step or 0, case.reference.steps[0].outputs
    off = {
        name: max(one.value for one in off_logits(found, logits, step, "logits", outputs))
        for name, logits in case.reference.variants(step, case.weights()).items()
    }
    best = min(off, key=off.__getitem__, default=None)
    if best is not None and case.explains(off[best]):
        form, _, layer = best.partition(".")
        yield FORMS[form] + (f", behind {layer}" if layer else "")
