"""Whether the tensors of a file are those that a framework has for a workload; what differs, as one sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.readers.weights_file import Tensors
from rosettabench.errors import DataError

Shape = tuple[int, ...]

MOST = 3
"""Names that a sentence lists of a kind; of the others it says how many there are."""


def check_tensors(path: Path, tensors: Tensors, layout: Mapping[str, Shape], beside: Tensors, where: str) -> None:
    """Raise DataError where the tensors of a file are not those of `layout`, or hold numbers that cannot be carried.

    `beside` is what the framework's model holds and no tie names: of these, the file may have counters, and tensors
    with the very numbers that the implementation fixes, or that a tied weight has by its first name. `where` names
    workload and framework in words.
    """
    others = set(tensors) - set(layout)
    unknown = {name for name in others if name not in beside and not is_counter(tensors[name])}
    wrong = [*missing_words(set(layout) - set(tensors), unknown, len(layout)), *unknown_words(unknown)]
    wrong += shape_words(tensors, layout)
    if wrong:
        raise DataError(
            f"{path} does not fit {where}: {'; '.join(wrong)}",
            "Names and layouts must be the framework's own, as its ties have them: rosetta show.",
        )
    for name in layout:
        check_numbers(path, name, tensors[name])
    check_fixed(path, {name: tensors[name] for name in sorted(others) if name in beside}, beside, where)


def narrow_tensors(tensors: Tensors) -> Tensors:
    """Return the floating-point tensors as float32; `check_tensors` says whether that is exact."""
    with np.errstate(over="ignore"):
        return {name: array.astype(np.float32) for name, array in tensors.items() if array.dtype.kind == "f"}


def passed_over(tensors: Tensors, layout: Mapping[str, Shape]) -> list[str]:
    """Return the names of the counters in a file, which are not carried."""
    return sorted(name for name in set(tensors) - set(layout) if is_counter(tensors[name]))


def is_counter(array: NDArray[Any]) -> bool:
    """Whether a tensor is one whole number, as PyTorch's ``num_batches_tracked`` is."""
    return array.size == 1 and array.dtype.kind in "iu"


# -- what differs, in words --------------------------------------------------------------------------------------------


def missing_words(missing: Collection[str], unknown: Collection[str], of: int) -> Iterator[str]:
    """Yield what is missing, with the nearest of the unknown names."""
    if not missing:
        return
    named = []
    for name in sorted(missing):
        near = get_close_matches(name, unknown, n=1, cutoff=0.5)
        named.append(f"{name} (is it {near[0]}?)" if near else name)
    yield f"it lacks {len(missing)} of {of} tensors: {list_some(named)}"


def unknown_words(unknown: Collection[str]) -> Iterator[str]:
    """Yield what is there that the framework does not have."""
    if unknown:
        tensors = "tensor" if len(unknown) == 1 else "tensors"
        yield f"it has {len(unknown)} unknown {tensors}: {list_some(sorted(unknown))}"


def shape_words(tensors: Tensors, layout: Mapping[str, Shape]) -> Iterator[str]:
    """Yield which tensors have another shape."""
    wrong = [
        f"{name} is {by(tensors[name].shape)}, not {by(shape)}"
        for name, shape in layout.items()
        if name in tensors and tensors[name].shape != shape
    ]
    if wrong:
        yield f"{len(wrong)} of another shape: {list_some(wrong)}"


def by(shape: Shape) -> str:
    """Return a shape in words: ``128×784``."""
    return "×".join(map(str, shape)) or "one number"


def list_some(words: list[str]) -> str:
    """Return the first few words of a list, and how many more there are."""
    more = len(words) - MOST
    return ", ".join(words[:MOST]) + (f" and {more} more" if more > 0 else "")


# -- numbers -----------------------------------------------------------------------------------------------------------


def check_fixed(path: Path, found: Tensors, beside: Tensors, where: str) -> None:
    """Raise DataError where a tensor differs from what the implementation fixes it to: it would be lost."""
    for name, array in found.items():
        if not is_counter(array) and not np.array_equal(array, beside[name]):
            raise DataError(
                f"{name} in {path} is not what {where} fixes it to, and would be lost",
                "Add it to a tensor that is carried, where the model allows that: bias_hh of an LSTM to its bias_ih.",
            )


def check_numbers(path: Path, name: str, array: NDArray[Any]) -> None:
    """Raise DataError where a tensor cannot be carried as float32 exactly, or where a number is not finite."""
    if array.dtype.kind != "f":
        raise DataError(f"{name} in {path} is {array.dtype}: weights are floating-point", "Save it as float32.")
    strange = int(np.count_nonzero(~np.isfinite(array)))
    if strange:
        raise DataError(
            f"{name} in {path} holds {numbers(strange)} NaN or infinite", "Take weights from before the training broke."
        )
    lost = int(np.count_nonzero(narrow_tensors({name: array})[name] != array))
    if lost:
        raise DataError(
            f"{name} in {path} is {array.dtype}, and has {numbers(lost)} not exact in float32",
            "Round them yourself if that is meant, and save float32: tensor.float() in PyTorch.",
        )


def numbers(count: int) -> str:
    """Return a count of numbers, with a verb."""
    return "1 number that is" if count == 1 else f"{count} numbers that are"
