"""Prepared time series of different lengths: four memory-mapped .npy files in the cache.

``values.npy``, float64, holds the values of all series one after the other, NaN if missing. ``offsets.npy``, int64,
holds the index of each series' first value and, last, the total length. ``starts.npy``, int64, holds the time of each
first observation in seconds since 1970, as in NumPy's datetime64[s]; NaT if unknown. ``names.npy``, bytes, holds the
names in UTF-8, separated by line feeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.on_shelf import OnShelf
from rosettabench.data.series.frequency import Frequency
from rosettabench.files import save_array

ARRAYS = ("values", "offsets", "starts", "names")
"""The files of a prepared set, in the order of the digest."""


class Series(NamedTuple):
    """One time series: its name, the time of its first observation, None if unknown, and its values, NaN if missing."""

    name: str
    start: datetime | None
    values: NDArray[np.float64]


class Collection(NamedTuple):
    """Series in memory, of one frequency, and the number of observations to forecast for each."""

    frequency: Frequency
    horizon: int
    series: list[Series]


@dataclass(frozen=True)
class PreparedSeries(OnShelf):
    """A prepared set of time series: a sequence of `Series` whose values are in memory-mapped files."""

    frequency: Frequency
    context: int
    """The observations in a model's context."""
    horizon: int
    """The observations at the end of each series that are to be forecast, and that training does not see."""

    def __len__(self) -> int:
        """Return the number of series."""
        return len(self.arrays["offsets"]) - 1

    def __getitem__(self, place: int) -> Series:
        """Return the complete series at a place, counted from 0."""
        if not 0 <= place < len(self):
            raise IndexError(place)
        begin, end = self.arrays["offsets"][place : place + 2]
        start = self.arrays["starts"].view("datetime64[s]")[place].item()
        return Series(self.names[place], start, self.arrays["values"][begin:end])

    def __iter__(self) -> Iterator[Series]:
        """Iterate over the series."""
        return (self[place] for place in range(len(self)))

    def training(self, place: int) -> Series:
        """Return the part of a series for training: all but the last `horizon` observations."""
        series = self[place]
        return series._replace(values=series.values[: -self.horizon])

    def truth(self, place: int) -> NDArray[np.float64]:
        """Return the last `horizon` observations of a series, with which forecasts are compared."""
        return self[place].values[-self.horizon :]

    @cached_property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The four arrays, memory-mapped, by the names in ARRAYS."""
        return {name: np.load(path, mmap_mode="r") for name, path in zip(ARRAYS, files(self.folder), strict=True)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all series."""
        return tuple(self.arrays["names"].tobytes().decode().split("\n"))


def files(folder: Path) -> list[Path]:
    """Return the paths of the four arrays in a prepared folder."""
    return [folder / f"{name}.npy" for name in ARRAYS]


def save(folder: Path, series: Iterable[Series]) -> dict[str, int]:
    """Write the four arrays. Return the numbers of series, values, missing values and unknown starts."""
    kept = list(series)
    values = np.concatenate([one.values for one in kept])
    offsets = np.cumsum([0, *(len(one.values) for one in kept)], dtype=np.int64)
    starts = np.array([one.start for one in kept], "datetime64[s]").view(np.int64)
    names = np.frombuffer("\n".join(one.name for one in kept).encode(), np.uint8)
    arrays: tuple[NDArray[Any], ...] = (values, offsets, starts, names)
    for path, array in zip(files(folder), arrays, strict=True):
        save_array(path, array)
    unknown = sum(one.start is None for one in kept)
    return {
        "series": len(kept),
        "values": len(values),
        "missing": int(np.isnan(values).sum()),
        "without start": unknown,
    }
