"""The protocol of a data set: where its originals are, how they are read, and what its stand-in is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.pictures import Rendering


class Portion(NamedTuple):
    """One part of a data set in memory, in the form of a workload."""

    part: str
    """``train`` or ``test``."""
    inputs: NDArray[Any]
    """(samples, …): float32, whole numbers, or images as bytes, which every worker divides by 255."""
    labels: NDArray[np.int32] | NDArray[np.float32]
    """(samples,) int32, classes counted from 0; or (samples, labels) float32, 0 or 1, if a sample may have several
    labels; or (samples, numbers) float32, to which the outputs are to come near; or (samples, steps, 2) float32 for
    time series: the value of each step, and its weight, 1, or 0 if the value is missing."""


@dataclass(frozen=True)
class Remote:
    """A file at its original source, and its published checksum (``md5:…`` or ``sha256:…``)."""

    file: str
    url: str
    checksum: str


@dataclass(frozen=True)
class Source:
    """The originals of a data set, found in one folder: {the data set's own key: file or folder}."""

    folder: Path
    paths: Mapping[str, Path]
    part: str = ""
    """The available part of an incomplete set, ``20,000 of 50,000 training images``; "" for a complete one."""


class Original(Protocol):
    """Originals that can be looked for: in the user's folder, or else at their source."""

    @property
    def name(self) -> str:
        """The name of its folder in the user's data folder; for a data set, also its name in a ``[data]`` table."""

    @property
    def title(self) -> str:
        """Its usual name."""

    @property
    def version(self) -> int:
        """The version of the preparation: increased when the same originals give other numbers."""

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """The files to download; empty if the user must provide them."""

    @property
    def drawn(self) -> bool:
        """Whether its definition is to be drawn at random: then there are no originals to look for."""

    def find(self, folder: Path) -> Source | None:
        """Return the originals in `folder`; None if there are none. Raises DataError if some of them are missing."""


class DataSet(Original, Protocol):
    """A data set. To add one, write a class with these members and enter it in ``registry.SETS``."""

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError if this data set does not support `form`."""

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts in `form`. Raises DataError, with the file, if a file differs from the published one."""

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic parts of the same shapes and sizes: always the same, and a model can learn from them."""


@runtime_checkable
class PictureSet(DataSet, Protocol):
    """A data set whose samples are picture files, which a framework's own loader can read from disk."""

    @property
    def rendering(self) -> Rendering:
        """The conversion of a decoded image to numbers, the same for every decoder."""

    def picture_files(self, source: Source) -> Sequence[Path]:
        """Return the files of the training part, in the order in which `read` yields them."""
