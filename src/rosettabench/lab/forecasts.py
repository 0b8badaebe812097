"""Choose the series whose forecasts the report shows, and keep the quantiles of their sample paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.series.series import PreparedSeries
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.statistics.forecast_accuracy import Forecast, forecast_accuracy, quantile
from rosettabench.store.record import LEVELS, ForecastQuantiles, JudgedForecasts, SeriesForecast

SERIES = 4
"""How many series of a set are shown."""

HORIZONS = 3
"""A picture shows this many horizons of the past, or the context if that is longer."""


def choose_places(count: int) -> list[int]:
    """Return the places of the series to show, evenly spread over the set."""
    shown = min(SERIES, count)
    return [count * number // shown for number in range(shown)]


def series_to_show(series: PreparedSeries) -> Iterator[SeriesForecast]:
    """Yield the past and the truth of each series to show."""
    length = max(series.context, HORIZONS * series.horizon)
    for place in choose_places(len(series)):
        past = series.training(place).values[-length:]
        truth = series.truth(place)
        yield SeriesForecast(
            place=place, name=series[place].name, history=observed_values(past), truth=observed_values(truth)
        )


def quantiles_to_show(paths: NDArray[np.float32], places: Sequence[int]) -> Iterator[ForecastQuantiles]:
    """Yield the quantiles of the series at `places`, from sample paths (series, samples, horizon)."""
    for place in places:
        ordered = np.sort(paths[place].astype(np.float64), axis=0)
        rows = (quantile(ordered, level).tolist() for level in LEVELS)
        yield ForecastQuantiles(place=place, quantiles=tuple(map(tuple, rows)))


def judge_forecasts(series: PreparedSeries, reply: Mapping[str, Any], seed: int) -> JudgedForecasts:
    """Return the accuracy of the sample paths that a worker's `reply` to ``forecast`` names.

    Raises WorkerError if they are not finite.
    """
    start = perf_counter()
    paths = np.load(reply["files"]["samples"], mmap_mode="r", allow_pickle=False)
    if not np.isfinite(paths).all():
        raise WorkerError(FailureKind.ERROR, "it has forecast numbers that are not finite")
    accuracy = forecast_accuracy(forecasts(series, paths), series.frequency.seasonality)
    return JudgedForecasts(
        series=len(paths),
        samples=paths.shape[1],
        seed=seed,
        predict_s=reply["elapsed_s"],
        predict_cpu_s=reply["cpu_s"],
        score_s=perf_counter() - start,
        **asdict(accuracy),
        forecasts=tuple(quantiles_to_show(paths, choose_places(len(series)))),
    )


def forecasts(series: PreparedSeries, paths: NDArray[np.float32]) -> Iterator[Forecast]:
    """Yield the training values, the truth and the sample paths of each series."""
    for place in range(len(series)):
        yield Forecast(series.training(place).values, series.truth(place), paths[place])


def observed_values(values: NDArray[np.floating[Any]]) -> tuple[float | None, ...]:
    """Return values as JSON can hold them: None for a missing one."""
    return tuple(float(value) if np.isfinite(value) else None for value in values)
