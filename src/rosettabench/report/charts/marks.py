"""Elements of charts: rows, colours and shapes of contenders, layers.

Channels are objects (`alt.X2("high:Q")`), never text alone: for a text, Altair goes through its whole schema each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

FITTED = {
    "width": "container",
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 0, "right": 1, "top": 5, "bottom": 5},
}
"""What makes a chart fit the width around it, with so many pixels around it. Its left edge is aligned with the text.
It is given to the specification: every property of a chart that is set by itself costs a copy of the chart."""


@contextmanager
def skip_checks() -> Iterator[None]:
    """Make charts without checking each part against the schema of Vega-Lite, which takes most of the time.

    A test makes every chart with and without, and finds the same.
    """
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


def row_axis(order: Sequence[str]) -> alt.Y:
    """Return an axis with one row for each contender. It is invisible, since the names are inside the plot."""
    import altair as alt

    return alt.Y("label:N", sort=list(order), axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))


def row_texts(base: alt.Chart) -> tuple[alt.Chart, alt.Chart]:
    """Return the texts above a mark: the name at the left and the number at the right."""
    import altair as alt

    name = base.mark_text(style="label", align="left", dy=-15, fontWeight=600, limit=170)
    number = base.mark_text(style="quiet", align="right", dy=-15)
    return (
        name.encode(x=left_edge(), text=alt.Text("label:N")),
        number.encode(x=alt.XValue("width"), text=alt.Text("text:N")),  # type: ignore[no-untyped-call]
    )


def left_edge() -> alt.XValue:
    """Return the place at the left of the plot."""
    import altair as alt

    return alt.XValue(0)  # type: ignore[no-untyped-call]


def right_end() -> alt.X2Value:
    """Return an end of a line or bar at the right of the plot."""
    import altair as alt

    return alt.X2Value("width")  # type: ignore[no-untyped-call]


def by_contender(labels: Sequence[str]) -> alt.Color:
    """Return a contender's colour, the same in the whole run. The page has its own legend."""
    import altair as alt

    return alt.Color("label:N", scale=alt.Scale(domain=list(labels)), legend=None)


def by_shape(labels: Sequence[str]) -> alt.Shape:
    """Return a contender's shape, which accompanies its colour."""
    import altair as alt

    return alt.Shape("label:N", scale=alt.Scale(domain=list(labels)), legend=None)


def plot(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return an empty chart over `rows`."""
    import altair as alt

    return alt.Chart({"values": tuple(rows)})  # of a tuple, Altair makes no copy at every step


def layer_charts(charts: Sequence[alt.Chart], description: str, height: int) -> alt.LayerChart:
    """Return `charts` as layers of one chart, with a description for screen readers, and a height in pixels."""
    import altair as alt

    return alt.LayerChart(layer=charts, description=description, height=height)


def specification(chart: alt.LayerChart) -> dict[str, Any]:
    """Return a chart as a Vega-Lite specification that fits the width around it."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)  # Altair's own defaults; the theme replaces them
    return {**spec, **FITTED}
