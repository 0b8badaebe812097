"""The data sets that Rosettabench knows."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

from rosettabench.catalogue.data_entry import MONASH
from rosettabench.data.data_set import DataSet
from rosettabench.data.find import obtainable
from rosettabench.data.series.monash_windows import MonashWindows
from rosettabench.data.sets.chestxray14 import ChestXray14
from rosettabench.data.sets.cifar_10 import Cifar10
from rosettabench.data.sets.fashion_mnist import FashionMnist
from rosettabench.data.sets.imagenet import ImageNet
from rosettabench.data.sets.imdb import Imdb
from rosettabench.data.sets.noisy_fashion_mnist import NoisyFashionMnist
from rosettabench.data.sets.synthetic import Synthetic
from rosettabench.data.sets.tiny_shakespeare import TinyShakespeare
from rosettabench.errors import UsageError

SETS: dict[str, DataSet] = {
    data_set.name: data_set
    for data_set in (
        FashionMnist(),
        Imdb(),
        Cifar10(),
        ChestXray14(),
        ImageNet(),
        TinyShakespeare(),
        NoisyFashionMnist(),
        Synthetic(),
    )
}
"""{the name in a workload's ``[data]`` table: the data set}."""


def data_set(name: str) -> DataSet | MonashWindows:
    """Return the data set `name`. Raises UsageError, with the nearest match, if there is none.

    A name with the prefix ``monash-`` is a set of the Monash archive, cut into windows.
    """
    if name in SETS:
        return SETS[name]
    if name.startswith(MONASH):
        return MonashWindows.find_windows(name)
    near = difflib.get_close_matches(name, SETS, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(SETS)}."
    raise UsageError(f"There is no data set {name!r}.", hint)


def originals_at_hand(data_dir: Path | None, cache: Path, offline: bool) -> Callable[[str], bool]:
    """Return a function that tells whether a data set has originals here, or can download them.

    The Monash archive has many sets. A set of it counts only if its files are here already.
    """

    def at_hand(name: str) -> bool:
        """Return whether a data set has originals here."""
        return obtainable(data_set(name), data_dir, cache, offline or name.startswith(MONASH))

    return at_hand
