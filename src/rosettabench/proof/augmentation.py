"""Augmentation, looked at by itself: what a loader has made of some pictures, over many batches.

That a batch is the one that was drawn is compared number by number, in the few steps of a walk. What is left to show is
how often pictures are flipped, and where they are cropped, over the many batches of a training, and in blocks that all
workers of a loader have a part in. The loader is not asked for it: each sample that it has brought is looked for among
all crops of its picture and of the mirror image, and where it is found tells what was done to it.
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
"""Pictures that are looked at, each of them again and again."""

SAMPLES = 1_024
"""Samples that are looked at, at least: the share of the flipped ones has a standard error of 0.016 then."""

UNDRAWN = 64
"""The same where nothing is random."""

BLOCK = 64
"""Samples that are brought in one block, at least."""

POINTS = 8
"""Pixels of either diagonal by which a crop is looked for, before it is compared as a whole."""


@dataclass(frozen=True)
class Lost:
    """A sample that is no crop of its picture: what was brought, that picture, the same made as small, and others."""

    brought: Array
    picture: Array
    small: Array
    others: list[Array]


@dataclass(frozen=True)
class Seen:
    """What was brought: `found` is top, left and flip of each sample, -1 where it is no crop of its picture.

    `drawn` is what its row asks for, and `as_drawn` whether it is that. `lost` is the first sample that was not found,
    where there is one.
    """

    stated: Augmentation
    places: int
    batch_size: int
    drawn: NDArray[np.int64]
    found: NDArray[np.int64]
    as_drawn: NDArray[np.bool_]
    lost: Lost | None

    def deviations(self) -> Iterator[Deviation]:
        """Yield how far all this is from what is stated: samples that are wrong, or standard errors."""
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
        """Return in standard errors how many samples too many are augmented as another one is, so many places before.

        Two samples are so by chance with the probability `alike`.
        """
        from scipy.stats import binom, norm

        same = (self.found[apart:] == self.found[:-apart]).all(axis=1)
        return max(0.0, float(norm.isf(binom.sf(same.sum() - 1, len(same), alike))))


def unevenness(places: NDArray[np.int64], among: int) -> float:
    """Return in standard errors how unevenly `places` are spread over 0 … among - 1: Pearson's chi-square."""
    from scipy.stats import chisquare, norm

    return max(0.0, float(norm.isf(chisquare(np.bincount(places, minlength=among)).pvalue)))


def look_at_augmentation(session: Session, folder: Path) -> Seen:
    """Let a session bring many samples of a few pictures, and find out what was done to each; put its batches back."""
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
    """Yield all samples of `rows` as the session's loader brings them, several rows at a time."""
    at_once = max(2 * session.work.setting.workers, ceil(BLOCK / session.work.setting.batch_size))
    for first in range(0, len(rows), at_once):
        steps = min(at_once, len(rows) - first)
        files = session.ask("batch", step=first, steps=steps, folder=str(folder))["files"]
        yield from np.array(read_array(files, "inputs"))


def find_all(brought: Iterator[Array], rows: NDArray[np.int64], pictures: Pictures, stated: Augmentation) -> Seen:
    """Find every sample that was brought among the crops of its picture."""
    side, stored = pictures.side, stated.stored(pictures.side)
    whole = [as_fed(pictures.stretch(number, stored)) for number in range(rows[..., 0].max() + 1)]
    choose = np.random.default_rng(0)  # of places that look the same: their share must not depend on which is first
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
            lost = Lost(image, whole[picture], small, whole[:picture] + whole[picture + 1 :])
    return Seen(stated, stored - side + 1, rows.shape[1], drawn[:, 1:], found, as_drawn, lost)


def as_fed(numbers: Array) -> Array:
    """Return a picture's numbers as a model is fed them: bytes are divided by 255."""
    return np.divide(numbers, np.float32(255), dtype=np.float32) if numbers.dtype == np.uint8 else numbers


def channels_first(sample: Array, side: int) -> Array:
    """Return a sample as (3, height, width), whichever of the two layouts it has."""
    return sample.transpose(2, 0, 1) if sample.shape == (side, side, 3) else sample


def crops_like(sample: Array, picture: Array) -> list[tuple[int, int, int]]:
    """Return top, left and flip of all crops of a picture, (3, stored, stored), to which a sample is equal."""
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
