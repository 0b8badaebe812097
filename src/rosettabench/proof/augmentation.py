"""Check a loader's augmentation of some pictures over many batches.

The few steps of a walk already show, number by number, that a batch is the one that was drawn. This check shows how
often pictures are flipped, and where they are cropped, over many batches, and in blocks that all workers of a loader
share. The loader's own report is not used: each sample is searched among all crops of its picture and of the mirror
image, and the match shows its crop and flip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from rosettabench.catalogue.data_entry import Augmentation
from rosettabench.client.batches import draw_rows
from rosettabench.client.session import Session
from rosettabench.data.readers.pictures import Pictures
from rosettabench.files import save_array
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.walk import Array, read_array

PICTURES = 8
"""Number of pictures, each used repeatedly."""

SAMPLES = 1_024
"""Fewest samples that are checked: the share of flipped ones then has a standard error of 0.016."""

UNDRAWN = 64
"""Fewest samples that are checked if nothing is random."""

BLOCK = 64
"""Fewest samples in one block."""

POINTS = 8
"""Pixels on each diagonal that are compared first, before a whole crop is."""


@dataclass(frozen=True)
class StraySample:
    """A sample that is not a crop of its picture: the sample (`brought`), its picture, that picture scaled, others."""

    brought: Array
    picture: Array
    small: Array
    others: list[Array]


@dataclass(frozen=True)
class AugmentedSamples:
    """The samples that a loader returned: `found` is top, left and flip of each, -1 if it is not a crop of its picture.

    `drawn` is what its row asks for, `as_drawn` whether they are equal. `lost` is the first sample that was not found,
    if any.
    """

    stated: Augmentation
    places: int
    batch_size: int
    drawn: NDArray[np.int64]
    found: NDArray[np.int64]
    as_drawn: NDArray[np.bool_]
    lost: StraySample | None

    def deviations(self) -> Iterator[Deviation]:
        """Yield the deviations from the stated augmentation: numbers of wrong samples, or standard errors."""
        wrong = int((self.found < 0).any(axis=1).sum())
        yield Deviation("augmentation pictures", None, None, float(wrong))
        if wrong:
            return
        top, left, flipped = self.found.T
        chance = self.stated.flip
        if 0 < chance < 1:
            error = sqrt(chance * (1 - chance) / len(flipped))
            yield Deviation("augmentation flips", None, None, abs(float(flipped.mean()) - chance) / error)
        if self.places > 1:
            yield Deviation("augmentation places", None, "rows", unevenness(top, self.places))
            yield Deviation("augmentation places", None, "columns", unevenness(left, self.places))
        alike = (1 - 2 * chance * (1 - chance)) / self.places**2
        if alike < 1:
            for words, apart in (("in a batch", 1), ("in a row", self.batch_size)):
                yield Deviation("augmentation repeats", None, words, self._repeats(apart, alike))
        yield Deviation("augmentation drawn", None, None, float((~self.as_drawn).sum()))

    def _repeats(self, apart: int, alike: float) -> float:
        """Return in standard errors how many samples too many are augmented like the one `apart` places before.

        By chance, two samples are augmented alike with the probability `alike`.
        """
        from scipy.stats import binom, norm

        same = (self.found[apart:] == self.found[:-apart]).all(axis=1)
        return max(0.0, float(norm.isf(binom.sf(same.sum() - 1, len(same), alike))))


def unevenness(places: NDArray[np.int64], among: int) -> float:
    """Return in standard errors how unevenly `places` are spread over 0 … among - 1, by Pearson's chi-square test."""
    from scipy.stats import chisquare, norm

    return max(0.0, float(norm.isf(chisquare(np.bincount(places, minlength=among)).pvalue)))


def look_at_augmentation(session: Session, folder: Path) -> AugmentedSamples:
    """Let a session load many samples of a few pictures, and find the crop and flip of each; restore its batches."""
    work = session.work
    pictures, stated = work.data.pictures, work.workload.data.augmentation
    assert pictures is not None
    places = stated.places(pictures.side)
    wanted = SAMPLES if places > 1 or 0 < stated.flip < 1 else UNDRAWN
    rows = draw_rows(work.workload, work.data, work.setting, ceil(wanted / work.setting.batch_size))
    rows[..., 0] %= min(PICTURES, work.data.train.samples)
    folder.mkdir(parents=True, exist_ok=True)
    save_array(folder / "rows.npy", rows)
    before = session.rows
    session.hand_rows(folder / "rows.npy")
    seen = find_all(bring(session, rows, folder / "brought"), rows, pictures, stated)
    session.hand_rows(before)
    return seen


def bring(session: Session, rows: NDArray[np.int64], folder: Path) -> Iterator[Array]:
    """Yield all samples of `rows` as the session's loader returns them, several rows at a time."""
    at_once = max(2 * session.work.setting.workers, ceil(BLOCK / session.work.setting.batch_size))
    for first in range(0, len(rows), at_once):
        steps = min(at_once, len(rows) - first)
        files = session.ask("batch", step=first, steps=steps, folder=str(folder))["files"]
        yield from np.array(read_array(files, "inputs"))


def find_all(
    brought: Iterator[Array], rows: NDArray[np.int64], pictures: Pictures, stated: Augmentation
) -> AugmentedSamples:
    """Find every loaded sample among the crops of its picture."""
    side, stored = pictures.side, stated.stored_side(pictures.side)
    whole = [as_fed(pictures.stretch(number, stored)) for number in range(rows[..., 0].max() + 1)]
    choose = np.random.default_rng(0)  # among equal crops at random: taking the first would skew the shares
    drawn = rows.reshape(-1, rows.shape[-1])
    found, as_drawn, lost = np.full((len(drawn), 3), -1), np.zeros(len(drawn), bool), None
    for number, (sample, (picture, *asked)) in enumerate(zip(brought, drawn.tolist(), strict=False)):
        image = channels_first(sample, side)
        matches = crops_like(image, whole[picture]) if image.shape == (3, side, side) else []
        if matches:
            found[number] = matches[choose.integers(len(matches))]
            as_drawn[number] = tuple(asked) in matches
        elif lost is None:
            small = as_fed(pictures.stretch(picture, side))
            lost = StraySample(image, whole[picture], small, whole[:picture] + whole[picture + 1 :])
    return AugmentedSamples(stated, stored - side + 1, rows.shape[1], drawn[:, 1:], found, as_drawn, lost)


def as_fed(numbers: Array) -> Array:
    """Return a picture's numbers as they are fed to a model: bytes are divided by 255."""
    return np.divide(numbers, np.float32(255), dtype=np.float32) if numbers.dtype == np.uint8 else numbers


def channels_first(sample: Array, side: int) -> Array:
    """Return a sample of either layout as (3, height, width)."""
    return sample.transpose(2, 0, 1) if sample.shape == (side, side, 3) else sample


def crops_like(sample: Array, picture: Array) -> list[tuple[int, int, int]]:
    """Return top, left and flip of all crops of a picture, (3, stored, stored), that equal a sample."""
    windows = sliding_window_view(picture, sample.shape[1:], (1, 2))
    steps = np.linspace(0, len(sample[0]) - 1, POINTS).astype(int)
    matches = []
    for flip in (0, 1):
        own = sample[..., ::-1] if flip else sample
        alike = np.ones(windows.shape[1:3], bool)
        for row, column in [*zip(steps, steps, strict=True), *zip(steps, steps[::-1], strict=True)]:
            alike &= (windows[..., row, column] == own[:, row, column][:, None, None]).all(axis=0)
        places = [(int(top), int(left)) for top, left in np.argwhere(alike)]
        matches += [(*place, flip) for place in places if np.array_equal(windows[(slice(None), *place)], own)]
    return matches
