"""Likely causes of a loader's samples that are not crops of a picture, or whose augmentation is not the stated one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosettabench.proof.augmentation import crops_like
from rosettabench.proof.causes.case import Case
from rosettabench.proof.walk import Array


def no_crop(case: Case) -> Iterator[str]:
    """Explain a sample that is not a crop of its picture, nor of the mirror image."""
    assert case.seen is not None
    lost = case.seen.lost
    if lost is None:
        return
    brought, small = lost.brought, lost.small
    if brought.shape != small.shape:
        yield f"pictures are brought as {by(brought)} numbers where {by(small)} are cut out: the crop does nothing"
    elif any(np.array_equal(brought, one) for one in (small, small[..., ::-1])):
        yield "the whole picture is made smaller where a part of it is to be cut out: the crop does nothing"
    elif crops_like(brought[:, ::-1], lost.picture):
        yield "pictures are turned upside down"
    elif any(crops_like(brought, other) for other in lost.others):
        yield "the pictures are not those of the project's order, or labels and pictures are mixed up"
    else:
        yield "the picture is another one, or decoded, stretched or normalised by other rules"


def augmenting(case: Case) -> Iterator[str]:
    """Yield the mistake of an augmentation."""
    seen = case.seen
    assert seen is not None
    flipped, stated = seen.found[:, 2].mean(), seen.stated.flip
    often = {0.0: "never", 1.0: "always"}.get(flipped, f"with a chance of {flipped:.2f}")
    same = (seen.found[:, :2] == seen.found[0, :2]).all()
    yield {
        "augmentation flips": f"pictures are flipped {often}, and are to be with a chance of {stated:g}",
        "augmentation places": "every crop is taken at the same place: it does nothing at random"
        if same
        else "some places of a crop are taken more often than others: not all of them can be, or not alike",
        "augmentation repeats": "samples are augmented as others before them: a worker repeats another's random "
        "numbers, or all samples of a batch have the same",
        "augmentation drawn": "pictures are augmented at random, but not as the project has drawn it",
    }[case.divergence.quantity]


def by(array: Array) -> str:
    """Return a shape in words: ``3 × 64 × 64``."""
    return " × ".join(map(str, array.shape))
