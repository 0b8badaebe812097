"""A data set as workers read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rosettabench.data.on_shelf import OnShelf
from rosettabench.data.readers.pictures import Pictures
from rosettabench.data.series.series import PreparedSeries

PARTS = ("train", "test")
ARRAYS = ("inputs", "labels")


@dataclass(frozen=True)
class Part:
    """The training or the test part: two .npy files with the inputs, (samples, …), and the labels of `Portion`."""

    inputs: Path
    labels: Path
    samples: int


@dataclass(frozen=True)
class Prepared(OnShelf):
    """A data set ready for workers."""

    train: Part
    test: Part
    pictures: Pictures | None = None
    """The picture files of the training part, if they were asked for."""
    series: PreparedSeries | None = None
    """The time series, if the samples are windows of them. The test part is the last window of each."""


def parts(folder: Path, samples: Mapping[str, int]) -> tuple[Part, Part]:
    """Return the training and the test part of a prepared folder; `samples` holds the samples of each."""
    train, test = (Part(folder / f"{part}_inputs.npy", folder / f"{part}_labels.npy", samples[part]) for part in PARTS)
    return train, test


def array_files(folder: Path) -> list[Path]:
    """Return the paths of the four arrays in a prepared folder."""
    return [folder / f"{part}_{array}.npy" for part in PARTS for array in ARRAYS]
