"""One picture file, decoded by Pillow."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError


def square(path: Path, *sides: int, resampling: str = "bilinear") -> NDArray[np.uint8]:
    """Return the picture at `path` as (side, side, 3): red, green and blue of each pixel.

    It is stretched to the first of `sides`, and from there to the next one, by Pillow's filter of that name: bilinear,
    which averages over all pixels where it makes smaller, or nearest, the pixel in which the middle of the new one
    lies. Raise DataError where the file is not a whole picture.
    """
    from PIL import Image

    picture = decode_picture(path)
    for side in sides:
        picture = picture.resize((side, side), Image.Resampling[resampling.upper()])
    return np.asarray(picture)


def decode_picture(path: Path) -> Any:  # noqa: ANN401 (a PIL.Image.Image: the module is imported late)
    """Return the picture at `path` in the mode RGB; what it says of transparency is dropped."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            return picture.convert("RGB")
    except (OSError, SyntaxError, ValueError, zlib.error, Image.DecompressionBombError) as error:
        if getattr(error, "errno", None) is not None:  # the system refused it: that is no fault of the picture
            raise
        why = "is empty" if path.stat().st_size == 0 else f"is cut off, damaged or no picture ({error})"
        raise DataError(f"{path} {why}.", "Fetch it again, or remove it.") from error
