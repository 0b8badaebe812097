"""The chart of a history: the time per step of every contender of a workload over all runs of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosettabench.report.charts.contest import HEIGHT
from rosettabench.report.charts.marks import by_contender, by_shape, layer_charts, plot, skip_checks
from rosettabench.report.words import figures

if TYPE_CHECKING:
    from rosettabench.history.timeline import Point, Timeline


@skip_checks()
def timeline_spec(found: Sequence[Timeline], labels: Sequence[str]) -> dict[str, Any] | None:
    """Return milliseconds per step over time, a line for each contender; None if nothing was timed twice.

    Hollow marks are runs that are not used. A vertical line is the first run at another level.
    """
    import altair as alt

    names = line_names(found)
    rows = [point_row(name, point) for name, one in zip(names, found, strict=True) for point in one.points]
    if len({row["at"] for row in rows}) < 2:
        return None
    changed = {change.first for one in found for change in one.level_changes}
    moments = {point.run: point.at[:19] for one in found for point in one.points}
    x = alt.X("at:T", title=None, axis=alt.Axis(tickCount=5, grid=False, labelOverlap=True))
    y = alt.Y(
        "ms:Q",
        title="ms per step (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(tickCount=5, format="~r"),
    )
    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("run:N"),
        alt.Tooltip("day:N", title="at (UTC)"),
        alt.Tooltip("text:N", title="time per step"),
        alt.Tooltip("remark:N", title="remark"),
    ]
    base = plot(rows).encode(x=x, y=y, color=by_contender(labels))
    sound = [row for row in rows if row["used"]]
    fill = alt.condition("datum.used", alt.value(1), alt.value(0))
    marks = plot([{"at": moments[run]} for run in sorted(changed)]).mark_rule(style="unity", strokeDash=[4, 3])
    lines = plot(sound).encode(x=x, y=y, color=by_contender(labels)).mark_line(strokeWidth=1.5, opacity=0.6)
    layers = [  # Vega complains of a layer without data
        *([marks.encode(x=x)] if changed else ()),
        *([lines] if sound else ()),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(filled=False, strokeWidth=1.8, size=60, opacity=1).encode(
            fill=alt.Fill("label:N", scale=alt.Scale(domain=list(labels)), legend=None),
            shape=by_shape(labels),
            fillOpacity=fill,
            tooltip=tooltip,
        ),
    ]
    return layer_charts(layers, describe_timeline(found), HEIGHT)


def line_names(found: Sequence[Timeline]) -> list[str]:
    """Return the name of each line: the label of its newest run, or framework, place and mode if others share that."""
    labels = [one.points[-1].label for one in found]
    return [label if labels.count(label) == 1 else one.key.contender for label, one in zip(labels, found, strict=True)]


def point_row(contender: str, point: Point) -> dict[str, Any]:
    """Return a run of a contender as a row of the chart."""
    low, high = point.step.low or point.step.value, point.step.high or point.step.value
    return {
        "label": contender,
        "run": point.run,
        "at": point.at[:19],
        "day": point.at[:16].replace("T", " "),
        "ms": 1000 * point.step.value,
        "low": 1000 * low,
        "high": 1000 * high,
        "text": figures.seconds(point.step.value),
        "used": point.flaw is None,
        "remark": "used" if point.flaw is None else "not used",
    }


def describe_timeline(found: Sequence[Timeline]) -> str:
    """Return the chart in a sentence, for those who cannot see it."""
    told = "; ".join(
        f"{name} {figures.seconds(one.points[-1].step.value)} in the newest of {len(one.points)} runs"
        for name, one in zip(line_names(found), found, strict=True)
    )
    return f"Time per step over all runs: {told}"
