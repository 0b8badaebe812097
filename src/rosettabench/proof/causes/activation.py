"""Likely causes: another form of an activation, and in an original of any operation that ports get wrong."""

from __future__ import annotations

from collections.abc import Iterator

from rosettabench.proof.causes.case import Case, numbers
from rosettabench.proof.causes.forms import form_words
from rosettabench.proof.comparison import off_logits


def other_activation(case: Case) -> Iterator[str]:
    """Yield the other form of an operation, in all layers or in one, with which the reference has these logits."""
    found, _ = numbers(case, "logits")
    step, outputs = case.divergence.step or 0, case.reference.steps[0].outputs
    off = {
        name: max(one.value for one in off_logits(found, logits, step, "logits", outputs))
        for name, logits in case.reference.variants(step, case.weights()).items()
    }
    best = min(off, key=off.__getitem__, default=None)
    if best is not None and case.explains(off[best]):
        stated = case.normalisation.epsilon if case.normalisation else None
        yield form_words(best, case.reference.is_original, stated)
