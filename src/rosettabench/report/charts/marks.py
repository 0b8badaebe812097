"""Elements of charts: rows, colours and shapes of contenders, layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt


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
        name.encode(x=alt.value(0), text="label:N"),
        number.encode(x=alt.value("width"), text="text:N"),
    )


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
