"""Three common measures of the accuracy of time-series forecasts.

A forecast is a set of sample paths, which give its quantiles. The measures are those of the Evaluator of GluonTS 0.17,
and are tested against it; docs/explanation/statistics.md says how other definitions differ. Missing and infinite values
are ignored, as in NumPy's masked arrays. Smaller is better; 0 is a perfect forecast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The quantiles whose losses are averaged in the mean weighted quantile loss."""

MEDIAN = 0.5
"""The quantile that MASE and sMAPE take as the forecast."""

Values = NDArray[np.floating[Any]]


class Forecast(NamedTuple):
    """The forecast of one series with its past and truth; missing values are NaN."""

    past: Values
    """(time,): the series before the forecast."""
    truth: Values
    """(horizon,): the observed values."""
    paths: Values
    """(samples, horizon): the sample paths, without NaN."""


@dataclass(frozen=True)
class ForecastAccuracy:
    """The measures over all series; None if it is defined for no series."""

    mase: float | None
    """Mean over the series; infinite if the past of one was constant, so that it has no scale."""
    smape: float | None
    """Mean over the series, from 0 to 2."""
    mean_weighted_quantile_loss: float | None
    """Over all series together: series with large values count more."""


def forecast_accuracy(forecasts: Iterable[Forecast], seasonality: int) -> ForecastAccuracy:
    """Return the measures over all `forecasts`; `seasonality` is that of `mase`.

    A series without a defined measure, such as one without observations, is left out of the mean.
    """
    errors: list[tuple[float, float]] = []
    losses, size = np.zeros(len(LEVELS)), 0.0
    for past, truth, paths in forecasts:
        ordered = np.sort(paths.astype(np.float64), axis=0)
        median = quantile(ordered, MEDIAN)
        errors.append((mase(past, truth, median, seasonality), smape(truth, median)))
        losses += [quantile_loss(truth, quantile(ordered, level), level) for level in LEVELS]
        size += float(np.abs(truth[np.isfinite(truth)], dtype=np.float64).sum())
    scaled, relative = (_mean(column) for column in zip(*errors, strict=True)) if errors else (None, None)
    return ForecastAccuracy(scaled, relative, float(losses.mean() / size) if size else None)


def quantile(ordered: Values, level: float) -> Values:
    """Return the quantile of sample paths, (samples, horizon), sorted along the samples.

    It is the sample of rank (samples - 1) × level, rounded half to even: the median of 100 is the 51st. NumPy's
    `quantile` would interpolate between two.
    """
    row: Values = ordered[int(np.round((len(ordered) - 1) * level))]
    return row


def mase(past: Values, truth: Values, forecast: Values, seasonality: int) -> float:
    """Return the mean absolute scaled error, mean |y - f| / `seasonal_error`; NaN if it is not defined.

    Hyndman and Koehler 2006, "Another look at measures of forecast accuracy", International Journal of Forecasting 22.
    1 is as good as the naive seasonal forecast, one step ahead, was in the past. It does not depend on the unit of the
    series.
    """
    scale, error = seasonal_error(past, seasonality), _mean_finite(np.abs(_wide(truth) - forecast))
    if scale == 0:
        return float("inf") if error > 0 else float("nan")
    return error / scale


def seasonal_error(past: Values, seasonality: int) -> float:
    """Return mean |y(t) - y(t - m)|, with m the `seasonality`, or 1 if `past` is not longer than that.

    NaN if no two values at this distance were observed.
    """
    lag = seasonality if seasonality < len(past) else 1
    return _mean_finite(np.abs(_wide(past[lag:]) - past[:-lag]))


def smape(truth: Values, forecast: Values) -> float:
    """Return the symmetric mean absolute percentage error, 2 × mean (|y - f| / (|y| + |f|)); NaN if undefined.

    Makridakis 1993, "Accuracy measures: theoretical and practical concerns", International Journal of Forecasting 9. It
    is a share, not a percentage. Observations with y = f = 0 are left out.
    """
    size = np.abs(truth) + np.abs(_wide(forecast))
    defined = size > 0
    return 2 * _mean_finite(np.abs(_wide(truth) - forecast)[defined] / size[defined])


def quantile_loss(truth: Values, forecast: Values, level: float) -> float:
    """Return 2 × sum |(f - y) × ([y ≤ f] - q)| for forecasts f of the quantile q = `level`; 0 without observations.

    Koenker and Bassett 1978, "Regression quantiles", Econometrica 46. Divided by the sum of |y| it is the weighted
    quantile loss, which does not depend on the unit: the ρ-risk of Salinas, Flunkert, Gasthaus and Januschowski 2020,
    "DeepAR", International Journal of Forecasting 36.
    """
    seen = np.isfinite(truth)
    above = _wide(forecast)[seen] - truth[seen]
    return float(2 * np.abs(above * ((above >= 0) - level)).sum())


def _wide(values: Values) -> NDArray[np.float64]:
    """Return the values in float64."""
    return np.asarray(values, np.float64)


def _mean_finite(values: Values) -> float:
    """Return the mean of the finite values; NaN if there is none."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")


def _mean(column: tuple[float, ...]) -> float | None:
    """Return the mean of a measure over the series for which it is defined; None if there is none."""
    defined = [one for one in column if not np.isnan(one)]
    return sum(defined) / len(defined) if defined else None
