"""Workloads that take too long as they are: the same implementations with fewer blocks, or for smaller images.

The numbers are all that is changed, in the texts of the implementations, of the references, and of workload.toml.
`rosetta prove --all` proves every workload as it is.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rosettabench.catalogue.shared import read_whole
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.client.session import Work

Shapes = dict[str, tuple[int, ...]]


class Altered(Workload):
    """A workload some of whose implementations lie elsewhere: {framework: file}, the others where they are."""

    altered: dict[str, Path]

    def implementation(self, framework: str, release: str | None = None) -> Path | None:
        own = self.altered.get(f"{framework}@{release}")
        return own or self.altered.get(framework) or super().implementation(framework, release)


def with_files(work: Work, files: dict[str, Path]) -> Work:
    """The same work with other implementations, {framework: file}."""
    stated = work.workload.model_dump(include=set(Workload.model_fields))
    altered = {**getattr(work.workload, "altered", {}), **files}
    return replace(work, workload=Altered(**stated, altered=altered))


@dataclass(frozen=True)
class Size:
    """What is smaller: texts that change wherever they stand, names of the blocks that stay, and shapes.

    `form` is the form of the data in the proof; `blocks` {old number: new one} of those whose names begin with `kind`.
    """

    texts: tuple[tuple[str, str], ...]
    shapes: Shapes
    form: dict[str, Any]
    kind: str = ""
    blocks: dict[int, int] | None = None

    def name(self, tensor: str) -> str | None:
        """Return what a tensor is called in the smaller workload, or None if it is not there."""
        match = re.fullmatch(rf"{self.kind}(\d+)(\..*)", tensor) if self.blocks else None
        if match is None:
            return tensor
        number = self.blocks.get(int(match[1]))
        return number and f"{self.kind}{number}{match[2]}"

    def of(self, stated: dict[str, Any]) -> dict[str, Any]:
        """Return what a workload states, at this size."""
        named = [(self.name(tensor["name"]), tensor) for tensor in stated["tensors"]]
        tensors = [{**old, "name": name, "shape": self.shapes.get(name, old["shape"])} for name, old in named if name]
        products = {self.name(tensor): product for tensor, product in stated["operations"].items()}
        operations = {name: product for name, product in products.items() if name}
        proof = {**stated["proof"], "form": {**stated["proof"]["form"], **self.form}}
        return {**stated, "tensors": tensors, "operations": operations, "proof": proof}


def densenet_shapes() -> Shapes:
    """The shapes of a DenseNet of 2, 2, 3 and 3 layers, where they follow from how many maps come in."""
    shapes: Shapes = {}
    maps, number = 64, 0
    for block, layers in enumerate((2, 2, 3, 3)):
        if block:
            shapes[f"transition{block}.kernel"] = (maps // 2, maps, 1, 1)
            shapes |= {f"transition{block}.norm.{part}": (maps,) for part in NORMALISATION}
            maps //= 2
        for _ in range(layers):
            number += 1
            shapes[f"layer{number}.conv1.kernel"] = (128, maps, 1, 1)
            shapes |= {f"layer{number}.norm1.{part}": (maps,) for part in NORMALISATION}
            maps += 32
    return shapes | {f"final.{part}": (maps,) for part in NORMALISATION} | {"output.kernel": (14, maps)}


NORMALISATION = ("scale", "shift", "mean", "variance")

TRANSITIONS = '{%d: "transition1.", %d: "transition2.", %d: "transition3."}'

DENSENET = (
    ("range(58)", "range(10)"),
    ("range(1, 59)", "range(1, 11)"),
    ("{1..58}", "{1..10}"),
    ("{0..57}", "{0..9}"),
    ("(6, 18, 42)", "(2, 4, 7)"),
    ("(6, 12, 24, 16)", "(2, 2, 3, 3)"),
    (TRANSITIONS % (7, 19, 43), TRANSITIONS % (3, 5, 8)),
)

RESNET = (
    ("range(9)", "range(2)"),
    ("range(1, 28)", "range(1, 7)"),
    ("9 * stage", "2 * stage"),
    ("number < 10 else 32 if number < 19", "number < 3 else 32 if number < 5"),
    ("in (10, 19)", "in (3, 5)"),
    ("{1..27}", "{1..6}"),
    ("{0..26}", "{0..5}"),
    ("block10.", "block3."),
    ("block19.", "block5."),
    ("block10_", "block3_"),
    ("block19_", "block5_"),
    ("blocks.9.", "blocks.2."),
    ("blocks.18.", "blocks.4."),
)

BLOCKS = {1: 1, 2: 2, 10: 3, 11: 4, 19: 5, 20: 6}

IMAGES = (("256, 256", "64, 64"), ("64, 8, 8", "64, 2, 2"), ("4096", "256"))
"""What changes with smaller images: image, pooled image, and the numbers of the latter."""

LAYERS = {1: 1, 2: 2, 7: 3, 8: 4, 19: 5, 20: 6, 21: 7, 43: 8, 44: 9, 45: 10}

SIZES = {
    "chestxray-densenet121": Size(DENSENET, densenet_shapes(), {}, "layer", LAYERS),
    "cifar-resnet56": Size(RESNET, {}, {}, "block", BLOCKS),
    "imagenet-resnet56": Size(RESNET + IMAGES, {"output.kernel": (1000, 256)}, {"shape": (3, 64, 64)}, "block", BLOCKS),
}


def small_workload(name: str, folder: Path, augmentation: dict[str, Any] | None = None) -> Workload:
    """A workload, smaller if it is large; its files lie in `folder` then. With an augmentation of the caller's."""
    workload = find_workload(name)
    if name not in SIZES:
        return workload
    size = SIZES[name]
    stated = size.of(workload.model_dump())
    if augmentation is not None:
        stated["data"]["augmentation"] = augmentation
    (folder / "copies").mkdir(parents=True)
    altered = {}
    for path in workload.folder.glob("*.py"):
        text = read_whole(path)
        for old, new in size.texts:
            text = text.replace(old, new)
        copy = folder / "copies" / path.name
        copy.write_text(text, encoding="utf-8")
        altered[path.stem.replace("_", "-")] = copy
    return Altered(**stated, altered=altered)
