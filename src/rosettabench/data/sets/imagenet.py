"""ImageNet: the training images of ILSVRC2012, 1,281,167 photographs in 1,000 classes (image-net.org)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.image_folder import Labelled, class_folders, images_in, pixels, spread
from rosettabench.data.readers.pictures import Rendering
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError, UsageError

CLASSES = 1_000
SYNSET = re.compile(r"n\d{8}", re.ASCII)
"""The name of a class folder: WordNet's number of the noun."""

PLACES = ("", "train", "ILSVRC/Data/CLS-LOC/train", "imagenet-sample")
"""Where the class folders may be: in the folder itself, as usually unpacked, as Kaggle packs them, or as a sample."""

MAPPING = "LOC_synset_mapping.txt"
"""Kaggle's list of all classes in their order, one per line: the number and its meaning."""

INDEX, IMAGES = "index.csv", "images"
"""A sample: one folder of images, and a table with the columns COLUMNS that gives the class of each."""

COLUMNS = {"file", "wnid", "class_index"}

LARGEST = 512
"""The largest side in pixels of a form."""

TEST_EVERY = 10
"""Every tenth image belongs to the test part, since a training folder has no test images."""


@dataclass(frozen=True)
class ImageNet:
    """Photographs as bytes, red, green and blue, and int32 labels: the index of each class, by number, among all.

    Its form is ``{shape = [3, 256, 256]}``, or another side. Each image is stretched to that square with the nearest
    pixel. Of a larger folder, `most` images are used, evenly spread, since every contender holds all of them in memory.
    The note says how many.
    """

    most: int = 1_000
    images: int = 1_281_167
    remotes: tuple[Remote, ...] = ()
    name: ClassVar[str] = "imagenet"
    title: ClassVar[str] = "ImageNet"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False
    rendering: ClassVar[Rendering] = Rendering("nearest")

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is the shape of a square colour image."""
        shape = form.get("shape")
        if set(form) != {"shape"} or not isinstance(shape, list | tuple) or not all(type(n) is int for n in shape):
            raise UsageError(f"imagenet takes the form {{shape = [3, 256, 256]}}, not {dict(form)}.")
        if len(shape) != 3 or shape[0] != 3 or shape[1] != shape[2] or not 1 <= shape[1] <= LARGEST:
            raise UsageError(
                f"imagenet has no images of the shape {list(shape)}.",
                f"It is [3, side, side], with a side from 1 to {LARGEST}.",
            )

    def find(self, folder: Path) -> Source | None:
        """Return the class folders, or the sample, in `folder`; see DataSet.find."""
        for place in (folder / name for name in PLACES):
            paths = sample_in(place) or classes_in(place, folder)
            if paths:
                return Source(place, paths, self._part(list_images(paths)))
        return None

    def _part(self, images: list[Labelled]) -> str:
        """Return a text on the part of the set that is used; "" if all is used."""
        used = spread(images, self.most)
        classes = len({image.label for image in used})
        if (len(used), classes) == (self.images, CLASSES):
            return ""
        return f"{len(used):,} of {self.images:,} images, {classes:,} of {CLASSES:,} classes"

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts, with images sorted by class and name; see DataSet.read."""
        used = spread(list_images(source.paths), self.most)
        if len(used) < TEST_EVERY:
            raise DataError(
                f"{source.folder} holds {len(used)} images; with fewer than {TEST_EVERY} there is none to test with.",
                "Name a folder with more of them.",
            )
        tests = used[TEST_EVERY - 1 :: TEST_EVERY]
        for part, own in (("train", without_tests(used)), ("test", tests)):
            yield Portion(part, read_all(part, own, form["shape"][1], progress), labels_of(own))

    def picture_files(self, source: Source) -> Sequence[Path]:
        """Return the images of the training part; see PictureSet.picture_files."""
        return [image.path for image in without_tests(spread(list_images(source.paths), self.most))]

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic images of ten of the classes; see DataSet.stand_in."""
        tests = self.most // TEST_EVERY
        for part, samples in (("train", self.most - tests), ("test", tests)):
            images, kinds = stand_in.photographs(part, samples, form["shape"][1])
            yield Portion(part, images, kinds.astype(np.int32) * (CLASSES // stand_in.CLASSES))


def without_tests(used: Sequence[Labelled]) -> list[Labelled]:
    """Return the images of the training part."""
    return [image for place, image in enumerate(used, start=1) if place % TEST_EVERY]


def classes_in(place: Path, folder: Path) -> dict[str, Path]:
    """Return the path of the class folders, and of Kaggle's list if it is there; empty without class folders."""
    if not class_folders(place, SYNSET):
        return {}
    known = [path / MAPPING for path in (place, place.parent, folder) if (path / MAPPING).is_file()]
    return {"classes": place, **({"mapping": known[0]} if known else {})}


def sample_in(place: Path) -> dict[str, Path]:
    """Return the image folder and the index of a sample; empty if there is no index with our columns."""
    index = place / INDEX
    if not index.is_file() or not set(header(index)) >= COLUMNS:
        return {}
    if not (place / IMAGES).is_dir():
        raise DataError(f"{index} is the index of a folder {IMAGES}, which is not beside it.", "Fetch it again.")
    return {"index": index, "images": place / IMAGES}


def header(index: Path) -> list[str]:
    """Return the column names of an index; empty if it is not a table."""
    with index.open(encoding="utf-8", errors="replace", newline="") as file:
        return next(csv.reader(file), [])


def list_images(paths: Mapping[str, Path]) -> list[Labelled]:
    """Return all images with their classes, sorted by class and name. Raises DataError for wrong files."""
    if "index" in paths:
        return sorted(index_images(paths["index"], paths["images"]), key=lambda image: (image.label, image.path))
    folders = class_folders(paths["classes"], SYNSET)
    places = places_of([folder.name for folder in folders], paths.get("mapping"), paths["classes"])
    return [Labelled(image, places[folder.name]) for folder in folders for image in images_in(folder)]


def places_of(numbers: list[str], mapping: Path | None, where: Path) -> dict[str, int]:
    """Return {class: its index}: among all classes if Kaggle's list is there, else among the present ones."""
    known = numbers if mapping is None else sorted(SYNSET.findall(mapping.read_text(encoding="utf-8")))
    strangers = sorted(set(numbers) - set(known))
    if strangers:
        raise DataError(f"{where / strangers[0]} is not a class in {mapping}.", "Move the folder away.")
    if len(known) > CLASSES:
        raise DataError(
            f"{mapping or where} has {len(known):,} classes, where ILSVRC2012 has {CLASSES:,}.",
            "Other parts of ImageNet have more; name the training folder of ILSVRC2012.",
        )
    return {number: place for place, number in enumerate(known)}


def index_images(index: Path, images: Path) -> Iterator[Labelled]:
    """Yield the images of a sample. Raises DataError for a line with a missing image or an invalid class."""
    with index.open(encoding="utf-8", errors="replace", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), start=2):
            word = row["class_index"] or ""
            if not (word.isascii() and word.isdigit() and int(word) < CLASSES):
                raise DataError(f"{index}, line {line}: {word!r} is not a class; classes are 0 to {CLASSES - 1}.")
            path = images / Path(row["file"] or ".").name
            if not path.is_file():
                raise DataError(f"{index}, line {line}: {path} does not exist.", "Fetch it again, or remove the line.")
            yield Labelled(path, int(word))


def read_all(part: str, images: Sequence[Labelled], size: int, progress: DataProgress) -> NDArray[np.uint8]:
    """Return the pixels of some images, (images, 3, size, size), uint8."""
    read = np.empty((len(images), 3, size, size), np.uint8)
    for place, image in enumerate(images):
        progress(f"reading ImageNet, {part}", place, len(images))
        read[place] = pixels(image.path, size)
    return read


def labels_of(images: Sequence[Labelled]) -> NDArray[np.int32]:
    """Return the classes of some images, (images,), int32."""
    return np.array([image.label for image in images], np.int32)
