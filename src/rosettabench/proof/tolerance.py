"""How far from the float64 reference an honest float32 computation may be.

Two things bound it. The guides are what float32 round-off allows by itself: 2⁻²⁴ ≈ 6e-8 for one operation, growing
with the square root of the length of a sum (Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2), and
once more through each layer on the way back. And the noise is a measurement, made anew for every proof: the reference
itself in float32, and once more from weights that differ by one unit in the last place, shows tensor by tensor and step
by step how far round-off is amplified. Adam needs that: it divides a gradient by its own size, so the round-off of a
gradient near zero becomes a full step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import inf

from rosettabench.proof.comparison import Deviation

GUIDES = {
    "batch": 0.0,
    "margin": 0.5,
    "samples": 0.0,
    "learning rate": 1e-6,
    "logits": 1e-5,
    "loss": 1e-5,
    "gradient": 1e-4,
    "state": 1e-4,
    "parameter": 1e-4,
    "update": 1e-5,
    "wandering": 1.01,
    "unguided loss": 1e-5,
    "unguided logits": 1e-5,
    "block parameter": 1e-4,
    "block update": 1e-4,
    "reduced precision": 1.0,
    "evaluation logits": 1e-5,
    "accuracy": 0.0,
    "outputs": 1e-5,
    "outputs again": 1e-6,
    "kept": 0.0,
    "dropout evaluation": 1e-5,
    "dropout repeats": 0.0,
    "dropout scale": 1e-5,
    "dropout share": 5.0,
    "dropout loss": 5.0,
    "sampling values": 0.0,
    "sampling paths": 5.3,
    "sampling series": 5.3,
    "sampling distribution": 5.3,
    "sampling steps": 5.3,
    "sampling batches": 5.3,
    "sampling succession": 5.3,
    "augmentation pictures": 0.0,
    "augmentation flips": 5.0,
    "augmentation places": 5.0,
    "augmentation repeats": 5.0,
    "augmentation drawn": 0.0,
}
"""Relative deviation that float32 may have where the noise is smaller. Of the margin of a batch, float32 may use half:
how far it moves a unit, over how near one is to its edge. A learning rate may be stored in float32. What wanders has
the longest steps of its optimiser, and the last place of its weights. Those
of 5.0 are in standard errors: by chance alone, one check in 1.7 million is further off than five of them. Those of 5.3
are six for a sampling, and one in 8.6 million is further off: together less than one proof in a million."""


def mixed_guides(unit: float) -> dict[str, float]:
    """Return the same where the operands of products are rounded by up to `unit`, relative to themselves."""
    forward = dict.fromkeys(("logits", "loss", "evaluation logits", "outputs"), unit)
    backward = dict.fromkeys(("gradient", "state"), 4 * unit)
    dropout = dict.fromkeys(("dropout evaluation", "dropout scale"), 2 * unit)
    return {**GUIDES, **forward, **backward, **dropout, "update": 1e-4}


MIXED = {"bfloat16": mixed_guides(2.0**-8), "tf32": mixed_guides(2.0**-11)}
"""By precision of mixed precision: a bfloat16 has 8 significant bits, TF32 11, the leading one included. Parameters and
their update are float32 in both."""

FLOAT32 = {"bfloat16": 1e-4, "tf32": 1e-5}
"""How far off logits are at the most that were computed in float32 instead: so near, a mixed precision is none. Beside
TF32, whose products are off by 3e-4, that is what float32 is allowed itself."""

LARGEST = 1e-2
"""No quantity of a float32 proof may be further off than this, whatever the noise: a proof whose noise asks for more
is a bad one. Its weights, batch or number of steps are to be changed."""

SAFETY = 10.0
"""How many times the measured noise is allowed.

Two float32 computations of the same sum in different orders have round-off of the same distribution, not of the same
size. The noise comes from two realisations; over tensors of many elements their norms vary by a factor of a few.
"""

LOSSES = ("loss", "unguided loss")
"""Quantities that are one number at each step."""

MANY = 50
"""From so many tensors on, noise is that of all of a kind: in a small network each has enough of its own."""

Key = tuple[str, int | None, str | None]


class Tolerances:
    """The tolerance of every quantity, step and tensor, from the noise that the reference showed.

    `guides` is what is allowed without noise.
    """

    def __init__(self, noise: Iterable[Deviation], guides: Mapping[str, float] = GUIDES) -> None:
        self._guides = guides
        self._noise: dict[Key, float] = {}
        for deviation in noise:
            key = (deviation.quantity, deviation.step, deviation.tensor)
            self._noise[key] = max(self._noise.get(key, 0.0), deviation.value)
        self._let_losses_last()
        self._pool_many()

    def _let_losses_last(self) -> None:
        """Let the noise of the loss never fall from one step to the next.

        Round-off that has entered the weights stays there. A tensor always shows it; the loss is one number, in which
        it may cancel at a step by chance, in the reference as in a contender, and not in both at the same one.
        """
        for name in LOSSES:
            steps = sorted(step for quantity, step, _ in self._noise if quantity == name and step is not None)
            for before, step in pairwise(steps):
                key = (name, step, None)
                self._noise[key] = max(self._noise[key], self._noise[name, before, None])

    def _pool_many(self) -> None:
        """Where there are many tensors, let each have the noise of the noisiest of its kind at that step.

        Round-off may turn a ReLU's input around zero, and from there on one sample's gradient takes another way. In a
        deep network that happens here and there in every step: in the contender, it hits other layers than it hit in
        the reference. Kernels share with kernels, scales with scales.
        """
        if len({tensor for quantity, _, tensor in self._noise if quantity == "gradient"}) < MANY:
            return
        kinds = {key: (*key[:2], kind(key[2])) for key in self._noise}
        largest: dict[tuple[str, int | None, str], float] = {}
        for key, value in self._noise.items():
            largest[kinds[key]] = max(largest.get(kinds[key], 0.0), value)
        self._noise = {key: largest[kinds[key]] for key in self._noise}

    def noise(self, deviation: Deviation) -> float:
        """Return how far the reference in float32 was off in the same place."""
        return self._noise.get((deviation.quantity, deviation.step, deviation.tensor), 0.0)

    def of(self, deviation: Deviation) -> float:
        """Return how large `deviation` may be."""
        most = LARGEST if self._guides is GUIDES else inf
        return max(self._guides[deviation.quantity], min(most, SAFETY * self.noise(deviation)))


def kind(tensor: str | None) -> str:
    """Return what a tensor is: the last part of its name, such as ``kernel``."""
    return (tensor or "").rpartition(".")[2]


def exactness(off: float, precision: str) -> Deviation:
    """Return how near logits, or outputs, are that are `off` by so much: above 1, float32 has computed them."""
    return Deviation("reduced precision", 0, None, FLOAT32[precision] / off if off else inf)
