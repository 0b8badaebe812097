"""The chart of releases: the speed of each library over the release date."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rosettabench.report.charts.marks import by_contender, by_shape, layer_charts, plot, skip_checks
from rosettabench.report.tables.releases import SHOWN
from rosettabench.report.words import figures
from rosettabench.summary.records import ContestSummary
from rosettabench.summary.releases import DatedEntry, dated_contenders, fastest, of_library

HEIGHT = 300
"""Height of the chart, in pixels."""


@skip_checks()
def releases(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return samples per second over the release date, logarithmic; None if no library has two releases.

    A line connects the fastest proven contender of each release of a library. Unproven contenders have hollow marks.
    """
    import altair as alt

    found = [one for one in dated_contenders(contest) if one.entry.throughput]
    if not found:
        return None
    x = alt.X("released:T", title="released", axis=alt.Axis(format="%Y", tickCount="year", grid=False))
    y = alt.Y(
        "speed:Q",
        title="samples per second (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=18),
        axis=alt.Axis(tickCount=5, format="~s"),
    )
    lines = plot([row for library in libraries(found) for row in through(found, library)])
    points = plot([point(one) for one in found]).encode(x=x, y=y, color=by_contender(labels))
    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("day:N", title="released"),
        alt.Tooltip("text:N", title="samples per second"),
        alt.Tooltip("proof:N", title="certificate"),
    ]
    fill = alt.condition("datum.proven", alt.value(1), alt.value(0))
    return layer_charts(
        [
            lines.mark_line(style="unity", strokeWidth=1.5, opacity=0.6).encode(
                x=x, y=y, detail=alt.Detail("library:N")
            ),
            points.mark_rule(strokeWidth=2, opacity=0.6).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
            points.mark_point(filled=True, size=90, opacity=1).encode(
                shape=by_shape(labels), fillOpacity=fill, tooltip=tooltip
            ),
            plot(ends(found))
            .mark_text(style="label", align="right", dx=-8, dy=-9)
            .encode(x=x, y=y, text=alt.Text("library:N")),
        ],
        f"Speed by day of release on {contest.name}: "
        + "; ".join(f"{one.entry.label}, {one.released.year}: {point(one)['text']}" for one in found),
        HEIGHT,
    )


def libraries(found: Sequence[DatedEntry]) -> list[str]:
    """Return the libraries in the order of their contenders."""
    return list(dict.fromkeys(one.library for one in found))


def through(found: Sequence[DatedEntry], library: str) -> list[dict[str, Any]]:
    """Return the points of a library's line: its fastest proven contender of each release."""
    days = groupby(of_library(found, library), key=lambda one: one.released)
    best = [fastest(group) for _, group in days]
    return [point(one) for one in best if one is not None]


def ends(found: Sequence[DatedEntry]) -> list[dict[str, Any]]:
    """Return the last point of each library's line, where its name is shown."""
    return [row for library in libraries(found) for row in through(found, library)[-1:]]


def point(one: DatedEntry) -> dict[str, Any]:
    """Return a contender as a row: its release date, speed and certificate."""
    speed, proof = one.entry.throughput, one.entry.proof
    assert speed is not None, f"{one.entry.label} was not timed"
    low, high = speed.low or speed.value, speed.high or speed.value
    return {
        "label": one.entry.label,
        "library": one.library,
        "released": one.released.isoformat(),
        "day": one.released.isoformat(),
        "speed": speed.value,
        "low": low,
        "high": high,
        "text": f"{figures.significant(speed.value)} ({figures.span(low, high)})",
        "proof": (proof.key or "")[:SHOWN] if proof.holds else proof.state,
        "proven": proof.holds,
    }
