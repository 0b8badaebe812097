"""Check the update separately: compare a contender's parameters with the optimiser's formula for its *own* gradients.

In mixed precision, this is the only sharp check of parameters. Their gradients have the error of rounded products, and
Adam, which divides them by their own size, turns it into full steps. Compared with a reference, the parameters of
honest contenders would deviate so much that a mistake could hide. But the update itself is float32.

In float32 it is the sharper of two checks of a parameter. Adam turns the round-off e of a gradient g into a relative
error e/|g|, and among many thousand elements some |g| is as small as e. The largest such error varies by any factor
between honest computations, so two of them cannot measure it. If the gradients are within their tolerances, and the
update follows the formula, the step is proven.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from math import hypot, inf, sqrt

import numpy as np

from rosettabench.catalogue.optimizer import Optimizer
from rosettabench.client.session import Work
from rosettabench.proof.comparison import (
    Deviation,
    Exact,
    compare_gradients,
    compare_step,
    compare_update,
    norm,
    relative,
)
from rosettabench.proof.optimizers import FLOAT32_FORMS, OPTIMIZERS, clip_gradients, longest_step, steps_from, wandering
from rosettabench.proof.tolerance import MIXED, SAFETY, Tolerances, exactness
from rosettabench.proof.walk import Array, Files, Walked, read_array

HALF_A_UNIT = 2.0**-24
"""The largest relative rounding error of float32."""

NEAR = 1e-6
"""An update with at most this deviation uses constants of that form."""

ROUNDED = 2.0**-22
"""The relative error of a gradient that float32 scales before it adds a penalty: half a unit in the last place each for
the common norm, the factor, the product and the sum."""

ARITHMETIC = 2.0**-21
"""The relative error of a step in float32: half a unit in the last place for each of the eight operations that Adam
takes, of a step in which nothing cancels."""

ISOLATED = 1e-3
"""On a CPU, at most this share of a parameter's numbers, and always one, may follow another pass than that of the
gradients: of a program that is not the step's. A mistake of an optimiser shows in more."""

ADDED_TO_NORM = 1e-6
"""PyTorch adds this to the norm before it divides by it (`torch.nn.utils.clip_grad_norm_`); others add less."""


class ParameterWalk:
    """The values of one parameter under an optimiser, step by step."""

    def __init__(self, walk: Iterator[Array]) -> None:
        """`walk` yields the values after each step. It advances only as far as `after` needs."""
        self._walk = walk
        self._taken = 0
        self._ends: deque[Array] = deque(maxlen=2)

    def after(self, steps: int) -> tuple[Array, ...]:
        """Return the values after `steps` - 1 (if any) and `steps` steps; no step is computed twice."""
        while self._taken < steps:
            self._ends.append(next(self._walk))
            self._taken += 1
        return tuple(self._ends)


class OwnUpdates:
    """The updates, in float64, that the optimiser of a work makes of one contender's own gradients.

    If a `guide` gives the weights at the beginning of each step but the first, the last step starts from there. The
    tensors `still` have no gradient by mathematics. Adam moves them at random, so only the length of their move is
    checked.
    """

    def __init__(
        self,
        work: Work,
        start: Files,
        guide: Sequence[Files] | None = None,
        still: Collection[str] = (),
        noise: Tolerances | None = None,
    ) -> None:
        """`start` has the weights before the first step. `noise` says how far another pass may move a gradient."""
        self.gradients: dict[str, list[Array]] = {}
        self.unclipped: list[dict[str, Array]] = []
        """The gradients of each step before clipping; empty without clipping."""
        self.rates: list[float] = []
        self._work = work
        self._start = start
        self._guide = guide
        self._still = still
        self._longest = longest_step(self._optimizer)
        self._wandering = wandering(self._optimizer, still)
        self._ends: dict[str, Array] = {}
        self._led: dict[tuple[str, str], ParameterWalk] = {}
        self._form = ""
        self._noise = noise
        self._reach: dict[str, list[float]] = {}
        """How far another pass may move each number of a gradient, step by step; empty without noise."""
        self._restless = False
        self._alone: dict[str, float] = {}

    @property
    def precision(self) -> str:
        """The precision of the work."""
        return self._work.setting.precision

    @property
    def has_formula(self) -> bool:
        """Whether it is known what the optimiser makes of gradients: not of one that only implementations know."""
        return self._optimizer.name in OPTIMIZERS

    def compare_step(self, found: Walked, exact: Exact) -> Iterator[Deviation]:
        """Yield the deviations of a step from the reference, and of its update from that of the own gradients.

        In mixed precision, the parameters are not compared with the reference's.
        """
        yield from compare_step(found, exact)
        for files in found.again:
            yield from compare_gradients(files, exact)
        if self.precision in MIXED and found.step == 0:
            off = relative(read_array(found.gradients, "logits"), read_array(exact.gradients, "logits"))
            yield exactness(off, self.precision)
        yield from self._compare_own(found)
        if self.precision not in MIXED:
            yield from compare_update(found, exact, self._wandering)

    def _compare_own(self, found: Walked) -> Iterator[Deviation]:
        """Yield the deviations of the updates from the optimiser's formula.

        Where each step begins with the first weights again, what wanders has had a single step for its way.
        """
        steps = 1 if self._work.workload.proof.returns else len(self.rates)
        for name in self._ends:
            if name not in self._still:
                yield Deviation("update", found.step, name, self.off(name))
            elif name in self._wandering:
                yield Deviation("wandering", found.step, name, self._share_of_longest(name, self._ends[name], steps))

    def record(self, found: Walked) -> None:
        """Keep the gradients of a step, its rate (the stated one if it cannot be read back), and its parameters."""
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
            if self._noise is not None:
                self._reach.setdefault(name, []).append(self._reach_of(name, found))
        self._restless = self._restless or bool(found.again)

    def _reach_of(self, name: str, found: Walked) -> float:
        """Return how far another pass over the same batch may move one number of a gradient: a root mean square.

        SAFETY times what float32 moves the gradient of the reference by. On a GPU no two passes were further apart than
        once that (docs/results/gpu.md). What the contender's own passes differ by does not count, as it could make them
        differ on purpose.
        """
        own = read_array(found.gradients, name)
        assert self._noise is not None
        noise = self._noise.noise(Deviation("gradient", found.step, name, 0.0))
        return SAFETY * noise * norm(own) / sqrt(own.size)

    def _off_other_passes(self, name: str) -> float:
        """Return how far a parameter is from all that passes within reach of its own gradients lead to.

        Number by number: a gradient far above its reach must lead to its one value, and only one that is as small as
        the difference of two passes may lead anywhere that Adam's full steps reach. The reach is exceeded by once its
        width, since only two of all passes within it are tried: all gradients larger, and all smaller.

        On a CPU two passes of one program are the same, but the program of a step may add in another order than that of
        its gradients. There only as many numbers as ISOLATED says may follow another pass: those that are furthest off.
        """
        start, end = read_array(self._start, name).astype(np.float64), self._ends[name].astype(np.float64)
        change = {"form": self._form} if self._form else {}
        reaches: Sequence[float | Array] = self._reach[name]
        if not self._restless:  # a sum of zeros is zero in every order: the row of a word that no text of the batch has
            reaches = [by * (one != 0) for one, by in zip(self.gradients[name], reaches, strict=True)]
        pairs = list(zip(self.gradients[name], reaches, strict=True))
        ways = [self.lead(name, [one + sign * by for one, by in pairs], **change) for sign in (-1, 0, 1)]
        low, high = np.minimum.reduce(ways), np.maximum.reduce(ways)
        nearest = np.clip(end, 2 * low - high, 2 * high - low)
        moved, left = norm(ways[1] - start), end - nearest
        if not self._restless:
            off = np.abs(end - ways[1])
            few = max(1, int(ISOLATED * off.size))
            furthest = np.argpartition(off, -few, axis=None)[-few:]  # exactly so many: steps of Adam are equally long
            off.flat[furthest] = np.abs(left).flat[furthest]
            left = off
        return max(0.0, (norm(left) - self._norm_of_rounding(ways[1])) / moved) if moved else inf

    def _whole(self, found: Walked) -> list[str]:
        """Return the names of the tensors that a step trained, if their gradients and values have the right shape."""
        shapes = {name: read_array(self._start, name).shape for name in self._start if name in found.gradients}
        return [
            name
            for name, shape in shapes.items()
            if name in found.parameters
            and read_array(found.gradients, name).shape == shape == read_array(found.parameters, name).shape
        ]

    def off(self, name: str) -> float:
        """Return how far a parameter is from where its own gradients lead, relative to its move.

        Honest errors of float32 are excluded: the rounding of stored weights, half a unit in the last place per
        step; Adam's constants, for which the nearest of FLOAT32_FORMS counts (all are tried if the last one used is not
        near); sums that cancel (`_left_by_sums`); the arithmetic of the steps (`_left_by_arithmetic`); and what the
        difference of two passes explains (`_off_other_passes`).
        """
        found = self._off(name, self._form)
        if found > NEAR and self._optimizer.name in ("adam", "adamw"):
            forms = {form: self._off(name, form) for form in FLOAT32_FORMS}
            self._form = min(forms, key=lambda form: forms[form])
            found = forms[self._form]
        if NEAR < found < inf:
            found = max(0.0, found - self._left_by_sums(name) - self._left_by_arithmetic(name))
        self._alone[name] = found
        return min(found, self._off_other_passes(name)) if self._reach and NEAR < found < inf else found

    def off_alone(self, name: str) -> float:
        """Return what `off` was for a parameter, before the difference of two passes was excluded."""
        return self._alone[name]

    def _left_by_sums(self, name: str) -> float:
        """Return the error of an update because float32 adds a penalty to a gradient, relative to the move.

        If the two cancel, the sum is round-off, which Adam divides by its own size. Both are exact to a few units in
        the last place, so this is a bound, not a measurement. It is 0 without a penalty.
        """
        if self._optimizer.name == "adamw" or not getattr(self._optimizer, "weight_decay", 0.0):
            return 0.0
        there = self._there(name, "")
        scaled = [(1 + by) * one for by, one in zip(self._missed_scales(), self.gradients[name], strict=True)]
        return relative(self.lead(name, scaled), there, norm(there - read_array(self._start, name)))

    def _left_by_arithmetic(self, name: str) -> float:
        """Return the error of float32 in the arithmetic of all steps, relative to the move.

        It is relative to what the steps would be if no gradient had another sign: where they cancel, a bias may end
        near where it began, and its way was hundreds of times as long as its move.
        """
        start, sizes = read_array(self._start, name).astype(np.float64), [np.abs(one) for one in self.gradients[name]]
        *before, there = deque(self._walk(name, sizes), 2)
        begun = before[-1] if self._guide is not None and before else start
        moved = norm(self._there(name, self._form) - start)
        return ARITHMETIC * norm(there - begun) / moved if moved else 0.0

    def _missed_scales(self) -> list[float]:
        """Return the largest relative error with which float32 scales the gradients of each step."""
        longest = getattr(self._optimizer, "clip_norm", None)
        if longest is None:
            return [ROUNDED] * len(self.rates)
        wholes = [hypot(*map(norm, own.values())) for own in self.unclipped]
        return [ROUNDED + (ADDED_TO_NORM / whole if whole > longest else 0.0) for whole in wholes]

    def _distance_to(self, name: str, end: Array) -> float:
        """Return the largest move of any number of a parameter to an `end`."""
        return float(np.abs(end.astype(np.float64) - read_array(self._start, name)).max())

    def _share_of_longest(self, name: str, end: Array, steps: int) -> float:
        """Return the largest move to an `end` as a share of as many of the longest `steps` of the optimiser."""
        assert self._longest is not None  # it is known for every optimiser that lets tensors wander
        return self._distance_to(name, end) / (self._longest * steps)

    def compare_wandering(self, found: Files) -> Iterator[Deviation]:
        """Yield how far a block has moved each tensor that Adam moves at random, as a share of its longest steps."""
        for name in self._wandering:
            off = self._share_of_longest(name, read_array(found, name), len(self.rates)) if name in found else inf
            yield Deviation("wandering", None, name, off)

    @property
    def restless(self) -> bool:
        """Whether two passes of one program over the same batch may differ."""
        return self._restless

    @property
    def wandering(self) -> Collection[str]:
        """The tensors that the optimiser moves at random, as they have no gradient by mathematics."""
        return self._wandering

    def lead(self, name: str, gradients: Sequence[Array] | None = None, **change: object) -> Array:
        """Return where gradients, by default its own, lead a parameter; `change` replaces values of the optimiser."""
        return self._from_guide(name, *deque(self._walk(name, gradients or self.gradients[name], **change), 2))

    def compare_block(self, found: Files) -> Iterator[Deviation]:
        """Yield how far the end of a block of steps is from the end of these steps taken one by one."""
        for name, last in self._ends.items():
            moved = norm(last - read_array(self._start, name))
            value = relative(read_array(found, name), last, moved) if name in found else inf
            yield Deviation("block parameter", None, name, value)

    @property
    def _optimizer(self) -> Optimizer:
        """Return the workload's optimiser."""
        optimizer = self._work.workload.optimizer
        assert optimizer is not None  # inference has another proof
        return optimizer

    def _off(self, name: str, form: str) -> float:
        """Return how far a tensor is from where a form of the optimiser leads, relative to its move."""
        expected = self._there(name, form)
        moved = norm(expected - read_array(self._start, name).astype(np.float64))
        written = self._norm_of_rounding(expected)
        return max(0.0, relative(self._ends[name], expected, moved) - (written / moved if moved else 0.0))

    def _norm_of_rounding(self, expected: Array) -> float:
        """Return the norm of the rounding of a parameter's stored values."""
        return (1 if self._guide else len(self.rates)) * HALF_A_UNIT * norm(expected)

    def _there(self, name: str, form: str) -> Array:
        """Return where a parameter's own gradients lead it; no step is computed twice."""
        change = {"form": form} if form else {}
        if (name, form) not in self._led:
            self._led[name, form] = ParameterWalk(self._walk(name, self.gradients[name], **change))
        return self._from_guide(name, *self._led[name, form].after(len(self.gradients[name])))

    def _walk(self, name: str, gradients: Sequence[Array], **change: object) -> Iterator[Array]:
        """Yield a tensor after each step of the optimiser with these gradients."""
        lazy = {"lazy": True} if name in self._work.lazy else {}
        start = read_array(self._start, name).astype(np.float64)
        taken = ((gradient.astype(np.float64), rate) for gradient, rate in zip(gradients, self.rates, strict=False))
        return steps_from(self._optimizer, name, start, taken, **{**lazy, **change})

    def _from_guide(self, name: str, *ends: Array) -> Array:
        """Return the last of `ends`; for a guided step, its move added to the guide's weights."""
        taken = len(self.gradients[name])
        if self._guide is None or taken == 1:
            return ends[-1]
        before, there = ends
        return np.asarray(read_array(self._guide[taken - 2], name) + (there - before))
