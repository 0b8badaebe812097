"""Read folders of images, one folder for each class, and convert images to numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.readers.picture import square
from rosettabench.errors import DataError

ENDINGS = (".jpeg", ".jpg", ".png")
"""File suffixes of images, in lower or upper case. Other files in the folders are skipped."""


class Labelled(NamedTuple):
    """An image and its class, counted from 0."""

    path: Path
    label: int


def class_folders(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """Return the folders in `folder` with the names of classes, sorted by name."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if names.fullmatch(path.name) and path.is_dir())


def images_in(folder: Path) -> list[Path]:
    """Return the images directly in `folder`, sorted by name. Raises DataError if there are none."""
    images = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    if not images:
        raise DataError(
            f"{folder} holds no image ({', '.join(ENDINGS)}): the class is empty.",
            "Fetch its images again, or move the folder away.",
        )
    return images


def spread(images: list[Labelled], most: int) -> list[Labelled]:
    """Return `images`, or `most` of them, evenly spread, if there are more."""
    if len(images) <= most:
        return images
    return [images[place * len(images) // most] for place in range(most)]


def pixels(path: Path, size: int) -> NDArray[np.uint8]:
    """Return an image as bytes, (3, size, size): red, green and blue, each row by row.

    The image is stretched to a square. Each new pixel takes the value of the old pixel that contains its centre. Raises
    DataError if the file is not a complete image.
    """
    return square(path, size, resampling="nearest").transpose(2, 0, 1)
