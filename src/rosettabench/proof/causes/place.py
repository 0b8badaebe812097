"""Where in a network a deviation begins, as far as the numbers of a step tell."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.proof.check import Check

FORWARD = ("logits", "loss")
"""Where the way there is off, every gradient is, and tells nothing of a place."""


def beginning(checks: Sequence[Check]) -> str:
    """Return a sentence on the tensor at which the first failure begins; "" where nothing tells.

    On the way there each normalisation keeps the mean and the variance of what has come to it: the first of them that
    is off has the mistake in front of it. On the way back, where logits and loss are right, it is the last gradient.
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
