"""Charts are made without Vega-Lite's schema, for speed: with it they are the same, and it accepts them."""

import json
from contextlib import nullcontext
from dataclasses import replace

import altair as alt
import pytest
from altair.utils.schemapi import debug_mode

from rosettabench.report.charts import contest as charts
from rosettabench.report.charts import marks
from rosettabench.report.charts.marks import FITTED, layer_charts, plot

DRAWN_ONCE = [charts.ranking_layers, charts.loss_layers, charts.block_layers, charts.bar_layers, charts.cost_layers]


@pytest.mark.parametrize("kind", ["ranking", "losses", "blocks", "throughput", "memory", "costs"])
def test_a_chart_is_the_same_with_and_without_the_schema(summary, kind, monkeypatch):
    for contest in summary.contests:
        quick = charts.contest_charts(contest, summary.labels)[kind]
        with monkeypatch.context() as patch, debug_mode(True):
            patch.setattr(marks, "skip_checks", nullcontext)
            for layers in DRAWN_ONCE:
                layers.cache_clear()
            assert charts.contest_charts(contest, summary.labels)[kind] == quick
        alt.LayerChart.from_dict(quick, validate=True)


def test_layers_that_are_drawn_once_serve_every_contest(summary):
    """The second contest's numbers must not be left in the charts of the first."""
    first, second = (
        replace(summary.contests[0], stopping={**summary.contests[0].stopping, "margin": margin})
        for margin in (0.02, 0.5)
    )
    before = charts.contest_charts(first, summary.labels)
    kept = json.dumps(before)
    assert charts.contest_charts(second, summary.labels)["ranking"] != before["ranking"]
    assert json.dumps(before) == kept == json.dumps(charts.contest_charts(first, summary.labels))


def test_an_overview_is_the_same_with_and_without_the_schema(summary):
    quick = charts.overview(summary)
    with debug_mode(True):
        assert charts.overview.__wrapped__(summary) == quick
    alt.LayerChart.from_dict(quick, validate=True)


def test_a_chart_is_that_of_altair(summary):
    """Altair's own layers, which are slower, have the same specification."""
    base = plot([{"x": 1, "label": "a"}])
    layers = [base.mark_point().encode(x=alt.X("x:Q")), base.mark_rule().encode(x=alt.X("x:Q"))]
    for drawn in (layers, [*layers, plot([{"x": 2}]).mark_tick().encode(x=alt.X("x:Q"))]):
        slow = alt.layer(*drawn).properties(description="two", height=9).to_dict()
        del slow["config"]
        assert renamed(layer_charts(drawn, "two", 9)) == renamed({**slow, **FITTED})


def renamed(spec):
    """A specification whose data have their place as their name."""
    names = {name: str(place) for place, name in enumerate(spec["datasets"])}
    assert len(names) == len({str(rows) for rows in spec["datasets"].values()})
    text = json.dumps(spec)
    for name, place in names.items():
        text = text.replace(name, place)
    return json.loads(text)


def test_a_language_model_learns_over_tokens(summary):
    contest = replace(summary.contests[0], tokens=64)
    [samples], [tokens] = (first_curve(one, summary.labels) for one in (summary.contests[0], contest))
    assert [64 * row["seen"] for row in samples["rows"]] == [row["seen"] for row in tokens["rows"]]
    assert (samples["title"], tokens["title"]) == ("samples seen", "tokens seen")


def first_curve(contest, labels):
    """The rows of the first loss curve, and the title of its axis."""
    spec = charts.contest_charts(contest, labels)["losses"]
    layer = spec["layer"][0]
    rows = spec["datasets"][layer["data"]["name"]]
    return [{"rows": rows, "title": layer["encoding"]["x"]["title"]}]
