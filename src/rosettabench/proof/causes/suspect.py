"""Sample paths that failed, and the means to draw others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosettabench.proof.sampling import Sampled, Sampling
from rosettabench.proof.walk import Array
from rosettabench.statistics.uniformity import off_uniform

FITS = 3.3
"""Standard errors up to which a suspicion explains what was drawn: by chance, one right one in a thousand is further
off."""


@dataclass(frozen=True)
class Suspect:
    """What failed, and the means to look at it once more."""

    found: Sampled
    sampling: Sampling

    def explains(self, uniform: Array) -> bool:
        """Whether transforms are uniform, all together and step by step."""
        rows = uniform.reshape(-1, uniform.shape[2]).T
        return bool(np.isfinite(uniform).all()) and max(off_uniform(rows), off_uniform(uniform.ravel()[None])) < FITS
