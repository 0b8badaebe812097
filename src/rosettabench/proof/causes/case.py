"""The case of a failed proof: the numbers from which its cause is sought."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosettabench.catalogue.optimizer import Optimizer
from rosettabench.catalogue.workload import Normalisation, RecurrentLayer
from rosettabench.proof.augmentation import AugmentedSamples
from rosettabench.proof.causes.suspect import Suspect
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.reference import Reference
from rosettabench.proof.tolerance import MIXED
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import Array, Walked, read_array
from rosettabench.proof.weights import Weights

FITS = 1e-3
"""A suspicion fits if it explains the contender's numbers to this relative deviation: a thousand times float32
round-off, and a hundred times less than the mistakes that it distinguishes."""

UNKNOWN_CAUSE = "unknown: nothing that was tried explains the numbers"
"""The sentence if no suspicion fits."""


@dataclass(frozen=True)
class Case:
    """A failed proof: the first divergence, the contender's step, the reference, and what the proof observed.

    `again` returns the contender's logits of one batch, computed again at each call. In the tensors `lazy`, only the
    rows that a batch names are updated. `own` has the contender's own gradients; in a `mixed` precision, parameters are
    compared only with the updates from these.
    """

    divergence: Deviation
    found: Walked | None
    reference: Reference
    optimizer: Optimizer
    again: Callable[[], Array]
    normalisation: Normalisation | None = None
    lazy: tuple[str, ...] = ()
    own: OwnUpdates | None = None
    mixed: bool = False
    seen: AugmentedSamples | None = None
    drawn: Suspect | None = None
    recurrent: Mapping[str, RecurrentLayer] = field(default_factory=dict)

    @property
    def exact(self) -> Walked:
        """The reference's step."""
        return self.reference.steps[self.divergence.step or 0]

    @property
    def fits(self) -> float:
        """FITS; in mixed precision, the guide of a gradient."""
        return MIXED[self.own.precision]["gradient"] if self.own and self.mixed else FITS

    def explains(self, off: float) -> bool:
        """Return whether a suspicion with the remaining deviation `off` explains most of the deviation."""
        return off < self.divergence.value / 5

    def weights(self) -> Weights:
        """The reference's parameters before this step."""
        step = self.divergence.step or 0
        files = self.reference.begin_of(step)
        return {name: np.array(read_array(files, name)) for name in self.reference.start}


def numbers(case: Case, name: str) -> tuple[Array, Array]:
    """Return the contender's array and the reference's: a gradient, or ``logits``."""
    assert case.found is not None
    return read_array(case.found.gradients, name), read_array(case.exact.gradients, name)


def softmax(logits: Any) -> Array:  # noqa: ANN401 (any real array)
    """Return the softmax over the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True))
