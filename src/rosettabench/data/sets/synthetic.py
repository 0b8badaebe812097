"""Random images and classes for workloads that only need speed: the same everywhere, nothing to learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.errors import UsageError

SEEDS = {"train": 1, "test": 2}
"""The key of a part's Philox stream; for its labels, 10 more."""

CHUNK = 64
"""Images that are drawn at once: their float64 values stay small against the whole."""

Floats = NDArray[np.float32]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Synthetic:
    """Images as float32, and int32 labels, drawn independently of each other.

    Its form is ``{shape = […], values = "bytes", classes = 1000, train = 1000, test = 100}``: `train` and `test` are
    the numbers of images in each part. `values` are ``bytes``, integers from 0 to 254 divided by 255, or ``uniform``,
    float64 in [0, 1) rounded to float32. Without `classes` all labels are 0.
    """

    name: ClassVar[str] = "synthetic"
    title: ClassVar[str] = "Synthetic images"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = True
    remotes: ClassVar[tuple[Remote, ...]] = ()

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is as the class describes it."""
        shape, classes = form.get("shape"), form.get("classes", 1)
        counts = [form.get("train"), form.get("test"), classes]
        if not isinstance(shape, list | tuple) or any(type(one) is not int for one in (*shape, *counts)):
            raise UsageError(
                f"synthetic takes the form {{shape = […], values, classes, train, test}}, not {dict(form)}."
            )
        if set(form) - {"shape", "values", "classes", "train", "test"} or form.get("values") not in VALUES:
            raise UsageError(
                f"synthetic has the values {' or '.join(VALUES)}, and no others; asked for was {dict(form)}."
            )
        if min(shape, default=0) < 1 or min(form["train"], classes) < 1 or form["test"] < 0:
            raise UsageError(f"synthetic needs at least one number in an image, image and class, not {dict(form)}.")

    def find(self, folder: Path) -> Source | None:
        """Return None: there are no originals."""
        return None

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Draw both parts; see DataSet.read."""
        for part in SEEDS:
            progress(f"drawing images, {part}")
            yield draw(part, form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield the same as `read`, since all of it is drawn."""
        for part in SEEDS:
            yield draw(part, form)


def draw(part: str, form: Mapping[str, Any]) -> Portion:
    """Return one part in `form`."""
    samples, shape = form[part], tuple(form["shape"])
    images = np.empty((samples, *shape), np.float32)
    chunks = VALUES[form["values"]](part)
    for start in range(0, samples, CHUNK):
        own = images[start : start + CHUNK]
        own[:] = chunks((len(own), *shape))
    stream = np.random.Generator(np.random.Philox(key=SEEDS[part] + 10))
    labels = (stream.random(samples) * form.get("classes", 1)).astype(np.int32)
    return Portion(part, images, labels)


def byte_values(part: str) -> Callable[[Shape], Floats]:
    """Return a function that draws integers from 0 to 254, divided by 255 in float32, chunk by chunk."""
    stream = np.random.Generator(np.random.Philox(key=SEEDS[part]))

    def chunk(shape: Shape) -> Floats:
        """Draw images of whole grey levels, of this shape."""
        integers = np.floor(stream.random(prod(shape), np.float32) * np.float32(255))
        images: Floats = np.divide(integers, np.float32(255), dtype=np.float32)
        return images.reshape(shape)

    return chunk


def uniform_values(part: str) -> Callable[[Shape], Floats]:
    """Return a function that draws uniform numbers; for training with seed 0, as in the study "rosetta-2018"."""
    stream = np.random.RandomState(SEEDS[part] - 1)

    def chunk(shape: Shape) -> Floats:
        """Draw images of real numbers, of this shape."""
        return stream.random_sample(shape).astype(np.float32)

    return chunk


VALUES: Mapping[str, Callable[[str], Callable[[Shape], Floats]]] = {"bytes": byte_values, "uniform": uniform_values}
"""{word of the form: function that draws the images of a part}."""
