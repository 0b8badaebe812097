"""The lags at which a model is shown earlier values of a time series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count, islice

import numpy as np
from numpy.typing import NDArray

LAGS = 16
"""The number of earlier values that a model is shown in each step."""

LATEST = 7
"""The number of values directly before the step among them."""


def lags_of(season: int) -> tuple[int, ...]:
    """Return the lags of a season's length: LAGS ascending numbers, the first of them 1.

    They are 1 to 7, then three around each multiple of the season: one less, the multiple, one more. For a season of 12
    that is 1 … 7, 11, 12, 13, 23, 24, 25, 35, 36, 37. Repeated numbers are skipped, and further multiples fill the
    list: 1 … 16 for a season of 1.
    """
    around = (times * season + beside for times in count(1) for beside in (-1, 0, 1))
    return tuple(islice(ascending(chain(range(1, LATEST + 1), around)), LAGS))


def ascending(numbers: Iterable[int]) -> Iterator[int]:
    """Yield each number that exceeds all before it, from 1 on."""
    largest = 0
    for number in numbers:
        if number > largest:
            largest = number
            yield number


def lag_values(history: NDArray[np.float64], places: NDArray[np.int64], lags: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the values of `history`, (observations,), at each of `lags` before each of `places`: (places, lags).

    Places are counted from the first observation, 0, and may be before it or after the last one. A value is 0 if it is
    missing (NaN), before the series, or after the end of `history`.
    """
    wanted = places[:, None] - np.array(lags)
    there = (wanted >= 0) & (wanted < len(history))
    found = np.zeros(wanted.shape)
    found[there] = history[wanted[there]]
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def observed_places(history: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each of `places` whether `history` has a value there that is not missing: (places,)."""
    there = (places >= 0) & (places < len(history))
    there[there] = ~np.isnan(history[places[there]])
    return there
