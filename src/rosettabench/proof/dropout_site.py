"""A place where a network drops elements in training: what each probe of dropout looks at."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rosettabench.catalogue.workload import Workload


@dataclass(frozen=True)
class Site:
    """A dropout layer: the layer it follows, and the share of its paths that survive from there to a logit."""

    layer: str
    kept: float


def sites_of_chain(workload: Workload) -> list[Site]:
    """Return the dropout layers of a network whose paths pass one after the other, the last first.

    So the first failure locates the mistake.
    """
    rates = list(workload.dropout.values())
    found = [Site(layer, prod(1 - rate for rate in rates[place:])) for place, layer in enumerate(workload.dropout)]
    return found[::-1]
