"""Tolerances: how far from the float64 reference an honest float32 computation may be.

They have two sources. The guides are the round-off of float32 itself: 2⁻²⁴ ≈ 6e-8 for one operation, growing with the
square root of the length of a sum (Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2), and again
through each layer in the backward pass. The noise is measured in every proof: the reference in float32, and again from
weights that differ by one unit in the last place, shows for each tensor and step how far round-off is amplified. Adam
needs that: it divides a gradient by its own size, so the round-off of a gradient near zero becomes a full step.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import inf

from rosettabench.proof.comparison import Deviation

GUIDES = {
    "device gradient": 0.0,
    "device parameter": 0.0,
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
    "dropout together": 5.0,
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
"""Relative deviation that float32 may have even if the noise is smaller. Special cases: `margin` is how far float32
moves a unit, over the distance of the nearest unit from its edge. A learning rate may be stored in float32. A wandering
tensor may take the longest steps of its optimiser, plus round-off of its weights. Those of 5.0 and 5.3 are in standard
errors. By chance alone, one check in 1.7 million exceeds 5.0. Six checks of a sampling have 5.3, which one in 8.6
million exceeds: together less than one proof in a million."""

FIRST_LOGITS = 5e-6
"""Guide of the logits of the first step in float32 on a CPU: the round-off of one forward pass, from the same weights.

Honest cells are off by less than a third of it (docs/results/proof-margins.md). On a GPU, where a library may choose
convolutions with more round-off, the guide of all logits holds.
"""


def mixed_guides(unit: float) -> dict[str, float]:
    """Return the guides for a precision that rounds the operands of products by up to `unit`, as a share."""
    forward = dict.fromkeys(("logits", "loss", "evaluation logits", "outputs"), unit)
    backward = dict.fromkeys(("gradient", "state"), 4 * unit)
    dropout = dict.fromkeys(("dropout evaluation", "dropout scale"), 2 * unit)
    return {**GUIDES, **forward, **backward, **dropout, "update": 1e-4}


MIXED = {"bfloat16": mixed_guides(2.0**-8), "tf32": mixed_guides(2.0**-11)}
"""The guides of each mixed precision: bfloat16 has 8 significant bits, TF32 11, including the leading one. Parameters
and their update are float32 in both."""

FLOAT32 = {"bfloat16": 1e-4, "tf32": 1e-5}
"""Largest deviation of logits that were computed in float32 instead: so small a deviation shows that mixed precision is
not in force. For TF32, whose products are off by 3e-4, it is the guide of float32."""

LARGEST = 1e-2
"""Upper limit of the tolerances of a float32 proof that come from noise. A proof whose noise needs more is a bad proof:
change its weights, batch or number of steps."""

SAFETY = 10.0
"""A tolerance is this many times the measured noise.

Two float32 computations of one sum in different orders have round-off with equal distributions, but of different size.
The noise comes from two realisations; their norms over tensors of many elements vary by a factor of a few.
"""

LOSSES = ("loss", "unguided loss")
"""Quantities with one number per step."""

Key = tuple[str, int | None, str | None]


class Tolerances:
    """The tolerance of every quantity, step and tensor, from the noise of the reference."""

    def __init__(self, noise: Iterable[Deviation], precision: str = "float32", device: str = "cpu") -> None:
        """Keep the largest noise of each quantity, step and tensor; precision and device are those of the setting."""
        self._mixed = precision in MIXED
        self._guides = MIXED.get(precision, GUIDES)
        self._first_logits = self._guides["logits"] if self._mixed or device != "cpu" else FIRST_LOGITS
        self._noise: dict[Key, float] = {}
        for deviation in noise:
            key = (deviation.quantity, deviation.step, deviation.tensor)
            self._noise[key] = max(self._noise.get(key, 0.0), deviation.value)
        self._let_losses_last()

    def _let_losses_last(self) -> None:
        """Let the noise of the loss never decrease from one step to the next.

        Round-off in the weights stays there, and tensors always show it. In the loss, a single number, it may cancel at
        a step by chance, and not at the same step in the reference and a contender.
        """
        for name in LOSSES:
            steps = sorted(step for quantity, step, _ in self._noise if quantity == name and step is not None)
            for before, step in pairwise(steps):
                key = (name, step, None)
                self._noise[key] = max(self._noise[key], self._noise[name, before, None])

    def noise(self, deviation: Deviation) -> float:
        """Return how far the float32 reference was off in the same quantity, step and tensor."""
        return self._noise.get((deviation.quantity, deviation.step, deviation.tensor), 0.0)

    def of(self, deviation: Deviation) -> float:
        """Return the tolerance of a deviation."""
        first = deviation.quantity == "logits" and deviation.step == 0
        guide = self._first_logits if first else self._guides[deviation.quantity]
        return max(guide, min(inf if self._mixed else LARGEST, SAFETY * self.noise(deviation)))


def exactness(off: float, precision: str) -> Deviation:
    """Return the deviation for logits or outputs that are too exact: above 1, float32 computed them."""
    return Deviation("reduced precision", 0, None, FLOAT32[precision] / off if off else inf)
