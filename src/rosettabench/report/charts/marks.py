"""What the charts are drawn with: rows, colours and shapes of contenders, layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt


def row_axis(order: Sequence[str]) -> alt.Y:
    """Return one row for each contender without an axis: the names stand in the plot."""
    import altair as alt

    return alt.Y("label:N", sort=list(order), axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))


def row_texts(base: alt.Chart) -> tuple[alt.Chart, alt.Chart]:
    """Return the name at the left and the number at the right, above the mark."""
    import altair as alt

    name = base.mark_text(style="label", align="left", dy=-15, fontWeight=600, limit=170)
    number = base.mark_text(style="quiet", align="right", dy=-15)
    return (
        name.encode(x=alt.value(0), text="label:N"),
        number.encode(x=alt.value("width"), text="text:N"),
    )


def by_contender(labels: Sequence[str]) -> alt.Color:
    """Return the colour that a contender has in the whole run; the page's own key explains it."""
    import altair as alt

    return alt.Color("label:N", scale=alt.Scale(domain=list(labels)), legend=None)


def by_shape(labels: Sequence[str]) -> alt.Shape:
    """Return the shape that goes with the colour."""
    import altair as alt

    return alt.Shape("label:N", scale=alt.Scale(domain=list(labels)), legend=None)


def plot(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return a chart over `rows`, with nothing drawn yet."""
    import altair as alt

    return alt.Chart({"values": rows})


def layer_charts(charts: Sequence[alt.Chart], description: str, height: int) -> alt.LayerChart:
    """Return `charts` laid over each other, with the sentence that a screen reader reads, and their height."""
    import altair as alt

    return alt.LayerChart(layer=charts, description=description, height=height)
