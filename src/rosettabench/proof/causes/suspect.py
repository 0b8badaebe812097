"""Sample paths that failed their check, and the means to draw others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosettabench.proof.sampling import Sampled, Sampling
from rosettabench.proof.walk import Array
from rosettabench.statistics.uniformity import off_uniform

FITS = 3.3
"""Standard errors up to which a suspicion explains the paths; by chance, one right one in a thousand exceeds it."""


@dataclass(frozen=True)
class Suspect:
    """The paths that failed, and the means to draw others."""

    found: Sampled
    sampling: Sampling

    def explains(self, uniform: Array) -> bool:
        """Return whether transforms are uniform, all together and step by step."""
        rows = uniform.reshape(-1, uniform.shape[2]).T
        return bool(np.isfinite(uniform).all()) and max(off_uniform(rows), off_uniform(uniform.ravel()[None])) < FITS
