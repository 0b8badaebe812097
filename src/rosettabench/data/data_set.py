"""What a data set is to this room: where it can be found, how it is read, and what stands in for it."""

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
    """One part of a data set in memory, in the form that a workload asked for."""

    part: str
    """``train`` or ``test``."""
    inputs: NDArray[Any]
    """(samples, …): float32, whole numbers, or images as bytes, which every worker divides by 255."""
    labels: NDArray[np.int32] | NDArray[np.float32]
    """(samples,) int32, classes counted from 0; (samples, labels) float32, 0 or 1, where one may have several; or
    (samples, steps, 2) float32, of a time series in each step its value, and 1 or, where it is missing, 0."""


@dataclass(frozen=True)
class Remote:
    """A file at its original source, and the checksum that was published for it (``md5:…`` or ``sha256:…``)."""

    file: str
    url: str
    checksum: str


@dataclass(frozen=True)
class Source:
    """The originals of a data set, found in one folder: {the data set's own word for it: file or folder}."""

    folder: Path
    paths: Mapping[str, Path]
    part: str = ""
    """Of a set that may be used in part: how much of it is here, ``20,000 of 50,000 training images``."""


class Original(Protocol):
    """What is looked for: in the user's folder, else at its source."""

    @property
    def name(self) -> str:
        """The name of its folder in the user's data folder; of a data set, also what a ``[data]`` table calls it."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def version(self) -> int:
        """Counted up whenever the same originals would be prepared into other numbers."""

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """Files that make it up where nobody has it yet; none where it must be brought by the user."""

    @property
    def drawn(self) -> bool:
        """Whether the project draws it, by definition: then nobody has originals of it, and it is never looked for."""

    def find(self, folder: Path) -> Source | None:
        """Return the originals that lie in `folder`, None where there are none, DataError where some are missing."""


class DataSet(Original, Protocol):
    """A data set. To add one, write a class with these members and enter it in ``registry.SETS``."""

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError where `form` is not one that this data set can take."""

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts in `form`. Raise DataError naming the file that is not what was published."""

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield made-up parts of the same shapes and sizes, always the same, from which a model can learn."""


@runtime_checkable
class PictureSet(DataSet, Protocol):
    """A data set whose samples are picture files: a framework's own loader can read them as they lie on disk."""

    @property
    def rendering(self) -> Rendering:
        """What is done to a picture, whoever decodes it."""

    def picture_files(self, source: Source) -> Sequence[Path]:
        """Return the files of the training part, in the order in which `read` yields them."""
