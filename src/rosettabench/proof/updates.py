"""The update by itself: a contender's parameters against what the optimiser makes of its *own* gradients.

In mixed precision that is all that can be told sharply of them: the gradients have the error of rounded products, and
Adam, which divides them by their own size, makes full steps of it. Held against a reference's parameters, those of two
honest contenders would be off by so much that a mistake could hide in it. But the update itself is float32.

In float32 it is the sharper of two looks at a parameter. What Adam makes of the round-off e of a gradient g has the
size e/|g|, and among many thousand elements some |g| is as small as e: the largest such share varies from one honest
computation to the next by any factor, so two of them are no measure of it. Where the gradients are within their
tolerances, and the update is what the formula makes of them, the step is proven.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from math import hypot, inf

import numpy as np

from rosettabench.catalogue.optimizer import Optimizer
from rosettabench.client.session import Work
from rosettabench.proof.comparison import Deviation, Exact, compare_step, compare_update, norm, relative
from rosettabench.proof.optimizers import FLOAT32_FORMS, OPTIMIZERS, clip_gradients, longest_step, steps_from, wandering
from rosettabench.proof.tolerance import MIXED, exactness
from rosettabench.proof.walk import Array, Files, Walked, read_array

HALF_A_UNIT = 2.0**-24
"""The most by which float32 is off a number, relative to it."""

NEAR = 1e-6
"""An update that is no further off has the same constants."""

ROUNDED = 2.0**-22
"""By how much of itself float32 may scale a gradient wrongly before it adds a penalty: half a unit in the last place
each for the norm of all, the factor, the product and the sum."""

ADDED_TO_NORM = 1e-6
"""What PyTorch adds to the norm before it divides by it (`torch.nn.utils.clip_grad_norm_`); others add less."""


class Led:
    """Where one parameter is led, step by step."""

    def __init__(self, walk: Iterator[Array]) -> None:
        self._walk = walk
        self._taken = 0
        self._ends: deque[Array] = deque(maxlen=2)

    def after(self, steps: int) -> tuple[Array, ...]:
        """Return where so many steps lead, behind where one step less does, if there is one: none is computed twice."""
        while self._taken < steps:
            self._ends.append(next(self._walk))
            self._taken += 1
        return tuple(self._ends)


class OwnUpdates:
    """What the optimiser of some work makes of the gradients that one contender has had, in float64.

    Where a `guide` says with what weights each step but the first has begun, the last step leads on from there. The
    tensors `still` have no gradient by mathematics: where Adam leads them is chance, if no further than it can.
    """

    def __init__(
        self, work: Work, start: Files, guide: Sequence[Files] | None = None, still: Collection[str] = ()
    ) -> None:
        self.gradients: dict[str, list[Array]] = {}
        self.unclipped: list[dict[str, Array]] = []
        """The gradients of each step before they were clipped, where they are."""
        self.rates: list[float] = []
        self._work = work
        self._start = start
        self._guide = guide
        self._still = still
        self._longest = longest_step(self._optimizer)
        self._wandering = wandering(self._optimizer, still)
        self._ends: dict[str, Array] = {}
        self._led: dict[tuple[str, str], Led] = {}
        self._form = ""

    @property
    def precision(self) -> str:
        """The precision that the work asks for."""
        return self._work.setting.precision

    @property
    def has_formula(self) -> bool:
        """Whether it is known what the optimiser makes of gradients: not of one that only implementations know."""
        return self._optimizer.name in OPTIMIZERS

    def compare_step(self, found: Walked, exact: Exact) -> Iterator[Deviation]:
        """Yield the deviations of a step from the reference, its update's from that of the own gradients among them.

        In mixed precision, the parameters are not held against the reference's.
        """
        yield from compare_step(found, exact)
        if self.precision in MIXED and found.step == 0:
            off = relative(read_array(found.gradients, "logits"), read_array(exact.gradients, "logits"))
            yield exactness(off, self.precision)
        yield from self._compare_own(found)
        if self.precision not in MIXED:
            yield from compare_update(found, exact, self._wandering)

    def _compare_own(self, found: Walked) -> Iterator[Deviation]:
        """Yield the updates held against the optimiser's own formula."""
        for name in self._ends:
            if name not in self._still:
                yield Deviation("update", found.step, name, self.off(name))
            elif name in self._wandering:
                assert self._longest is not None  # that is why it wanders
                yield Deviation(
                    "wandering", found.step, name, self.distance_wandered(name) / (self._longest * len(self.rates))
                )

    def record(self, found: Walked) -> None:
        """Keep the gradients of a step, its rate (the stated one if nobody can read it back), and where it led."""
        if not self.has_formula:
            return
        rate = found.turn.learning_rate
        self.rates.append(self._optimizer.learning_rate if rate is None else rate)
        own = {name: np.array(read_array(found.gradients, name)) for name in self._whole(found)}
        if getattr(self._optimizer, "clip_norm", None) is not None:
            self.unclipped.append(own)
        for name, gradient in clip_gradients(self._optimizer, own).items():
            self._ends[name] = np.array(read_array(found.parameters, name))
            self.gradients.setdefault(name, []).append(gradient)

    def _whole(self, found: Walked) -> list[str]:
        """Return the names of the tensors that a step has trained, and that are there in the right shape."""
        shapes = {name: read_array(self._start, name).shape for name in self._start if name in found.gradients}
        return [
            name
            for name, shape in shapes.items()
            if name in found.parameters
            and read_array(found.gradients, name).shape == shape == read_array(found.parameters, name).shape
        ]

    def off(self, name: str) -> float:
        """Return how far a parameter is from where the own gradients lead, relative to the way.

        What it takes to write the weights down as float32 is none of it: half a unit in the last place, step by step.
        Nor is the float32 of Adam's constants: of FLOAT32_FORMS the one counts that the contender is nearest to, and
        the others are tried where the one that served last is not near. Nor is what it makes of sums that cancel.
        """
        found = self._off(name, self._form)
        if found > NEAR and self._optimizer.name in ("adam", "adamw"):
            forms = {form: self._off(name, form) for form in FLOAT32_FORMS}
            self._form = min(forms, key=lambda form: forms[form])
            found = forms[self._form]
        return max(0.0, found - self._left_by_sums(name)) if NEAR < found < inf else found

    def _left_by_sums(self, name: str) -> float:
        """Return how far an update goes wrong where float32 adds a penalty to a gradient, relative to the way.

        Where the two cancel, what is left is round-off, and Adam divides it by its own size. Both are known to a few
        units in the last place, so that this is a bound and no measurement; without a penalty there is none.
        """
        if self._optimizer.name == "adamw" or not getattr(self._optimizer, "weight_decay", 0.0):
            return 0.0
        there = self._there(name, "")
        scaled = [(1 + by) * one for by, one in zip(self._missed_scales(), self.gradients[name], strict=True)]
        return relative(self.lead(name, scaled), there, norm(there - read_array(self._start, name)))

    def _missed_scales(self) -> list[float]:
        """Return by how much of itself, at the most, float32 scales the gradients of each step wrongly."""
        longest = getattr(self._optimizer, "clip_norm", None)
        if longest is None:
            return [ROUNDED] * len(self.rates)
        wholes = [hypot(*map(norm, own.values())) for own in self.unclipped]
        return [ROUNDED + (ADDED_TO_NORM / whole if whole > longest else 0.0) for whole in wholes]

    def distance_wandered(self, name: str) -> float:
        """Return how far the number of a parameter has gone that has gone furthest."""
        return float(np.abs(self._ends[name].astype(np.float64) - read_array(self._start, name)).max())

    def lead(self, name: str, gradients: Sequence[Array] | None = None, **change: object) -> Array:
        """Return where gradients, by default its own, lead a parameter, with values of the optimiser changed."""
        return self._from_guide(name, *deque(self._walk(name, gradients or self.gradients[name], **change), 2))

    def compare_block(self, found: Files) -> Iterator[Deviation]:
        """Yield how far a block of steps ends from where the same steps one by one have ended."""
        for name, last in self._ends.items():
            moved = norm(last - read_array(self._start, name))
            value = relative(read_array(found, name), last, moved) if name in found else inf
            yield Deviation("block parameter", None, name, value)

    @property
    def _optimizer(self) -> Optimizer:
        """Return the workload's optimiser."""
        optimizer = self._work.workload.optimizer
        assert optimizer is not None  # inference has a proof of its own
        return optimizer

    def _off(self, name: str, form: str) -> float:
        """Return how far a tensor is from where a form of the optimiser leads, relative to its way."""
        expected = self._there(name, form)
        moved = norm(expected - read_array(self._start, name).astype(np.float64))
        written = (1 if self._guide else len(self.rates)) * HALF_A_UNIT * norm(expected)
        return max(0.0, relative(self._ends[name], expected, moved) - (written / moved if moved else 0.0))

    def _there(self, name: str, form: str) -> Array:
        """Return where the own gradients lead a parameter; no step is computed twice."""
        change = {"form": form} if form else {}
        if (name, form) not in self._led:
            self._led[name, form] = Led(self._walk(name, self.gradients[name], **change))
        return self._from_guide(name, *self._led[name, form].after(len(self.gradients[name])))

    def _walk(self, name: str, gradients: Sequence[Array], **change: object) -> Iterator[Array]:
        """Yield where the optimiser leads a tensor, step by step, from its gradients."""
        lazy = {"lazy": True} if name in self._work.lazy else {}
        start = read_array(self._start, name).astype(np.float64)
        taken = ((gradient.astype(np.float64), rate) for gradient, rate in zip(gradients, self.rates, strict=False))
        return steps_from(self._optimizer, start, taken, **{**lazy, **change})

    def _from_guide(self, name: str, *ends: Array) -> Array:
        """Return the last of the `ends` of steps; of a guided step, its way from where the guide has it begin."""
        taken = len(self.gradients[name])
        if self._guide is None or taken == 1:
            return ends[-1]
        before, there = ends
        return np.asarray(read_array(self._guide[taken - 2], name) + (there - before))
