"""Decode a picture file with Pillow."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError


def square(path: Path, *sides: int, resampling: str = "bilinear") -> NDArray[np.uint8]:
    """Return the image at `path` as (side, side, 3): red, green and blue of each pixel.

    It is stretched to the first of `sides`, then to the next, with the `resampling` filter of Pillow: bilinear, which
    averages over all covered pixels when it shrinks, or nearest, which takes the pixel that contains the centre of the
    new one. Raises DataError if the file is not a complete image.
    """
    from PIL import Image

    picture = decode_picture(path)
    for side in sides:
        picture = picture.resize((side, side), Image.Resampling[resampling.upper()])
    return np.asarray(picture)


def decode_picture(path: Path) -> Any:  # noqa: ANN401 (a PIL.Image.Image: the module is imported late)
    """Return the image at `path` in the mode RGB. Transparency is dropped."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            return picture.convert("RGB")
    except (OSError, SyntaxError, ValueError, zlib.error, Image.DecompressionBombError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system, not of the image
            raise
        why = "is empty" if path.stat().st_size == 0 else f"is cut off, damaged or no picture ({error})"
        raise DataError(f"{path} {why}.", "Fetch it again, or remove it.") from error
