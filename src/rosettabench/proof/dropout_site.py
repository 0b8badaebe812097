"""A place where a network drops elements in training: what each probe of dropout looks at."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Work
from rosettabench.proof.walk import Array

LOSSES = 640
"""Fewest samples over which the losses of single steps are averaged, where each sample is independent."""


@dataclass(frozen=True)
class Site:
    """A dropout layer: the layer it follows, and the share of its paths that survive from there to a logit."""

    layer: str
    kept: float


@dataclass(frozen=True)
class Paths:
    """The paths of one pass: the value of each, exactly 0 if it was dropped, and which of them are looked at.

    In each direction, neighbours are dropped independently. Without dropout, as in evaluation, each value is 1.
    """

    values: Array
    seen: Array

    @classmethod
    def all_of(cls, values: Array) -> Paths:
        """Return paths that are all looked at."""
        return cls(values, np.ones(values.shape, bool))

    @property
    def looked_at(self) -> Array:
        """The values of those that are looked at."""
        return np.asarray(self.values[self.seen])


class Successive:
    """What the probes of networks share in which each path passes one dropout layer after the other."""

    def sites(self, workload: Workload) -> list[Site]:
        """Return the dropout layers, the last first, so that the first failure locates the mistake."""
        rates = list(workload.dropout.values())
        found = [Site(layer, prod(1 - rate for rate in rates[place:])) for place, layer in enumerate(workload.dropout)]
        return found[::-1]

    def passes(self, _site: Site) -> int:
        """Return how many training passes are looked at: enough to see that none repeats another."""
        return 2

    def steps(self, work: Work, _site: Site) -> int:
        """Return how many single steps have enough samples."""
        return ceil(LOSSES / work.setting.batch_size)
