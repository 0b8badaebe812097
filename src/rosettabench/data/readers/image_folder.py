"""Folders of images, one folder for each class, and how an image becomes numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.readers.picture import square
from rosettabench.errors import DataError

ENDINGS = (".jpeg", ".jpg", ".png")
"""What the names of images end in, in small letters or large ones; other files in the folders are passed over."""


class Labelled(NamedTuple):
    """An image, and its class, counted from 0."""

    path: Path
    label: int


def class_folders(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """Return the folders in `folder` that are named as classes are, by name."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if names.fullmatch(path.name) and path.is_dir())


def images_in(folder: Path) -> list[Path]:
    """Return the images that lie in `folder` itself, by name; raise DataError where there is none."""
    images = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    if not images:
        raise DataError(
            f"{folder} holds no image ({', '.join(ENDINGS)}): the class is empty.",
            "Fetch its images again, or move the folder away.",
        )
    return images


def spread(images: list[Labelled], most: int) -> list[Labelled]:
    """Return `images`, or `most` of them where there are more, evenly spread over all."""
    if len(images) <= most:
        return images
    return [images[place * len(images) // most] for place in range(most)]


def pixels(path: Path, size: int) -> NDArray[np.uint8]:
    """Return an image as bytes, (3, size, size): red, green and blue, each row by row.

    It is resized without regard to its aspect, to the nearest pixel: the one in which the middle of the new pixel lies.
    Raises DataError where the file is not a whole picture.
    """
    return square(path, size, resampling="nearest").transpose(2, 0, 1)
