"""Several inputs by name, packed into one array: a loader hands a batch of one array on.

Each sample is a row. Its inputs are columns, in the order of their names, each flattened in C order. Whole numbers stay
whole if all are; beside real ones they become float32, which holds them exactly up to `EXACT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.errors import DataError

ONLY = ""
"""The key of an only input that is stated without a name."""

EXACT = 2**24
"""The largest whole number up to which float32 holds every whole number: it has 24 significant bits."""


def pack(inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return inputs, {name: (samples, …)}, as one array, (samples, columns); an only input as it is.

    Raises DataError if they differ in their number of samples, or if a whole number would not stay what it is.
    """
    if len(inputs) == 1:
        return next(iter(inputs.values()))
    counts = {name: len(array) if array.ndim else 0 for name, array in inputs.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise DataError(f"the inputs differ in their number of samples: {told}", "The first extent counts the samples.")
    whole = {name for name, array in inputs.items() if array.dtype.kind in "bui"}
    if len(whole) < len(inputs):
        for name in sorted(whole):
            if inputs[name].size and np.abs(inputs[name].astype(np.int64)).max() > EXACT:
                raise DataError(
                    f"a whole number of {name} is above {EXACT:,}, and is not exact beside real numbers",
                    "Make all inputs whole numbers, or divide it in two inputs.",
                )
    rows = [array.reshape(len(array), -1) for array in inputs.values()]
    return np.concatenate(rows if len(whole) == len(inputs) else [row.astype(np.float32) for row in rows], axis=1)
