"""Windows of time series as samples: a known context, followed by the horizon to forecast.

A window has one step for each observation of both. A window that begins before its series is padded in front with steps
of unknown values and weight 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion
from rosettabench.data.series.channels import CHANNELS, inputs_of
from rosettabench.data.series.lags import observed_places
from rosettabench.data.series.series import PreparedSeries

BYTES = 2**28
"""The most bytes for the inputs of all training windows: there are fewer of long windows."""

SEED = 0
"""The seed of the draw of training windows."""


def portions(series: PreparedSeries, windows: int) -> Iterator[Portion]:
    """Yield `windows` training windows, or as many as BYTES hold; then each series' last window as the test part."""
    length = series.context + series.horizon
    most = max(1, BYTES // (length * CHANNELS * np.dtype(np.float32).itemsize))
    yield Portion("train", *samples(series, draw_windows(series, min(windows, most))))
    inputs, labels = samples(series, ((place, len(one.values)) for place, one in enumerate(series)))
    labels[:, : series.context, 1] = 0  # a model was trained on these values
    yield Portion("test", inputs, labels)


def draw_windows(series: PreparedSeries, windows: int) -> Iterator[tuple[int, int]]:
    """Yield (place of a series, end of a window in its training part), `windows` times, drawn at random.

    All series are equally likely. Within a series, all ends are equally likely for which the horizon, and at least one
    observation before it, are in the training part. For a shorter series it is the last end. Only uniform numbers are
    used, which NumPy keeps the same in all its versions.
    """
    stream = np.random.Generator(np.random.Philox(key=SEED))
    lengths = np.diff(series.arrays["offsets"]) - series.horizon
    for which, where in stream.random((windows, 2)):
        place = int(which * len(lengths))
        first = min(series.horizon + 1, int(lengths[place]))
        yield place, first + int(where * (lengths[place] - first + 1))


def samples(
    series: PreparedSeries, chosen: Iterable[tuple[int, int]]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return inputs, (windows, steps, CHANNELS), and labels, (windows, steps, 2), of windows with the given ends.

    The lagged values in the horizon are the true ones: each step is shown the values before it, not a model's
    forecasts.
    """
    inputs, labels = [], []
    for place, end in chosen:
        one = series[place]
        steps = np.arange(end - series.context - series.horizon, end)
        inputs.append(inputs_of(one.values, one.start, series.frequency, steps, series.context))
        labels.append(labels_of(one.values, steps))
    return np.stack(inputs), np.stack(labels)


def known_inputs(series: PreparedSeries, places: Iterable[int]) -> NDArray[np.float32]:
    """Return the inputs for a forecast, (places, steps, CHANNELS): last windows without values of the horizon."""
    return np.stack([last_window(series, place, series.training(place).values) for place in places])


def continued_inputs(
    series: PreparedSeries, places: Iterable[int], paths: NDArray[np.floating[Any]]
) -> NDArray[np.float32]:
    """Return the inputs of the same windows, continued with each of `paths`, (places, paths, horizon).

    The result is (places × paths, steps, CHANNELS), with all paths of a series one after the other.
    """
    return np.stack(
        [
            last_window(series, place, np.concatenate([series.training(place).values, path]))
            for place, own in zip(places, paths, strict=True)
            for path in own
        ]
    )


def last_window(series: PreparedSeries, place: int, history: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the inputs of the last window of a series, (steps, CHANNELS), from the known values `history`."""
    one = series[place]
    steps = np.arange(len(one.values) - series.context - series.horizon, len(one.values))
    return inputs_of(history, one.start, series.frequency, steps, series.context)


def labels_of(values: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the value at each of `places` and its weight, (places, 2): weight 1, or 0 if there is no value."""
    there = observed_places(values, places)
    labels = np.zeros((len(places), 2), np.float32)
    labels[there, 0] = values[places[there]]
    labels[there, 1] = 1
    return labels
