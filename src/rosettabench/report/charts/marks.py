"""Elements of charts: rows, colours and shapes of contenders, layers.

Channels are objects (`alt.X2("high:Q")`), never text alone: for a text, Altair goes through its whole schema each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

FITTED = {
    "width": "container",
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 0, "right": 1, "top": 5, "bottom": 5},
}
"""What makes a chart fit the width around it, with so many pixels around it. Its left edge is aligned with the text."""


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

    return alt.Chart({"values": list(rows)})


def layer_charts(charts: Sequence[alt.Chart], description: str, height: int) -> dict[str, Any]:
    """Return `charts` as the layers of one Vega-Lite specification that fits the width around it.

    `description` is for screen readers, and `height` is in pixels. Data that all layers share are stated once. Altair's
    own LayerChart would give the same, but for the names of the data. It copies every layer several times.
    """
    from altair import SCHEMA_URL

    datasets: dict[str, Any] = {}
    context: dict[str, Any] = {"top_level": False, "datasets": {}}
    layers = [chart.to_dict(validate=False, context=context) for chart in with_named_data(charts, datasets)]
    spec = {"$schema": SCHEMA_URL, "layer": layers, "description": description, "height": height}
    shared = layers[0]["data"]
    if all(layer["data"] == shared for layer in layers):
        spec["data"] = shared
        for layer in layers:
            del layer["data"]
    return {**spec, "datasets": datasets, **FITTED}


def with_named_data(charts: Sequence[alt.Chart], datasets: dict[str, Any]) -> Iterator[alt.Chart]:
    """Yield the charts with a name in place of their rows, which are added to `datasets`.

    A name is the hash of the rows. Altair makes such names as well, but writes the rows of every layer as JSON for it.
    """
    import altair as alt
    from pydantic_core import to_json

    names: dict[int, str] = {}
    for chart in charts:
        rows = chart.data["values"]
        if id(rows) not in names:
            names[id(rows)] = f"data-{sha256(to_json(rows)).hexdigest()[:32]}"
        datasets[names[id(rows)]] = rows
        named = chart.copy(deep=False)
        named.data = alt.NamedData(names[id(rows)])
        yield named
