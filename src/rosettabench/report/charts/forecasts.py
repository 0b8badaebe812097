"""Charts of forecasts: the history, the median, the bands of 50% and 90%, and the true values.

There is one chart for each series and contender, or library, side by side with a common scale. They show how certain a
forecast was, and whether it was right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rosettabench.report.charts.marks import layer_charts, plot, skip_checks
from rosettabench.store.record import LEVELS, ForecastQuantiles, SeriesForecast
from rosettabench.summary.records import ContestSummary, TrainedSet

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 170
"""Height of a chart in pixels."""

SPARE = 0.05
"""Space above and below the drawn values, as a share of their range."""

REACH = 0.5
"""How far a band may exceed the range of the observed values, as a share of it; beyond that it is cut off. A very wide
band would otherwise flatten everything else to a line."""


class Picture(NamedTuple):
    """The chart of one forecast: the contender's label or the library, the series, and the Vega-Lite specification."""

    library: str
    series: str
    spec: dict[str, Any]


def pictures(found: TrainedSet, labels: Sequence[str]) -> list[tuple[Picture, ...]]:
    """Return a row of charts for each shown series: the forecasts of the first seed, library by library."""
    firsts = [(entry.label, entry.trainings[0].forecasts) for entry in found.entries if entry.trainings]
    return side_by_side(found.used.shown, firsts, labels)


def contest_pictures(contest: ContestSummary, labels: Sequence[str]) -> list[tuple[Picture, ...]]:
    """Return a row of charts for each shown series of a contest: the contenders' forecasts after training."""
    entries = [*contest.ranked, *contest.unranked]
    return side_by_side(
        contest.shown, [(one.label, one.forecasts.forecasts) for one in entries if one.forecasts], labels
    )


def side_by_side(
    series: Sequence[SeriesForecast],
    forecasts: Sequence[tuple[str, Sequence[ForecastQuantiles]]],
    labels: Sequence[str],
) -> list[tuple[Picture, ...]]:
    """Return a row of charts for each of `series` that has a forecast; `labels` determine the colours."""
    rows = []
    for shown in series:
        drawn = [(label, one) for label, own in forecasts for one in own if one.place == shown.place]
        domain = scale(shown, [one for _, one in drawn])
        row = [Picture(label, shown.name, picture(shown, one, label, labels, domain)) for label, one in drawn]
        rows += [tuple(row)] if row else []
    return rows


def scale(shown: SeriesForecast, drawn: Sequence[ForecastQuantiles]) -> list[float]:
    """Return the ends of a series' common scale."""
    seen = [value for value in (*shown.history, *shown.truth) if value is not None] or [0.0]
    low, high = min(seen), max(seen)
    reach = REACH * (high - low)
    ends = [value for one in drawn for row in (one.quantiles[0], one.quantiles[-1]) for value in row]
    bottom = max(min([low, *ends]), low - reach) if reach else min([low, *ends])
    top = min(max([high, *ends]), high + reach) if reach else max([high, *ends])
    room = SPARE * (top - bottom) or 1.0
    return [bottom - room, top + room]


@skip_checks()
def picture(
    shown: SeriesForecast, drawn: ForecastQuantiles, label: str, labels: Sequence[str], domain: Sequence[float]
) -> dict[str, Any]:
    """Return the chart of one forecast. Step 1 is the first forecast step."""
    import altair as alt

    y_scale = alt.Scale(domain=list(domain), nice=False, clamp=True)
    x = alt.X("step:Q", title="steps from the last that was known", axis=alt.Axis(tickCount=5, grid=False, format="d"))
    colour = alt.Color("label:N", scale=alt.Scale(domain=list(labels)), legend=None)
    forecast = plot(forecast_rows(drawn, label))

    def y(name: str) -> alt.Y:
        """Return the axis of values for a field."""
        return alt.Y(f"{name}:Q", title=None, scale=y_scale, axis=alt.Axis(tickCount=4))

    observed = plot(observed_rows(shown)).mark_line(style="observed", strokeWidth=1.5, clip=True)
    charts = [
        forecast.mark_area(opacity=0.2, clip=True).encode(x=x, y=y("q5"), y2=alt.Y2("q95:Q"), color=colour),
        forecast.mark_area(opacity=0.35, clip=True).encode(x=x, y=y("q25"), y2=alt.Y2("q75:Q"), color=colour),
        observed.encode(x=x, y=y("value"), detail=alt.Detail("part:N")),
        forecast.mark_line(strokeWidth=2, clip=True).encode(
            x=x,
            y=y("q50"),
            color=colour,
            tooltip=[alt.Tooltip("step:Q"), alt.Tooltip("q50:Q", title="median", format=".4r")],
        ),
    ]
    description = f"Forecast of {shown.name} by {label}: history, median, bands of 50% and 90%, and what was observed"
    return layer_charts(charts, description, HEIGHT)


def forecast_rows(drawn: ForecastQuantiles, label: str) -> list[dict[str, Any]]:
    """Return the quantiles of a forecast, one row per step."""
    names = [f"q{round(100 * level)}" for level in LEVELS]
    return [
        {"step": step, "label": label, **dict(zip(names, values, strict=True))}
        for step, values in enumerate(zip(*drawn.quantiles, strict=True), start=1)
    ]


def observed_rows(shown: SeriesForecast) -> list[dict[str, Any]]:
    """Return history and true values as one line, without missing values. Steps up to 0 are history."""
    values = (*shown.history, *shown.truth)
    first = 1 - len(shown.history)
    return [
        {"step": step, "value": value, "part": "observed"}
        for step, value in enumerate(values, start=first)
        if value is not None
    ]
