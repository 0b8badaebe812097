"""Mixed precision: products in bfloat16, parameters and their update in float32. What of it can be told sharply.

The gradients have an error of bfloat16, and Adam, which divides them by their own size, makes full steps of it. Held
against a reference's parameters, those of two honest contenders would be off by so much that a mistake could hide in
it. But the update itself is float32, so it is held against what the optimiser makes of the contender's *own* gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

import numpy as np

from rosettabench.lab.session import Work
from rosettabench.proof.comparison import Deviation, compare_step, norm, relative
from rosettabench.proof.optimizers import TRAJECTORIES
from rosettabench.proof.walk import Array, Files, Walked, read

FLOAT32 = 1e-4
"""How exact logits are at the least that were computed in float32: ten times what it is allowed to be off."""

PARAMETERS = ("parameter", "block parameter")
"""Quantities that say nothing here."""


def within_a_step(deviations: Iterable[Deviation]) -> Iterator[Deviation]:
    """Yield the deviations of what a step computes before its update."""
    yield from (one for one in deviations if one.quantity not in PARAMETERS)


class OwnUpdates:
    """What the optimiser of some work makes of the gradients that one contender has had, in float64."""

    def __init__(self, work: Work, start: Files) -> None:
        self.gradients: dict[str, list[Array]] = {}
        self.rates: list[float] = []
        self._work = work
        self._start = start
        self._last: dict[str, Array] = {}

    def compare_step(self, found: Walked, exact: Walked) -> Iterator[Deviation]:
        """Yield the deviations of a step from the reference, and of its update from that of the own gradients."""
        yield from within_a_step(compare_step(found, exact, self._start))
        if found.step == 0:
            logits = relative(read(found.gradients, "logits"), read(exact.gradients, "logits"))
            yield Deviation("reduced precision", 0, None, FLOAT32 / logits if logits else inf)
        self.rates.append(found.turn.learning_rate or 0.0)
        for name in [name for name in self._start if name in exact.gradients]:
            self._last[name] = np.array(read(found.parameters, name))
            self.gradients.setdefault(name, []).append(np.array(read(found.gradients, name)))
            yield Deviation("update", found.step, name, self._off(name))

    def _off(self, name: str) -> float:
        """Return how far a parameter is from where the own gradients lead, relative to the way."""
        start = read(self._start, name).astype(np.float64)
        expected = self.lead(name)
        return relative(self._last[name], expected, norm(expected - start))

    def lead(self, name: str, **change: object) -> Array:
        """Return where the own gradients lead a parameter, by the workload's optimiser with values of it changed."""
        optimizer = self._work.workload.optimizer
        assert optimizer is not None  # inference has a proof of its own
        trajectory, _ = TRAJECTORIES[optimizer.name]
        given = optimizer.model_dump(exclude={"name", "learning_rate"})
        given |= {"lazy": True} if name in self._work.lazy else {}
        gradients = [gradient.astype(np.float64) for gradient in self.gradients[name]]
        return trajectory(read(self._start, name).astype(np.float64), gradients, self.rates, **{**given, **change})

    def compare_block(self, found: Files) -> Iterator[Deviation]:
        """Yield how far a block of steps ends from where the same steps one by one have ended."""
        for name, last in self._last.items():
            moved = norm(last - read(self._start, name))
            value = relative(read(found, name), last, moved) if name in found else inf
            yield Deviation("block parameter", None, name, value)
