"""The input channels of a model in each step of a window of a time series, and how each is computed.

A step belongs to one observation, which is to be predicted. Its place is its index in the series, from 0. No channel of
a step depends on the step's own value. The channels, in order:

    0 … 15      earlier values at the lags of `lags_of`, the value just before first; 0 if unknown
    16, 17      sine and cosine of the place in the season: of the 12 months, the 7 days, the 24 hours …
    18, 19      sine and cosine of the place in the year
    20          the age: the decimal logarithm of 2 + place, as in GluonTS
    21          1 if the value just before counts for the scale, else 0

Values are not scaled. A model divides them by a scale that it computes with the last channel.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.series.frequency import EPOCH, Frequency
from rosettabench.data.series.lags import LAGS, lag_values, lags_of, observed_places

CHANNELS = LAGS + 6
"""The number of channels in each step."""


def time_features(frequency: Frequency, start: datetime | None, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sine and cosine of the position in the season and in the year, for each of `places`: (places, 4).

    `start` is the time of the first observation; if it is unknown, the beginning of 1970 is used. Positions are counted
    from the beginning of 1970: in the season by observations, in the year of 365.25 days by time.
    """
    counted = frequency.since_1970(start or EPOCH) + places
    turns = np.stack([counted % frequency.cycle / frequency.cycle, counted / frequency.per_year % 1], 1)
    return np.stack([np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)], 2).reshape(len(places), 4)


def ages(places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log10(2 + place) for each of `places`, (places,). Places before the series count as its first."""
    return np.log10(2.0 + np.maximum(places, 0))


def for_the_scale(history: NDArray[np.float64], places: NDArray[np.int64], context: int) -> NDArray[np.bool_]:
    """Return for each step of a window whether the value before it counts for the scale: (places,).

    It counts if it is one of the window's first `context` values, and is not missing.
    """
    within = np.arange(len(places)) - 1
    return observed_places(history, places - 1) & (within >= 0) & (within < context)


def inputs_of(
    history: NDArray[np.float64], start: datetime | None, frequency: Frequency, places: NDArray[np.int64], context: int
) -> NDArray[np.float32]:
    """Return the inputs of a model for the steps of a window, (places, CHANNELS), float32.

    `history` holds the known values, (observations,), NaN if missing. Lagged values after its end are 0, so that a
    forecast can insert its own draws there, step by step.
    """
    return np.column_stack(
        [
            lag_values(history, places, lags_of(frequency.cycle)),
            time_features(frequency, start, places),
            ages(places),
            for_the_scale(history, places, context),
        ]
    ).astype(np.float32)
