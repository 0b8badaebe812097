"""Likely causes of a deviating batch, or of a wrong number of samples in a step or an evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosettabench.proof.causes.case import Case
from rosettabench.proof.comparison import canonical_form
from rosettabench.proof.walk import read_array


def rounded_inputs(case: Case) -> Iterator[str]:
    """Test for inputs that were rounded to half precision."""
    assert case.found is not None
    exact = read_array(case.exact.batch, "inputs")
    found = canonical_form(read_array(case.found.batch, "inputs"), exact)
    if found.shape == exact.shape and np.array_equal(found, exact.astype(np.float16)):
        yield "the inputs are rounded to float16"


def rearranged_inputs(case: Case) -> Iterator[str]:
    """Test for the right samples with their values in another order."""
    assert case.found is not None
    exact = read_array(case.exact.batch, "inputs")
    found = canonical_form(read_array(case.found.batch, "inputs"), exact)
    if found.shape == exact.shape and np.array_equal(np.sort(found, axis=-1), np.sort(exact, axis=-1)):
        yield "the samples are right, and the values within them in another order: padded at the other end, or mirrored"


def repeated_share(case: Case) -> Iterator[str]:
    """Test for a device that was fed the share of another one."""
    assert case.found is not None
    devices = 1 + len(case.found.others)
    found, exact = (read_array(files, "labels") for files in (case.found.batch, case.exact.batch))
    if devices == 1 or found.shape != exact.shape:
        return
    shares = np.split(exact, devices)
    for number, share in enumerate(np.split(found, devices)):
        owner = next((one for one, wanted in enumerate(shares) if np.array_equal(share, wanted)), number)
        if owner != number:
            yield f"device {number} trains on the samples of device {owner}: some are trained on twice, others never"


def another_batch(case: Case) -> Iterator[str]:
    """Test for the batch of another step; else say that it is the batch of no step."""
    assert case.found is not None
    found = read_array(case.found.batch, "labels")
    for step in case.reference.steps:
        if np.array_equal(found, read_array(step.batch, "labels")) and step.step != case.found.step:
            yield f"step {case.found.step} was fed the batch of step {step.step}: batches are repeated or out of order"
    yield "the samples are not those of the project's order: unshuffled, or shuffled by the framework itself"


def sample_count(case: Case) -> Iterator[str]:
    """Say that samples are lost or counted twice."""
    if case.divergence.tensor == "evaluation":
        yield "evaluation does not return every sample: the last, partial batch is dropped, or padded"
    else:
        yield "a step does not use the whole batch"
