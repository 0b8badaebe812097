"""Charts of a contest, made with Altair. They set no colours of contenders: the theme does, by their place in the run.

Every chart takes the width of the page around it. Names and numbers are inside the plot, above their mark, where a long
name needs no additional width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rosettabench.report.charts.marks import (
    by_contender,
    by_shape,
    drawn_once,
    layer_charts,
    left_edge,
    plot,
    put_together,
    right_end,
    row_axis,
    row_texts,
    skip_checks,
    with_domain,
)
from rosettabench.report.charts.releases import releases
from rosettabench.report.tables.contest import compared_contests, ratios_of
from rosettabench.report.words import figures
from rosettabench.store.record import FigureName, Phase
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary, EntrySummary, MeasuredFigure, RunSummary

if TYPE_CHECKING:
    import altair as alt

ROW = 46
"""Height of a contender's row in pixels: a line of text above a mark."""
RATIO = "time / fastest (log scale)"
"""The title of an axis of ratios: short enough for the width of a phone."""
HEIGHT = 230
"""Height of the charts over rounds and samples, in pixels."""
COSTS = {
    FigureName.IMPORT: "import",
    FigureName.BUILD: "build",
    FigureName.LOAD: "load data",
    FigureName.FIRST_STEP: "first step",
}
"""The costs before the first steady step, in order, with their names in the chart."""


Charts = dict[str, dict[str, Any]]
"""{kind: Vega-Lite specification} of the charts of a contest."""


def contest_charts(contest: ContestSummary, labels: Sequence[str]) -> Charts:
    """Return the charts for which the contest has numbers."""
    kinds = {
        "ranking": ranking,
        "releases": releases,
        "losses": losses,
        "blocks": blocks,
        "throughput": throughput,
        "costs": costs,
        "memory": memory,
    }
    made = {kind: make(contest, labels) for kind, make in kinds.items()}
    return {kind: spec for kind, spec in made.items() if spec is not None}


def ranking(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return each ranked contender's time over the fastest one's, with its interval, on a logarithmic scale.

    It also shows the band of equivalence and a line at 1.
    """
    known = [(entry.label, entry.relative) for entry in contest.ranked if entry.relative is not None]
    if not known:
        return None
    margin = 1 + contest.stopping["margin"]
    rows = [
        {**ranking_row(label, relative), "inner": 1 / margin, "outer": margin, "one": 1} for label, relative in known
    ]
    layers = ranking_layers(tuple(labels), tuple(row["label"] for row in rows))
    described_rows = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    return put_together(
        with_domain(layers, ranking_domain(rows)),
        [rows] * len(layers),
        f"Ranking of {contest.name}: {described_rows}",
        ROW * len(rows),
    )


@drawn_once
def ranking_layers(labels: tuple[str, ...], order: tuple[str, ...]) -> list[alt.Chart]:
    """Return the layers of a ranking in this order, but for the ends of its scale."""
    import altair as alt

    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(labelExpr="format(datum.value, '~r') + '×'", tickCount=5, grid=False, ticks=True, offset=4)
    x, start, inner, one = (
        alt.X(f"{name}:Q", scale=scale, axis=axis, title=RATIO) for name in ("ratio", "low", "inner", "one")
    )
    base = alt.Chart().encode(y=row_axis(order))
    tooltip = [alt.Tooltip("label:N", title="contender"), alt.Tooltip("text:N", title="time / fastest")]
    colour = by_contender(labels)
    return [
        base.mark_rule(style="track").encode(x=left_edge(), x2=right_end()),
        base.mark_bar(style="band", size=14).encode(x=inner, x2=alt.X2("outer:Q")),
        base.mark_tick(style="unity", size=14, thickness=1).encode(x=one),
        base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.6).encode(
            x=start, x2=alt.X2("high:Q"), color=colour
        ),
        base.mark_point(filled=True, size=110, opacity=1).encode(
            x=x, color=colour, shape=by_shape(labels), tooltip=tooltip
        ),
        *row_texts(base),
    ]


@skip_checks()
def overview(summary: RunSummary) -> dict[str, Any] | None:
    """Return the specification of the overview of a run: a row for each contest, a mark for each contender.

    None if fewer than two contests compare contenders.
    """
    import altair as alt

    rows = [
        {"contest": contest.name, "label": label, "ratio": ratio.value, "text": figures.ratio(ratio.value)}
        for contest in compared_contests(summary)
        for label, ratio in ratios_of(contest).items()
    ]
    names = list(dict.fromkeys(str(row["contest"]) for row in rows))
    if len(names) < 2:
        return None
    axis = alt.Axis(labelExpr="format(datum.value, '~r') + '×'", tickCount=5, grid=True)
    x = alt.X("ratio:Q", scale=alt.Scale(type="log", nice=False), axis=axis, title=RATIO)
    y = alt.Y("contest:N", sort=names, title=None, axis=alt.Axis(labelLimit=220, labelPadding=12, grid=True))
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in OVERVIEW.items()]
    marks = plot(rows).mark_point(filled=True, size=90, opacity=1)
    encoded = marks.encode(
        x=x, y=y, color=by_contender(summary.labels), shape=by_shape(summary.labels), tooltip=tooltip
    )
    description = "Time of each contender relative to the fastest, a row for each contest"
    return layer_charts([encoded], description, 30 * len(names))


OVERVIEW = {"contest": "contest", "label": "contender", "text": "time / fastest"}
"""{field of a mark in the overview: title in its tooltip}."""


def ranking_domain(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of the ranking's scale: all intervals and the band, with a little space."""
    low = min(row[name] for row in rows for name in ("low", "inner"))
    high = max(row[name] for row in rows for name in ("high", "outer"))
    room = (high / low) ** 0.04
    return [low / room, high * room]


def ranking_row(label: str, relative: Estimate) -> dict[str, Any]:
    """Return a row of the ranking chart. The fastest is exactly 1 and has no interval."""
    row = estimate_row(label, relative, figures.ratio)
    return {**row, "ratio": relative.value, "text": "1×" if relative.exact else row["text"]}


def losses(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return the training losses over the number of samples seen; of a language model, of tokens.

    Each line is thinner than the line below it, so that coinciding lines appear as one band with all their colours.
    """
    drawn = [entry for entry in contest.timed if entry.curve]
    if not drawn:
        return None
    seen = seen_words(contest.tokens)
    rows = [curve_rows(entry, contest.tokens) for entry in drawn]
    description = f"Training loss over {seen} on {contest.name}, one line per contender"
    return put_together(loss_layers(tuple(labels), len(drawn), seen), rows, description, HEIGHT)


def seen_words(tokens: int | None) -> str:
    """Return what a loss curve counts; `tokens` are those of a sample."""
    return "samples seen" if tokens is None else "tokens seen"


def curve_rows(entry: EntrySummary, tokens: int | None) -> list[dict[str, Any]]:
    """Return one contender's loss curve; `tokens` are those of a sample of a language model."""
    return [{"label": entry.label, "seen": point.samples * (tokens or 1), "loss": point.loss} for point in entry.curve]


@drawn_once
def loss_layers(labels: tuple[str, ...], lines: int, seen: str) -> list[alt.Chart]:
    """Return the layers of so many loss curves; `seen` is what they count."""
    import altair as alt

    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("seen:Q", title=seen, format=","),
        alt.Tooltip("loss:Q", format=".4r"),
    ]
    base = alt.Chart().encode(
        x=alt.X("seen:Q", title=seen, axis=alt.Axis(format="~s", tickCount=5, grid=False)),
        y=alt.Y("loss:Q", title="training loss", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)),
        color=by_contender(labels),
        tooltip=tooltip,
    )
    widths = [2.0 + 3 * place for place in reversed(range(lines))]
    return [base.mark_line(strokeWidth=width, strokeCap="round", strokeJoin="round") for width in widths]


def blocks(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return every timed block: milliseconds per step in each round."""
    rows = [
        {"label": entry.label, "round": sample.round, "ms": 1000 * sample.elapsed_s / sample.steps}
        for entry in contest.timed
        for sample in entry.samples
        if sample.phase == Phase.TURN
    ]
    if not rows:
        return None
    layers, description = block_layers(tuple(labels)), f"Time per step of every timed block on {contest.name}, by round"
    return put_together(layers, [rows] * len(layers), description, HEIGHT)


@drawn_once
def block_layers(labels: tuple[str, ...]) -> list[alt.Chart]:
    """Return the layers of the chart of blocks."""
    import altair as alt

    base = alt.Chart().encode(
        x=alt.X("round:Q", title="round", axis=alt.Axis(format="d", tickMinStep=1, tickCount=6, grid=False)),
        y=alt.Y(
            "ms:Q",
            title="ms per step (log scale)",
            scale=alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(tickCount=5, format="~r"),
        ),
        color=by_contender(labels),
    )
    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("round:Q"),
        alt.Tooltip("ms:Q", title="ms per step", format=".3r"),
    ]
    points = base.mark_point(filled=True, size=34, opacity=1).encode(shape=by_shape(labels), tooltip=tooltip)
    return [base.mark_line(strokeWidth=1, opacity=0.5), points]


def throughput(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return samples per second with intervals, with a scale from zero."""
    rows = [estimate_row(entry.label, entry.throughput) for entry in contest.timed if entry.throughput]
    return bars(rows, labels, "samples per second", f"Throughput on {contest.name}")


def memory(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return the peak memory of each contender's process tree, with a scale from zero."""
    rows = [
        memory_row(entry.label, entry.costs.peak_memory_bytes)
        for entry in contest.timed
        if entry.costs.peak_memory_bytes
    ]
    return bars(rows, labels, "peak memory", f"Peak memory on {contest.name}")


def estimate_row(
    label: str, estimate: Estimate, written: Callable[[float], str] = figures.significant
) -> dict[str, Any]:
    """Return an estimate with its interval as a row."""
    low, high = estimate.low or estimate.value, estimate.high or estimate.value
    text = written(estimate.value)
    if estimate.low is not None and estimate.high is not None:
        text += f"  ({figures.span(low, high)})"
    return {"label": label, "value": estimate.value, "low": low, "high": high, "text": text}


def memory_row(label: str, peak: MeasuredFigure) -> dict[str, Any]:
    """Return a bar of memory in MB with the extremes over its processes."""
    value, low, high = (part / 1e6 for part in (peak.value, peak.low, peak.high))
    return {"label": label, "value": value, "low": low, "high": high, "text": figures.memory(peak.value)}


def bars(rows: list[dict[str, Any]], labels: Sequence[str], title: str, what: str) -> dict[str, Any] | None:
    """Return one bar with its interval for each row (label, value, low, high, text); None without rows."""
    if not rows:
        return None
    layers = bar_layers(tuple(labels), tuple(row["label"] for row in rows), title)
    described_rows = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    return put_together(
        with_domain(layers, [0, max(row["high"] for row in rows)]),
        [rows] * len(layers),
        f"{what}: {described_rows}",
        ROW * len(rows),
    )


@drawn_once
def bar_layers(labels: tuple[str, ...], order: tuple[str, ...], title: str) -> list[alt.Chart]:
    """Return the layers of bars in this order, but for the ends of their scale."""
    import altair as alt

    scale = alt.Scale(nice=False)
    base = alt.Chart().encode(y=row_axis(order))
    tooltip = [alt.Tooltip("label:N", title="contender"), alt.Tooltip("text:N", title=title)]
    colour = by_contender(labels)
    bar = base.mark_bar(size=9, opacity=0.4).encode(
        x=alt.X("value:Q", scale=scale, axis=None), color=colour, tooltip=tooltip
    )
    known = base.transform_filter("datum.low < datum.high")
    reach = known.mark_rule(strokeWidth=3, strokeCap="round", opacity=1).encode(
        x=alt.X("low:Q", scale=scale, axis=None), x2=alt.X2("high:Q"), color=colour
    )
    return [bar, reach, *row_texts(base)]


def costs(contest: ContestSummary, labels: Sequence[str]) -> dict[str, Any] | None:
    """Return the costs before the first steady step as stacked bars: import, build, load, first step."""
    del labels  # here, colours are kinds of cost
    rows = [row for entry in contest.timed for row in cost_rows(entry)]
    if not rows:
        return None
    totals = [{"label": entry.label, "text": total_text(rows, entry.label)} for entry in contest.timed]
    layers = cost_layers(tuple(entry.label for entry in contest.timed))
    return put_together(
        layers,
        [rows] + [totals] * (len(layers) - 1),
        f"Costs before the first steady step on {contest.name}",
        ROW * len(totals),
    )


@drawn_once
def cost_layers(order: tuple[str, ...]) -> list[alt.Chart]:
    """Return the layers of the chart of costs in this order: the bars, and then their texts."""
    import altair as alt

    y = row_axis(order)
    tooltip = [alt.Tooltip("label:N", title="contender"), alt.Tooltip("cost:N"), alt.Tooltip("text:N", title="time")]
    bar = (
        alt.Chart()
        .mark_bar(size=9)
        .encode(
            x=alt.X("seconds:Q", axis=None),
            y=y,
            color=alt.Color(
                "cost:O",
                scale=alt.Scale(domain=list(COSTS.values())),
                legend=alt.Legend(title=None, orient="bottom", direction="horizontal", columns=4),
            ),
            order=alt.Order("place:Q"),
            tooltip=tooltip,
        )
    )
    return [bar, *row_texts(alt.Chart().encode(y=y))]


def cost_rows(entry: EntrySummary) -> list[dict[str, Any]]:
    """Return one segment for each measured cost."""
    found = [(place, name, getattr(entry.costs, name)) for place, name in enumerate(COSTS)]
    return [
        {
            "label": entry.label,
            "cost": COSTS[name],
            "place": place,
            "seconds": cost.value,
            "text": figures.seconds(cost.value),
        }
        for place, name, cost in found
        if cost is not None
    ]


def total_text(rows: list[dict[str, Any]], label: str) -> str:
    """Return the sum of a contender's costs in words."""
    return figures.seconds(sum(row["seconds"] for row in rows if row["label"] == label))
