"""What a model is shown in each step of a window of a time series: the channels, and how each is made.

The order is that of CHANNELS. A step is the observation that is to be foreseen, and its place is counted from the
first one of its series, which is 0; nothing that is shown in a step tells of its own value.

    0 … 15      values that lie so far back as `lags_of` the season says, the one before it first; 0 where unknown
    16, 17      sine and cosine of its place in the season: of the 12 months, the 7 days, the 24 hours …
    18, 19      sine and cosine of its place in the year
    20          its age: the decimal logarithm of 2 + its place, as GluonTS has it
    21          1 where the value before it counts for the scale, else 0

Values are as they are: a model divides them by a scale, and makes that of the last channel.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.series.frequency import EPOCH, Frequency
from rosettabench.data.series.lags import LAGS, lag_values, lags_of, observed_places

CHANNELS = LAGS + 6
"""How many numbers a model is shown in each step."""


def time_features(frequency: Frequency, start: datetime | None, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sine and cosine of the place in the season, and of that in the year, of each of `places`: (places, 4).

    `start` is when the series was first observed; where that is not known, as if it was at the beginning of 1970. Both
    are counted from there, the season in observations, the year as 365.25 days.
    """
    counted = frequency.since_1970(start or EPOCH) + places
    turns = np.stack([counted % frequency.cycle / frequency.cycle, counted / frequency.per_year % 1], 1)
    return np.stack([np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)], 2).reshape(len(places), 4)


def ages(places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log10(2 + place) of each of `places`, (places,); before the first observation it is that of the first."""
    return np.log10(2.0 + np.maximum(places, 0))


def for_the_scale(history: NDArray[np.float64], places: NDArray[np.int64], context: int) -> NDArray[np.bool_]:
    """Return in which of `places`, the steps of a window, the value before it counts for the scale: (places,).

    That is where it is one of the window's first `context` values, and is not missing.
    """
    within = np.arange(len(places)) - 1
    return observed_places(history, places - 1) & (within >= 0) & (within < context)


def inputs_of(
    history: NDArray[np.float64], start: datetime | None, frequency: Frequency, places: NDArray[np.int64], context: int
) -> NDArray[np.float32]:
    """Return what a model is shown in the steps of a window, (places, CHANNELS).

    `history` are the values that are known, (observations,), NaN where one is missing. What would lie behind its end is
    0, so that a forecast, step by step, may put there what it has drawn.
    """
    return np.column_stack(
        [
            lag_values(history, places, lags_of(frequency.cycle)),
            time_features(frequency, start, places),
            ages(places),
            for_the_scale(history, places, context),
        ]
    ).astype(np.float32)
