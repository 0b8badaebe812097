"""The picture files of a data set, for a framework's own loader: their paths, and the conversion to numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.readers.picture import square
from rosettabench.errors import DataError


@dataclass(frozen=True)
class Rendering:
    """The conversion of decoded images to a model's numbers, the same for all images of a data set.

    `resampling` is Pillow's filter for changes of size: ``bilinear`` or ``nearest``. Without a `mean`, images stay
    bytes. Otherwise they are divided by 255; then the mean of each colour is subtracted, and the result divided by its
    `deviation`.
    """

    resampling: str
    mean: tuple[float, ...] | None = None
    deviation: tuple[float, ...] | None = None

    def numbers(self, pixels: NDArray[np.uint8]) -> NDArray[Any]:
        """Return bytes, (height, width, 3), as (3, height, width): float32, or bytes without a mean."""
        if self.mean is None:
            return pixels.transpose(2, 0, 1)
        unit = np.divide(pixels, np.float32(255), dtype=np.float32)
        standard = (unit - np.array(self.mean, np.float32)) / np.array(self.deviation, np.float32)
        return standard.transpose(2, 0, 1)


class PictureFile(NamedTuple):
    """A file as it was when the data set was prepared: its path, its size in bytes, and its modification time."""

    path: str
    size: int
    changed_ns: int

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the file at `path` as it is now."""
        status = path.stat()
        return cls(str(path), status.st_size, status.st_mtime_ns)


@dataclass(frozen=True)
class Pictures:
    """The files of a training part, in the order of its arrays, and the side in pixels of a model's input."""

    files: tuple[PictureFile, ...]
    side: int
    rendering: Rendering

    @classmethod
    def of(cls, paths: Iterable[Path], side: int, rendering: Rendering) -> Self:
        """Return the images at `paths` as they are now."""
        return cls(tuple(map(PictureFile.at, paths)), side, rendering)

    def stretch(self, number: int, stored: int) -> NDArray[Any]:
        """Return image `number`, resized to (3, stored, stored). Raises DataError if the file is missing or damaged."""
        path = Path(self.files[number].path)
        try:
            return self.rendering.numbers(square(path, stored, resampling=self.rendering.resampling))
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}.", "Put it back.") from error

    def as_json(self, stored: int) -> dict[str, Any]:
        """Return what a worker must know of the images: docs/reference/protocol.md, `data`."""
        rendering = self.rendering
        return {
            "files": [list(file) for file in self.files],
            "stored": stored,
            "side": self.side,
            "resampling": rendering.resampling,
            "mean": rendering.mean,
            "deviation": rendering.deviation,
        }
