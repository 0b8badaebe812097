"""Fashion-MNIST: 60,000 + 10,000 grey images of clothes, 28×28, ten classes (https://github.com/zalandoresearch/fashion-mnist)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.idx import read_idx
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError, UsageError

ORIGIN = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"

FILES = {
    "train images": "train-images-idx3-ubyte",
    "train labels": "train-labels-idx1-ubyte",
    "test images": "t10k-images-idx3-ubyte",
    "test labels": "t10k-labels-idx1-ubyte",
}

PUBLISHED_MD5 = {
    "train images": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train labels": "25c81989df183df01b3e8a0aad5dffbe",
    "test images": "bef4ecab320f06d8554ea6380940ec79",
    "test labels": "bb300cfdad3c16e7a12a480ee83cd310",
}
"""The md5 of the .gz files, from the README of the data set's repository."""

REMOTES = tuple(
    Remote(f"{file}.gz", f"{ORIGIN}{file}.gz", f"md5:{PUBLISHED_MD5[word]}") for word, file in FILES.items()
)

CONTENT_SHA256 = {
    "train images": "2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012",
    "train labels": "657fbd221bfc9f4198cc14b5619cc33ec57c58dd0e47af4d99d6650759e869a7",
    "test images": "c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a",
    "test labels": "3d0e6c6ea990b53b6f8f500a41cac93881d981b315f84578b7d915342ade01e9",
}
"""The sha256 of the numbers without gzip and header, from files with the published md5. So an unpacked or recompressed
file is accepted, and a file of MNIST with the same name and size is not."""


@dataclass(frozen=True)
class FashionMnist:
    """Fashion-MNIST as float32 in [0, 1], byte / 255 computed in float32, and int32 labels.

    Its form is ``{shape = […]}``: any shape of 784 elements, row by row.
    """

    samples: Mapping[str, int] = field(default_factory=lambda: {"train": 60_000, "test": 10_000})
    content: Mapping[str, str] = field(default_factory=lambda: CONTENT_SHA256)
    remotes: tuple[Remote, ...] = REMOTES
    name: ClassVar[str] = "fashion-mnist"
    title: ClassVar[str] = "Fashion-MNIST"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is a shape of 784 elements."""
        shape = form.get("shape")
        if set(form) != {"shape"} or not isinstance(shape, list | tuple) or not all(type(n) is int for n in shape):
            raise UsageError(f"fashion-mnist takes the form {{shape = […]}}, not {dict(form)}.")
        if min(shape, default=0) < 1 or math.prod(shape) != 28 * 28:
            raise UsageError(f"fashion-mnist has 784 pixels an image; the shape {list(shape)} has not.")

    def find(self, folder: Path) -> Source | None:
        """Return the four files in `folder`, each compressed or not; see DataSet.find."""
        paths = {}
        for word, file in FILES.items():
            for path in (folder / f"{file}.gz", folder / file):
                if path.is_file():
                    paths[word] = path
                    break
        if not paths:
            return None
        missing = [f"{file}.gz" for word, file in FILES.items() if word not in paths]
        if missing:
            raise DataError(
                f"{folder} holds some files of Fashion-MNIST, but not {' and '.join(missing)}.",
                "Put the missing files beside the others, or name another data folder.",
            )
        return Source(folder, paths)

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        for part, samples in self.samples.items():
            progress(f"reading Fashion-MNIST, {part}")
            images = self._check_array(source, f"{part} images", (samples, 28, 28))
            labels = self._check_array(source, f"{part} labels", (samples,))
            yield _portion(part, images, labels, form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic images of ten classes; see DataSet.stand_in."""
        for part, samples in self.samples.items():
            yield _portion(part, *stand_in.images(part, samples), form)

    def _check_array(self, source: Source, word: str, shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """Return the array of one file. Raises DataError if its numbers are not Fashion-MNIST's."""
        array = read_idx(source.paths[word], shape)
        found = hashlib.sha256(array.data).hexdigest()
        if found != self.content[word]:
            raise DataError(
                f"{source.paths[word]} is not Fashion-MNIST's: the sha256 of its numbers is {found[:16]}…, "
                f"where {self.content[word][:16]}… was expected.",
                "Fetch it again; MNIST's own files have the same names and sizes.",
            )
        return array


def _portion(part: str, images: NDArray[np.uint8], labels: NDArray[np.uint8], form: Mapping[str, Any]) -> Portion:
    """Return bytes as float32 inputs and int32 labels."""
    pixels = np.divide(images, np.float32(255), dtype=np.float32)
    return Portion(part, pixels.reshape(-1, *form["shape"]), labels.astype(np.int32))
