"""CIFAR-10: 50,000 + 10,000 colour images in ten classes, 32×32 (https://www.cs.toronto.edu/~kriz/cifar.html).

The binary version: records of 3,073 bytes, the class and then 1,024 bytes each of red, green and blue, row by row.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import math
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError, UsageError

ARCHIVE = "cifar-10-binary.tar.gz"
FOLDER = "cifar-10-batches-bin"
FILES = {
    "train": tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
    "test": ("test_batch.bin",),
}
OPENERS: Mapping[str, Callable[..., Any]] = {"": open, ".xz": lzma.LZMAFile, ".gz": gzip.GzipFile}
"""{suffix of a compressed file: function that opens it}."""

PIXELS = 3 * 32 * 32
RECORD = 1 + PIXELS
CLASSES = 10

REMOTES = (Remote(ARCHIVE, f"https://www.cs.toronto.edu/~kriz/{ARCHIVE}", "md5:c32a1d4ab5d03f1284b67883e8d87530"),)
"""The archive, with the checksum from the data set's page."""

CONTENT_SHA256 = {
    "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
    "data_batch_2.bin": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
    "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
}
"""The sha256 of the unpacked files, where it is known. For the others, size and classes are checked."""

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Cifar10:
    """CIFAR-10 as float32 in [0, 1], byte / 255 computed in float32, and int32 labels, in the files' order.

    Its form is ``{shape = [3, 32, 32]}``, or another shape of 3,072 elements. With ``subtract_mean = true``, the mean
    image of the available training part is subtracted from both parts, pixel by pixel. Some of the five training files
    suffice; then the data set is incomplete, and the note says so.
    """

    per_file: int = 10_000
    content: Mapping[str, str] = field(default_factory=lambda: CONTENT_SHA256)
    remotes: tuple[Remote, ...] = REMOTES
    name: ClassVar[str] = "cifar-10"
    title: ClassVar[str] = "CIFAR-10"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is a shape of 3,072 elements and, optionally, a boolean subtract_mean."""
        shape = form.get("shape")
        known = set(form) <= {"shape", "subtract_mean"} and type(form.get("subtract_mean", False)) is bool
        if not known or not isinstance(shape, list | tuple) or not all(type(n) is int for n in shape):
            raise UsageError(f"cifar-10 takes the form {{shape = […], subtract_mean = true}}, not {dict(form)}.")
        if min(shape, default=0) < 1 or math.prod(shape) != PIXELS:
            raise UsageError(f"cifar-10 has 3,072 numbers an image; the shape {list(shape)} has not.")

    def find(self, folder: Path) -> Source | None:
        """Return the archive, or else the files that are there, compressed or not; see DataSet.find."""
        if (folder / ARCHIVE).is_file():
            return Source(folder, {"archive": folder / ARCHIVE})
        for place in (folder / FOLDER, folder):
            paths = files_in(place)
            if paths:
                return Source(place, paths, self._lacking(place, paths))
        return None

    def _lacking(self, place: Path, paths: Mapping[str, Path]) -> str:
        """Return a text on the part of the set that is here; "" if it is complete."""
        trained = [file for file in FILES["train"] if file in paths]
        if not trained or FILES["test"][0] not in paths:
            raise DataError(
                f"{place} holds some files of CIFAR-10, but not {'test_batch.bin' if trained else 'any data_batch'}.",
                "Put it beside the others (packed with xz or gzip, or not), or name another data folder.",
            )
        here, whole = len(trained) * self.per_file, len(FILES["train"]) * self.per_file
        return f"{here:,} of {whole:,} training images" if here < whole else ""

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        archive = source.paths.get("archive")
        records: dict[str, Image] = {}
        for file, content in contents_of_archive(archive) if archive else contents_of_files(source):
            progress(f"reading CIFAR-10, {file}", len(records), sum(map(len, FILES.values())))
            records[file] = self._check_records(source, file, content)
        missing = [file for files in FILES.values() for file in files if file not in records]
        if archive and missing:
            raise DataError(f"{archive} lacks {' and '.join(missing)}.", f"Fetch {ARCHIVE} again.")
        present = {part: [records[file] for file in files if file in records] for part, files in FILES.items()}
        yield from _portions({part: np.concatenate(own) for part, own in present.items()}, form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic images of ten classes; see DataSet.stand_in."""
        records = {}
        for part, files in FILES.items():
            pixels, labels = stand_in.colour_images(part, len(files) * self.per_file)
            records[part] = np.column_stack([labels, pixels.reshape(len(labels), -1)])
        yield from _portions(records, form)

    def _check_records(self, source: Source, file: str, content: bytes) -> Image:
        """Return a file's records, (images, 3073). Raises DataError if they are not CIFAR-10's."""
        path = source.paths.get(file, f"{source.paths.get('archive')}, {file},")
        hint = "Is it the binary version, and whole? Fetch it again."
        if len(content) != self.per_file * RECORD:
            raise DataError(
                f"{path} holds {len(content):,} bytes, where {self.per_file:,} records of {RECORD:,} bytes, "
                f"{self.per_file * RECORD:,} in all, were expected.",
                hint,
            )
        records = np.frombuffer(content, np.uint8).reshape(-1, RECORD)
        highest = int(records[:, 0].max())
        if highest >= CLASSES:
            raise DataError(f"{path} has a record of class {highest}, where 0 to 9 were expected.", hint)
        found = hashlib.sha256(content).hexdigest()
        if found != self.content.get(file, found):
            raise DataError(
                f"{path} is not CIFAR-10's: the sha256 of its content is {found[:16]}…, "
                f"where {self.content[file][:16]}… was expected.",
                "Fetch it again.",
            )
        return records


def files_in(folder: Path) -> dict[str, Path]:
    """Return {file: path} of the files of the binary version in `folder`, compressed or not."""
    found = {}
    for file in (file for files in FILES.values() for file in files):
        paths = [folder / f"{file}{packing}" for packing in OPENERS]
        here = next((path for path in paths if path.is_file()), None)
        if here is not None:
            found[file] = here
    return found


def contents_of_files(source: Source) -> Iterator[tuple[str, bytes]]:
    """Yield (file, unpacked content). Raises DataError for a truncated file."""
    for file, path in source.paths.items():
        try:
            with OPENERS[path.suffix if path.suffix != ".bin" else ""](path, "rb") as stream:
                yield file, stream.read()
        except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
            raise damage_error(path, error) from error


def contents_of_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (file, content) of the archive's members that belong to the set. Nothing is unpacked to disk."""
    wanted = {f"{FOLDER}/{file}": file for files in FILES.values() for file in files}
    try:
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isreg() and member.name in wanted else None
                if stream is not None:
                    yield wanted[member.name], stream.read()
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise damage_error(path, error) from error


def damage_error(path: Path, error: Exception) -> DataError:
    """Return the error for a compressed file that cannot be unpacked, with what was expected."""
    return DataError(
        f"{path} is cut off or damaged ({error}): expected records of {RECORD:,} bytes.",
        "Fetch the file again, or remove it so that it is downloaded.",
    )


def _portions(records: Mapping[str, Image], form: Mapping[str, Any]) -> Iterator[Portion]:
    """Yield the records of each part as float32 inputs and int32 labels."""
    mean = _mean_image(records["train"]) if form.get("subtract_mean") else None
    for part, own in records.items():
        pixels = np.divide(own[:, 1:], np.float32(255), dtype=np.float32)
        if mean is not None:
            pixels -= mean
        yield Portion(part, pixels.reshape(-1, *form["shape"]), own[:, 0].astype(np.int32))


def _mean_image(records: Image) -> NDArray[np.float32]:
    """Return the mean image: the mean of each of the 3,072 bytes, divided by 255, exact and then rounded to float32."""
    total = records[:, 1:].sum(axis=0, dtype=np.int64)
    mean: NDArray[np.float32] = (total / (255 * len(records))).astype(np.float32)
    return mean
