"""Earlier values of a time series, as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count, islice

import numpy as np
from numpy.typing import NDArray

LAGS = 16
"""How many earlier values a model is shown in each step."""

LATEST = 7
"""How many of them are the very last ones."""


def lags_of(season: int) -> tuple[int, ...]:
    """Return how far back the values lie that a model is shown: LAGS numbers, ascending, the first of them 1.

    They are 1 to 7, and then those around each multiple of the season: one less, itself, one more. For a season of 12
    that is 1 … 7, 11, 12, 13, 23, 24, 25, 35, 36, 37. What is there already is passed over, and further multiples are
    taken until there are enough: 1 … 16 for a season of 1.
    """
    around = (times * season + beside for times in count(1) for beside in (-1, 0, 1))
    return tuple(islice(ascending(chain(range(1, LATEST + 1), around)), LAGS))


def ascending(numbers: Iterable[int]) -> Iterator[int]:
    """Yield each number that is larger than all before it, from 1 on."""
    largest = 0
    for number in numbers:
        if number > largest:
            largest = number
            yield number


def lag_values(history: NDArray[np.float64], places: NDArray[np.int64], lags: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the values of `history`, (observations,), that lie so far back from each of `places`: (places, lags).

    Places are counted from the first observation, which is 0, and may lie before it or behind the last one. A value is
    0 where it is missing (NaN), where there was nothing yet, and where `history` has ended: nobody knows it there.
    """
    wanted = places[:, None] - np.array(lags)
    there = (wanted >= 0) & (wanted < len(history))
    found = np.zeros(wanted.shape)
    found[there] = history[wanted[there]]
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def observed_places(history: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return at which of `places` there is a value in `history`, and none that is missing: (places,)."""
    there = (places >= 0) & (places < len(history))
    there[there] = ~np.isnan(history[places[there]])
    return there
