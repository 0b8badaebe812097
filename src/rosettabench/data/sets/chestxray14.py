"""ChestX-ray14: 112,120 chest X-rays of 30,805 patients with 14 labels (Wang et al. 2017, https://arxiv.org/abs/1705.02315)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.picture import square
from rosettabench.data.readers.pictures import Rendering
from rosettabench.data.sets import stand_in
from rosettabench.data.sets.findings import FINDINGS, LISTS, TABLES, Film, films, label_files
from rosettabench.errors import DataError, UsageError

IMAGES = 112_120
STORED = 264
"""The side in pixels of the square that every image is resized to first. Training crops are cut out of it."""

LEAST = 32
"""The smallest side in pixels of a form: a network that halves it five times still has a pixel."""

MOST = {"train": 1_024, "test": 512}
"""The most images of each part in memory: all of them would be 63 GB as float32 of 224×224."""

RENDERING = Rendering("bilinear", mean=(0.485, 0.456, 0.406), deviation=(0.229, 0.224, 0.225))
"""Mean and deviation are those of red, green and blue in ImageNet, with black 0 and white 1."""

Names = list[str]


@dataclass(frozen=True)
class ChestXray14:
    """ChestX-ray14 as float32 images, normalised as for evaluation, and float32 labels, (samples, 14), each 0 or 1.

    Its form is ``{shape = [3, 224, 224]}``, or another side from 32 to 264. Each image is stretched to 264×264 and then
    to that side. Then ImageNet's mean is subtracted, and the result divided by its deviation. At most MOST images of a
    part are used, in the order of the sha256 of their names. The validation part is left out.
    """

    most: Mapping[str, int] = field(default_factory=lambda: MOST)
    images: int = IMAGES
    remotes: tuple[Remote, ...] = ()
    name: ClassVar[str] = "chestxray14"
    title: ClassVar[str] = "ChestX-ray14"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False
    rendering: ClassVar[Rendering] = RENDERING

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is the shape of a square colour image."""
        shape = form.get("shape")
        if set(form) != {"shape"} or not isinstance(shape, list | tuple) or not all(type(n) is int for n in shape):
            raise UsageError(f"chestxray14 takes the form {{shape = [3, 224, 224]}}, not {dict(form)}.")
        if len(shape) != 3 or shape[0] != 3 or shape[1] != shape[2] or not LEAST <= shape[1] <= STORED:
            raise UsageError(
                f"chestxray14 has no images of the shape {list(shape)}.",
                f"It is [3, side, side], with a side from {LEAST} to {STORED}.",
            )

    def find(self, folder: Path) -> Source | None:
        """Return the labels in `folder`, and the folder for the images below it; see DataSet.find."""
        labels = label_files(folder)
        if not labels:
            if (folder / "images_001").is_dir():
                raise DataError(f"{folder} holds images of ChestX-ray14, but not {TABLES[0]}.", "Put it beside them.")
            return None
        known, pictures = films(labels), pictures_in(folder)
        here = {part: names_of(part, known, pictures) for part in ("train", "validation", "test")}
        for part in ("train", "test"):
            if not here[part]:
                raise DataError(
                    f"{folder} holds labels of ChestX-ray14, but no PNG image of its {part} part.",
                    "Unpack the images below that folder, or name another data folder.",
                )
        return Source(folder, {**labels, "images": folder}, self._part(here, "table" not in labels))

    def _part(self, here: Mapping[str, Names], listed: bool) -> str:
        """Return a text on how much of the set is here, how much of that is used, and who split it."""
        found = sum(map(len, here.values()))
        used = [f"{min(len(here[part]), most):,} {part}" for part, most in self.most.items()]
        split = f", split as {LISTS['train']} and {LISTS['test']} say" if listed else ""
        return f"{found:,} of {self.images:,} images, of which {' and '.join(used)} images are used{split}"

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        known, pictures = known_in(source), pictures_in(source.folder)
        side = form["shape"][1]
        for part, most in self.most.items():
            names = names_of(part, known, pictures)[:most]
            inputs = np.empty((len(names), 3, side, side), np.float32)
            for place, name in enumerate(names):
                progress(f"reading ChestX-ray14, {part}", place, len(names))
                inputs[place] = RENDERING.numbers(square(pictures[name], STORED, side))
            yield Portion(part, inputs, np.array([known[name].findings for name in names], np.float32))

    def picture_files(self, source: Source) -> Sequence[Path]:
        """Return the images of the training part; see PictureSet.picture_files."""
        pictures = pictures_in(source.folder)
        names = names_of("train", known_in(source), pictures)[: self.most["train"]]
        return [pictures[name] for name in names]

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic images and findings; see DataSet.stand_in."""
        for part, most in self.most.items():
            grey, findings = stand_in.radiographs(part, most, form["shape"][1], len(FINDINGS))
            inputs = np.stack([RENDERING.numbers(np.repeat(image[..., None], 3, axis=2)) for image in grey])
            yield Portion(part, inputs, findings.astype(np.float32))


def known_in(source: Source) -> dict[str, Film]:
    """Return {file name of an image: Film} from the labels of `source`."""
    return films({word: path for word, path in source.paths.items() if word != "images"})


def pictures_in(folder: Path) -> dict[str, Path]:
    """Return {file name: path} of the PNG images below `folder`. For repeated names, the largest file counts."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.png"), key=lambda path: path.stat().st_size):
        found[path.name] = path
    return found


def names_of(part: str, known: Mapping[str, Film], pictures: Iterable[str]) -> Names:
    """Return the names of a part's images that are here, by their sha256, which mixes patients and classes."""
    here = [name for name in pictures if name in known and known[name].part == part]
    return sorted(here, key=lambda name: sha256(name.encode()).digest())
