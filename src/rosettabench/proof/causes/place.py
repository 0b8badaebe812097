"""Find where in a network a deviation begins, from the numbers of a step."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.proof.check import Check

FORWARD = ("logits", "loss")
"""Quantities of the forward pass. If one deviates, so does every gradient, which then does not show a place."""


def beginning(checks: Sequence[Check]) -> str:
    """Return a sentence on the tensor at which the first failure begins; empty if not known.

    In the forward pass, each normalisation keeps the mean and variance of its input: the mistake is in front of the
    first one that deviates. In the backward pass, if logits and loss are right, it is at the last deviating gradient.
    `checks` are in the order of the network.
    """
    first = next((check for check in checks if not check.passed), None)
    if first is None or first.quantity not in (*FORWARD, "gradient"):
        return ""
    wanted = "state" if first.quantity in FORWARD else "gradient"
    there = [check for check in checks if check.step == first.step and check.quantity == wanted]
    off = [check.tensor for check in there if not check.passed and check.tensor is not None]
    if not off or len(there) < 2:
        return ""
    if wanted == "gradient":
        return f"on the way back, the first gradient that is off is that of {off[-1]}"
    return f"the first mean or variance that is off is {off[0]}: it begins in front of that normalisation"
