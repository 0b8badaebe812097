"""Elements of charts: rows, colours and shapes of contenders, layers.

Channels are objects (`alt.X2("high:Q")`), never text alone: for a text, Altair goes through its whole schema each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, wraps
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ParamSpec, cast

if TYPE_CHECKING:
    import altair as alt

Arguments = ParamSpec("Arguments")

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


Layer = dict[str, Any]
"""A layer of a Vega-Lite specification, without data."""


def drawn_once(make: Callable[Arguments, Sequence[alt.Chart]]) -> Callable[Arguments, tuple[Layer, ...]]:
    """Have Altair make the layers of a chart once for the same arguments, unchecked.

    What the arguments do not hold is added afterwards: the data, and the ends of a scale. A site has thousands of
    charts of few kinds, of the same contenders every night. Nobody may change the layers.
    """

    @lru_cache(maxsize=256)
    def layers(*arguments: Arguments.args, **named: Arguments.kwargs) -> tuple[Layer, ...]:
        """Return the layers."""
        with skip_checks():
            return tuple(map(without_data, make(*arguments, **named)))

    return cast("Callable[Arguments, tuple[Layer, ...]]", wraps(make)(layers))


def with_domain(layers: Sequence[Layer], domain: Sequence[float]) -> list[Layer]:
    """Return layers whose horizontal scales have these ends."""
    found = []
    for layer in layers:
        encoding = layer["encoding"]
        x = encoding["x"]
        if "scale" in x:
            x = {**x, "scale": {**x["scale"], "domain": list(domain)}}
        found.append({**layer, "encoding": {**encoding, "x": x}})
    return found


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
    layers = [without_data(chart) for chart in charts]
    return put_together(layers, [chart.data["values"] for chart in charts], description, height)


def put_together(
    layers: Sequence[Layer], rows: Sequence[Sequence[dict[str, Any]]], description: str, height: int
) -> dict[str, Any]:
    """Return the specification of `layer_charts` from its layers and the rows of each of them."""
    from altair import SCHEMA_URL

    distinct = {id(one): one for one in rows}
    names = {key: name_of_rows(one) for key, one in distinct.items()}
    spec = {"$schema": SCHEMA_URL, "layer": list(layers), "description": description, "height": height}
    if len({*names.values()}) == 1:
        spec["data"] = {"name": names[id(rows[0])]}
    else:
        spec["layer"] = [{**layer, "data": {"name": names[id(one)]}} for layer, one in zip(layers, rows, strict=True)]
    return {**spec, "datasets": {names[key]: one for key, one in distinct.items()}, **FITTED}


def name_of_rows(rows: Sequence[dict[str, Any]]) -> str:
    """Return the name of a data set: a hash of its rows.

    Altair makes such names as well, but writes the rows of every layer as JSON for it.
    """
    from pydantic_core import to_json

    return f"data-{sha256(to_json(rows)).hexdigest()[:32]}"


def without_data(chart: alt.Chart) -> dict[str, Any]:
    """Return a layer without its data, for which Altair would ask every library of data frames."""
    import altair as alt

    bare = chart.copy(deep=False)
    bare.data = alt.Undefined
    above = {"top_level": False, "datasets": {}, "data": None}  # data of its own would replace those of the whole
    layer: dict[str, Any] = bare.to_dict(validate=False, context=above)
    return layer
