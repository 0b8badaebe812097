"""Likely causes of devices that hold different numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rosettabench.proof.causes.case import Case
from rosettabench.proof.comparison import relative
from rosettabench.proof.walk import Array, Files, read_array


def not_averaged(case: Case) -> Iterator[str]:
    """Test for gradients that are each device's own: their mean is the gradient of the batch, or their sum is."""
    assert case.found is not None
    name = str(case.divergence.tensor).partition(" of device ")[0]
    if name not in case.found.gradients:
        yield "the group has fewer devices than asked for, or more"
        return
    every = [case.found.gradients, *(other.gradients for other in case.found.others)]
    mean, exact = mean_of(every, name), read_array(case.exact.gradients, name)
    if relative(mean, exact) < case.fits:
        yield "the gradients are not averaged: each device keeps those of its own share of the batch"
    if relative(len(every) * mean, exact) < case.fits:
        yield "the gradients are not summed up: each device keeps its own part of the sum"


def not_updated(case: Case) -> Iterator[str]:
    """Test for a device whose parameters stay where the step began, or that lost touch in an earlier step."""
    assert case.found is not None
    name = str(case.divergence.tensor).partition(" of device ")[0]
    if name not in case.found.gradients:
        yield from own_statistics(case, name)
        return
    before = case.weights()
    for other in case.found.others:
        if all(np.array_equal(read_array(other.parameters, name), before[name].astype("float32")) for name in before):
            yield f"device {other.number} is not updated: its parameters stay where they were"
    yield "the devices apply different updates, although their gradients are the same"


def own_statistics(case: Case, name: str) -> Iterator[str]:
    """Test for a running mean or variance that is each device's own: then their mean is that of the batch."""
    assert case.found is not None
    mean = mean_of([case.found.parameters, *(other.parameters for other in case.found.others)], name)
    if relative(mean, read_array(case.exact.parameters, name)) < case.fits:
        yield "the running statistics are not averaged: each device keeps those of its own share of the batch"
    yield "the devices keep different running statistics"


def mean_of(every: Sequence[Files], name: str) -> Array:
    """Return the mean of a tensor over the files of all devices."""
    return np.asarray(np.mean([read_array(files, name) for files in every], axis=0))
