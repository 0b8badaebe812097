"""How good forecasts of time series are, by three measures that the field compares them with.

A forecast is a set of sample paths, and its quantiles are taken from them. All measures are as the Evaluator of GluonTS
0.17 has them, and tested against it; docs/explanation/statistics.md says in what others differ. Values that are
missing or infinite are left out, as NumPy's masked arrays do. The smaller, the better; 0 is a perfect forecast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The quantiles that the weighted quantile loss is the mean of."""

MEDIAN = 0.5
"""The quantile that MASE and sMAPE take as the forecast."""

Values = NDArray[np.floating[Any]]


class Forecast(NamedTuple):
    """What is needed to judge the forecast of one series; values that are missing are NaN."""

    past: Values
    """(time,): the series before what was forecast."""
    truth: Values
    """(horizon,): what was observed then."""
    paths: Values
    """(samples, horizon): what was forecast; nothing of it may be NaN."""


@dataclass(frozen=True)
class ForecastAccuracy:
    """The measures over all series; None where no series has one."""

    mase: float | None
    """Mean over the series; infinite where one of them did not change at all before, so that it has no scale."""
    smape: float | None
    """Mean over the series, from 0 to 2."""
    mean_weighted_quantile_loss: float | None
    """Of all series together: large ones count for more."""


def forecast_accuracy(forecasts: Iterable[Forecast], seasonality: int) -> ForecastAccuracy:
    """Return the measures over all `forecasts`; `seasonality` is that of `mase`.

    A series without a measure, as one of which nothing was observed, is left out of the mean.
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
    """Return the quantile of sample paths, (samples, horizon), which are sorted along the samples.

    It is one of them, that of the rank (samples - 1) × level, rounded, halves to the even one: of 100 the median is the
    51st. NumPy's own would lie between two.
    """
    row: Values = ordered[int(np.round((len(ordered) - 1) * level))]
    return row


def mase(past: Values, truth: Values, forecast: Values, seasonality: int) -> float:
    """Return the mean absolute scaled error, mean |y - f| / `seasonal_error`; NaN where it is not defined.

    Hyndman and Koehler 2006, "Another look at measures of forecast accuracy", International Journal of Forecasting 22.
    1 is as good as what the naive seasonal forecast reached, one step ahead, in the past. It does not depend on the
    unit of the series.
    """
    scale, error = seasonal_error(past, seasonality), _mean_finite(np.abs(_wide(truth) - forecast))
    if scale == 0:
        return float("inf") if error > 0 else float("nan")
    return error / scale


def seasonal_error(past: Values, seasonality: int) -> float:
    """Return mean |y(t) - y(t - m)|, m being the `seasonality`, or 1 where `past` is no longer than that.

    NaN where no two values so far apart were observed.
    """
    lag = seasonality if seasonality < len(past) else 1
    return _mean_finite(np.abs(_wide(past[lag:]) - past[:-lag]))


def smape(truth: Values, forecast: Values) -> float:
    """Return the symmetric mean absolute percentage error, 2 × mean (|y - f| / (|y| + |f|)); NaN where undefined.

    Makridakis 1993, "Accuracy measures: theoretical and practical concerns", International Journal of Forecasting 9. It
    is a share, not in percent. Where y and f are both 0, the observation is left out.
    """
    size = np.abs(truth) + np.abs(_wide(forecast))
    defined = size > 0
    return 2 * _mean_finite(np.abs(_wide(truth) - forecast)[defined] / size[defined])


def quantile_loss(truth: Values, forecast: Values, level: float) -> float:
    """Return 2 × sum |(f - y) × ([y ≤ f] - q)| of forecasts f of the quantile q = `level`; 0 where nothing was seen.

    Koenker and Bassett 1978, "Regression quantiles", Econometrica 46. Divided by the sum of |y| it is the weighted
    quantile loss, the ρ-risk of Salinas, Flunkert, Gasthaus and Januschowski 2020, "DeepAR", International Journal of
    Forecasting 36, which does not depend on the unit.
    """
    seen = np.isfinite(truth)
    above = _wide(forecast)[seen] - truth[seen]
    return float(2 * np.abs(above * ((above >= 0) - level)).sum())


def _wide(values: Values) -> NDArray[np.float64]:
    """Return float64, whatever the paths were drawn in."""
    return np.asarray(values, np.float64)


def _mean_finite(values: Values) -> float:
    """Return the mean of those that are finite numbers, NaN where none is."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")


def _mean(column: tuple[float, ...]) -> float | None:
    """Return the mean of a measure over the series that have it, None where none has."""
    defined = [one for one in column if not np.isnan(one)]
    return sum(defined) / len(defined) if defined else None
