"""Windows of time series as samples: a context that is known, and behind it the horizon that is to be forecast.

A window has a step for each observation of both. One that begins before its series does is filled up in front with
steps of which nothing is known, and which weigh nothing.
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
"""Most that the inputs of all training windows take: of long windows there are fewer."""

SEED = 0
"""Of the windows that are drawn for training."""


def portions(series: PreparedSeries, windows: int) -> Iterator[Portion]:
    """Yield so many windows to train on, or as many as BYTES hold, and the last window of each series to test with."""
    length = series.context + series.horizon
    most = max(1, BYTES // (length * CHANNELS * np.dtype(np.float32).itemsize))
    yield Portion("train", *samples(series, draw_windows(series, min(windows, most))))
    inputs, labels = samples(series, ((place, len(one.values)) for place, one in enumerate(series)))
    labels[:, : series.context, 1] = 0  # a model has been trained on these
    yield Portion("test", inputs, labels)


def draw_windows(series: PreparedSeries, windows: int) -> Iterator[tuple[int, int]]:
    """Yield the place of a series and the end of a window in its training part, drawn at random, so many times.

    Every series is as likely as any other, and in it every end at which the horizon, and at least one observation
    before it, lie within the training part; of a shorter one it is the last. They are made of uniform numbers alone,
    which NumPy promises to be the same in all its versions.
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
    """Return inputs, (windows, steps, CHANNELS), and labels, (windows, steps, 2), of windows that end at such places.

    The lagged values of the horizon are the true ones: each step is shown what came before it, not what a model said.
    """
    inputs, labels = [], []
    for place, end in chosen:
        one = series[place]
        steps = np.arange(end - series.context - series.horizon, end)
        inputs.append(inputs_of(one.values, one.start, series.frequency, steps, series.context))
        labels.append(labels_of(one.values, steps))
    return np.stack(inputs), np.stack(labels)


def known_inputs(series: PreparedSeries, places: Iterable[int]) -> NDArray[np.float32]:
    """Return the inputs of the last windows of the series at `places`, with nothing known of the horizon itself.

    (windows, steps, CHANNELS), as for who is to forecast it.
    """
    return np.stack([last_window(series, place, series.training(place).values) for place in places])


def continued_inputs(
    series: PreparedSeries, places: Iterable[int], paths: NDArray[np.floating[Any]]
) -> NDArray[np.float32]:
    """Return the inputs of the same windows as if each of `paths`, (places, paths, horizon), were what came then.

    (places × paths, steps, CHANNELS), all paths of a series one behind the other.
    """
    return np.stack(
        [
            last_window(series, place, np.concatenate([series.training(place).values, path]))
            for place, own in zip(places, paths, strict=True)
            for path in own
        ]
    )


def last_window(series: PreparedSeries, place: int, history: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the inputs of the last window of a series, (steps, CHANNELS), of which `history` is known."""
    one = series[place]
    steps = np.arange(len(one.values) - series.context - series.horizon, len(one.values))
    return inputs_of(history, one.start, series.frequency, steps, series.context)


def labels_of(values: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the value in each of `places` and what it weighs, (places, 2): 1, and 0 where there is none."""
    there = observed_places(values, places)
    labels = np.zeros((len(places), 2), np.float32)
    labels[there, 0] = values[places[there]]
    labels[there, 1] = 1
    return labels
