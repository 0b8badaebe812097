"""The first steps of a contest as the float64 reference takes them."""

from __future__ import annotations

from dataclasses import dataclass

from rosettabench.watch.moves import Move


@dataclass(frozen=True)
class ExactSteps:
    """How the first steps move the parameters, and the loss of each step, in float64."""

    move: Move
    losses: tuple[float, ...]
