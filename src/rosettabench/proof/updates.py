"""The update by itself: a contender's parameters against what the optimiser makes of its *own* gradients.

In mixed precision that is all that can be told sharply of them: the gradients have the error of rounded products, and
Adam, which divides them by their own size, makes full steps of it. Held against a reference's parameters, those of two
honest contenders would be off by so much that a mistake could hide in it. But the update itself is float32.

In float32 it is the second look at a parameter that is further off than the noise explains. What Adam makes of the
round-off e of a gradient g has the size e/|g|, and among many thousand elements some |g| is as small as e: the
largest such share varies from one honest computation to the next by any factor, so two of them are no measure of it.
Where the gradients are within their tolerances, and the update is what the formula makes of them, the step is proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

import numpy as np

from rosettabench.lab.session import Work
from rosettabench.proof.comparison import Deviation, Exact, compare_step, norm, relative
from rosettabench.proof.optimizers import TRAJECTORIES, clipped, given
from rosettabench.proof.tolerance import exactness
from rosettabench.proof.walk import Array, Files, Walked, read

HALF_A_UNIT = 2.0**-24
"""The most by which float32 is off a number, relative to it."""

PARAMETERS = ("parameter", "block parameter")
"""Quantities that say nothing in mixed precision."""


def within_a_step(deviations: Iterable[Deviation]) -> Iterator[Deviation]:
    """Yield the deviations of what a step computes before its update."""
    yield from (one for one in deviations if one.quantity not in PARAMETERS)


class OwnUpdates:
    """What the optimiser of some work makes of the gradients that one contender has had, in float64.

    Where a `guide` says with what weights each step but the first has begun, the last step leads on from there.
    """

    def __init__(self, work: Work, start: Files, guide: Sequence[Files] | None = None) -> None:
        self.gradients: dict[str, list[Array]] = {}
        self.rates: list[float] = []
        self._work = work
        self._start = start
        self._guide = guide
        self._last: dict[str, Array] = {}

    @property
    def precision(self) -> str:
        """The precision that the work asks for."""
        return self._work.setting.precision

    def compare_step(self, found: Walked, exact: Exact) -> Iterator[Deviation]:
        """Yield the deviations of a step from the reference, and of its update from that of the own gradients."""
        yield from within_a_step(compare_step(found, exact))
        if found.step == 0:
            off = relative(read(found.gradients, "logits"), read(exact.gradients, "logits"))
            yield exactness(off, self.precision)
        for name in self._last:
            yield Deviation("update", found.step, name, self.off(name))

    def record(self, found: Walked) -> None:
        """Keep the gradients of a step, its rate (the stated one if nobody can read it back), and where it led."""
        optimizer, rate = self._work.workload.optimizer, found.turn.learning_rate
        assert optimizer is not None  # inference has a proof of its own
        self.rates.append(optimizer.learning_rate if rate is None else rate)
        own = {name: np.array(read(found.gradients, name)) for name in self._start if name in found.gradients}
        for name, gradient in clipped(optimizer, own).items():
            self._last[name] = np.array(read(found.parameters, name))
            self.gradients.setdefault(name, []).append(gradient)

    def off(self, name: str) -> float:
        """Return how far a parameter is from where the own gradients lead, relative to the way.

        What it takes to write the weights down as float32 is none of it: half a unit in the last place, step by step.
        """
        expected = self.lead(name)
        moved = norm(expected - read(self._start, name).astype(np.float64))
        written = (1 if self._guide else len(self.rates)) * HALF_A_UNIT * norm(expected)
        return max(0.0, relative(self._last[name], expected, moved) - (written / moved if moved else 0.0))

    def lead(self, name: str, **change: object) -> Array:
        """Return where the own gradients lead a parameter, by the workload's optimiser with values of it changed."""
        optimizer = self._work.workload.optimizer
        assert optimizer is not None  # inference has a proof of its own
        trajectory, _ = TRAJECTORIES[optimizer.name]
        stated = given(optimizer) | ({"lazy": True} if name in self._work.lazy else {})
        gradients = [gradient.astype(np.float64) for gradient in self.gradients[name]]
        start = read(self._start, name).astype(np.float64)
        there = trajectory(start, gradients, self.rates, **{**stated, **change})
        if self._guide is None or len(gradients) == 1:
            return there
        before = trajectory(start, gradients[:-1], self.rates[:-1], **{**stated, **change})
        return read(self._guide[len(gradients) - 2], name) + (there - before)

    def compare_block(self, found: Files) -> Iterator[Deviation]:
        """Yield how far a block of steps ends from where the same steps one by one have ended."""
        for name, last in self._last.items():
            moved = norm(last - read(self._start, name))
            value = relative(read(found, name), last, moved) if name in found else inf
            yield Deviation("block parameter", None, name, value)
